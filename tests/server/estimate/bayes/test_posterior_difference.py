"""The posterior of a difference: closed forms for Beta laws, SciPy's quad, exact mixtures, draws, and the edges."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, special, stats
from tests.server.estimate.bayes.mixtures import Mixture

from hushpoll_server.estimate.bayes.posterior import (
    JEFFREYS,
    UNIFORM,
    Posterior,
    Prior,
    posterior_difference,
    posterior_share,
)
from hushpoll_server.estimate.yes_no_designs import YesNoDesign, forced, triangular

TWO_COINS = forced("1/2", "1/2")
DIRECT = YesNoDesign.of(Fraction(1), Fraction(0))
PAIRS = [((3, 10), (5, 10)), ((30, 100), (50, 100)), ((0, 10), (0, 10)), ((0, 0), (0, 0)), ((5, 20), (310, 1000))]


def direct(counted: tuple[int, int], prior: Prior = UNIFORM) -> Posterior:
    return posterior_share(*counted, DIRECT, prior=prior)


def first_is_larger(first: tuple[int, int], second: tuple[int, int]) -> float:
    """Return P(X > Y) of two Beta laws with whole parameters, as a finite sum."""
    a, b, c, d = first[0] + 1, first[1] - first[0] + 1, second[0] + 1, second[1] - second[0] + 1
    i = np.arange(a)
    terms = special.betaln(c + i, b + d) - np.log(b + i) - special.betaln(1 + i, b) - special.betaln(c, d)
    return float(np.exp(terms).sum())


@pytest.mark.parametrize("counted", PAIRS, ids=str)
def test_for_direct_questions_it_is_the_closed_form_and_scipys_integral(
    counted: tuple[tuple[int, int], tuple[int, int]],
) -> None:
    first, second = counted
    gap = posterior_difference(direct(first), direct(second))
    assert gap.first_is_larger == pytest.approx(first_is_larger(first, second), abs=1e-10)
    one, other = (stats.beta(yes + 1, n - yes + 1) for yes, n in counted)
    for t in (0.01, 0.1, 0.3):
        wanted, _ = integrate.quad(lambda x, t=t: one.pdf(x) * other.cdf(x - t), t, 1, epsabs=1e-13, limit=500)
        assert gap.above(t) == pytest.approx(wanted, abs=1e-12)
        assert posterior_difference(direct(second), direct(first)).above(-t) == pytest.approx(1 - wanted, abs=1e-12)


def test_two_priors_of_jeffreys_have_the_integral_over_an_arc() -> None:
    prior = posterior_share(0, 0, TWO_COINS, prior=JEFFREYS)
    gap = posterior_difference(prior, prior)
    # With f = sin²(θ/2) Jeffreys' law is uniform in θ, and its cumulative function (2/π) arcsin √f.
    for t in (0.2, 0.9):
        wanted, _ = integrate.quad(
            lambda angle, t=t: 2 / np.pi**2 * np.arcsin(np.sqrt(np.sin(angle / 2) ** 2 - t)),
            2 * np.arcsin(np.sqrt(t)) + 1e-15,
            np.pi,
            epsabs=1e-13,
        )
        assert gap.above(t) == pytest.approx(wanted, abs=1e-12)
    assert (gap.mean, gap.median) == pytest.approx((0, 0), abs=1e-14)


@pytest.mark.parametrize("designs", [(TWO_COINS, TWO_COINS), (TWO_COINS, triangular("1/3")), (DIRECT, TWO_COINS)])
@pytest.mark.parametrize("counted", [((8, 20), (5, 15)), ((0, 20), (12, 12)), ((0, 0), (1, 1))], ids=str)
def test_behind_designs_it_is_the_integral_of_the_exact_polynomials(
    counted: tuple[tuple[int, int], tuple[int, int]], designs: tuple[YesNoDesign, YesNoDesign]
) -> None:
    rows = list(zip(counted, designs, strict=True))
    gap = posterior_difference(*(posterior_share(*each, design, prior=UNIFORM) for each, design in rows))
    one, other = (Mixture(*each, design, UNIFORM) for each, design in rows)
    # With a uniform prior both factors are polynomials of degree 35 at most together, which 40 nodes integrate exactly.
    nodes, weights = np.polynomial.legendre.leggauss(40)
    for t in (0.0, 0.15, 0.6):
        x = t + (1 - t) * (1 + nodes) / 2
        wanted = (1 - t) / 2 * weights @ (one.density(x) * other.cumulative(x - t))
        assert gap.above(t) == pytest.approx(float(wanted), abs=1e-13)


@pytest.mark.parametrize("counted", [*PAIRS, ((0, 10**7), (10**7, 10**7)), ((4 * 10**6, 10**7), (4 * 10**6, 10**7))])
def test_limits_have_their_tails_and_the_mirrored_difference_mirrored_figures(
    counted: tuple[tuple[int, int], tuple[int, int]],
) -> None:
    first, second = (posterior_share(*each, TWO_COINS) for each in counted)
    gap, mirrored = posterior_difference(first, second), posterior_difference(second, first)
    assert [gap.above(t) for t in (gap.low, gap.median, gap.high)] == pytest.approx([0.975, 0.5, 0.025], abs=1e-9)
    assert (gap.low, gap.median, gap.high) == pytest.approx(
        (-mirrored.high, -mirrored.median, -mirrored.low), abs=1e-12
    )
    assert gap.first_is_larger + mirrored.first_is_larger == pytest.approx(1, abs=1e-12)
    assert gap.low < gap.high
    assert gap.sd > 0
    json.dumps(gap.to_json(), allow_nan=False)


def test_draws_of_the_difference_agree_with_its_figures() -> None:
    gap = posterior_difference(posterior_share(8, 20, TWO_COINS), posterior_share(5, 15, TWO_COINS))
    drawn = gap.draws(20_000, seed=1)
    # Five standard errors of 20,000 draws
    assert drawn.mean() == pytest.approx(gap.mean, abs=5 * gap.sd / 141)
    assert np.mean(drawn > 0) == pytest.approx(gap.first_is_larger, abs=0.018)


def test_differences_beyond_one_are_certain() -> None:
    gap = posterior_difference(posterior_share(8, 20, TWO_COINS), posterior_share(5, 15, TWO_COINS))
    assert [gap.above(t) for t in (-1.0, 1.0, -3.0)] == [1, 0, 1]
