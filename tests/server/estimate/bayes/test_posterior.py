"""The posterior of a share: exact mixtures of Beta laws in fractions, SciPy's Beta law, long doubles, and the edges."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import optimize, special, stats
from tests.server.estimate.bayes.mixtures import Mixture

from hushpoll_server.estimate.bayes.posterior import (
    JEFFREYS,
    ONLY_THE_PRIOR,
    UNIFORM,
    Posterior,
    Prior,
    posterior_share,
)
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.support import SupportDesign
from hushpoll_server.estimate.yes_no_designs import YesNoDesign, forced, kuk, triangular

TWO_COINS = forced("1/2", "1/2")
DIRECT = YesNoDesign.of(Fraction(1), Fraction(0))
DESIGNS = [TWO_COINS, kuk("1/4", "3/4"), DIRECT, triangular("1/3"), kuk("1/2", 0), kuk("0.501", "0.499")]
COUNTED = [(0, 0), (0, 1), (1, 1), (3, 7), (0, 25), (25, 25), (8, 20)]
PRIORS = [JEFFREYS, UNIFORM, Prior(0.1, 3.0), Prior(50.0, 2.0)]


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: f"{design.p}-{design.q}")
@pytest.mark.parametrize("counted", COUNTED, ids=str)
def test_every_figure_is_that_of_the_exact_mixture_of_beta_laws(counted: tuple[int, int], design: YesNoDesign) -> None:
    for prior in PRIORS:
        exact = Mixture(*counted, design, prior)
        posterior = posterior_share(*counted, design, prior=prior)
        assert posterior.mean == pytest.approx(float(exact.mean), abs=1e-13)
        assert posterior.sd == pytest.approx(float(exact.variance) ** 0.5, abs=1e-13)
        for t in (0.001, 0.2, 0.5, 0.9, 0.999):
            assert posterior.above(t) == pytest.approx(1 - exact.below(t), abs=1e-13)
        limits = [posterior.low, posterior.median, posterior.high]
        assert [exact.below(limit) for limit in limits] == pytest.approx([0.025, 0.5, 0.975], abs=1e-10)


@pytest.mark.parametrize(("yes", "n"), [(0, 10), (7, 20), (10**7, 10**7), (3 * 10**6, 10**7), (1, 10**7)])
def test_a_direct_question_has_the_ordinary_beta_posterior(yes: int, n: int) -> None:
    posterior, law = posterior_share(yes, n, DIRECT), stats.beta(yes + 0.5, n - yes + 0.5)
    assert posterior.mean == pytest.approx(law.mean(), rel=1e-14)
    assert posterior.sd == pytest.approx(law.std(), rel=1e-12)
    assert posterior.quantile([0.001, 0.3, 0.99]) == pytest.approx(law.ppf([0.001, 0.3, 0.99]), rel=1e-12)


@pytest.mark.parametrize("yes", [0, 1, 2_500_000, 2_501_000, 4_000_000, 7_499_000, 10**7])
@pytest.mark.parametrize("design", [SupportDesign(0.75, 0.25), SupportDesign(0.25, 0.75), SupportDesign(0.999, 0.001)])
def test_ten_million_reports_agree_with_a_sum_in_long_doubles(yes: int, design: SupportDesign) -> None:
    n, posterior = 10**7, posterior_share(yes, 10**7, design)
    # The trapezoid rule, which is exact but for rounding for such laws, with 64 bits of mantissa.
    u = np.linspace(np.longdouble(posterior.law.edges[0]), np.longdouble(posterior.law.edges[-1]), 20_001)
    f, rest, p, q = 1 / (1 + np.exp(-u)), 1 / (1 + np.exp(u)), np.longdouble(design.p), np.longdouble(design.q)
    height = (np.log(f) + np.log(rest)) / 2 + yes * np.log(p * f + q * rest)
    height += (n - yes) * np.log((1 - p) * f + (1 - q) * rest)
    weight = np.exp(height - height.max())
    mean = (weight * f).sum() / weight.sum()
    sd = np.sqrt((weight * (f - mean) ** 2).sum() / weight.sum())
    assert posterior.mean == pytest.approx(float(mean), abs=1e-13)
    assert posterior.sd == pytest.approx(float(sd), rel=1e-10)


def test_without_reports_the_posterior_is_the_prior_and_says_so() -> None:
    posterior = posterior_share(0, 0, TWO_COINS, prior=Prior(2.0, 5.0))
    law = stats.beta(2, 5)
    assert (posterior.mean, posterior.sd) == pytest.approx((law.mean(), law.std()), abs=1e-14)
    assert [posterior.low, posterior.high] == pytest.approx(law.ppf([0.025, 0.975]), abs=1e-13)
    assert posterior.warnings == (ONLY_THE_PRIOR,)


def test_a_design_and_its_relabelled_form_say_the_same() -> None:
    one, other = posterior_share(300, 1000, TWO_COINS), posterior_share(700, 1000, kuk("1/4", "3/4"))
    assert (one.mean, one.sd, one.low, one.high) == pytest.approx((other.mean, other.sd, other.low, other.high))


def shortest_of(law: Any, level: float) -> list[float]:
    """Return the shortest interval of one of SciPy's laws, by its quantiles."""
    found = optimize.minimize_scalar(
        lambda tail: law.ppf(tail + level) - law.ppf(tail), bounds=(0, 1 - level), options={"xatol": 1e-12}
    )
    return [float(law.ppf(found.x)), float(law.ppf(found.x + level))]


def test_the_shortest_interval_is_the_highest_density_interval_of_a_law_with_one_top() -> None:
    interval = posterior_share(8, 20, DIRECT, prior=UNIFORM).highest_density
    assert [interval.low, interval.high] == pytest.approx(shortest_of(stats.beta(9, 13), 0.95), abs=1e-7)
    posterior = posterior_share(400, 1000, TWO_COINS)
    ends = np.array([posterior.highest_density.low, posterior.highest_density.high])
    # Equal densities of the share at both ends, and the promised probability between them.
    low, high = posterior.law.density(special.logit(ends)) / (ends * (1 - ends))
    assert low == pytest.approx(high, rel=1e-10)
    assert posterior.above(ends[0]) - posterior.above(ends[1]) == pytest.approx(0.95, abs=1e-13)


def test_the_shortest_interval_starts_or_ends_at_an_end_where_the_mass_is_there() -> None:
    assert posterior_share(0, 20, DIRECT, prior=UNIFORM).highest_density.low == 0
    assert posterior_share(0, 20, DIRECT, prior=UNIFORM).highest_density.high == pytest.approx(1 - 0.05 ** (1 / 21))
    assert posterior_share(50, 50, TWO_COINS).highest_density.high == 1
    flat = posterior_share(0, 0, TWO_COINS, prior=UNIFORM).highest_density
    assert (flat.low, flat.high) == pytest.approx((0.025, 0.975))


def test_draws_have_the_posterior_as_their_law_and_repeat_with_their_seed() -> None:
    posterior = posterior_share(30, 80, TWO_COINS)
    drawn = posterior.draws(4000, seed=3)
    # At this seed; a true law gives a smaller p-value once in a hundred seeds.
    u = posterior.law.below(special.logit(drawn))
    assert stats.kstest(u, "uniform").pvalue > 0.01
    assert (drawn == posterior.draws(4000, seed=3)).all()
    assert not (drawn == posterior.draws(4000, seed=4)).any()


@pytest.mark.parametrize(("yes", "how"), [(200, "less"), (800, "more")])
def test_reports_outside_what_the_design_produces_are_called_so(yes: int, how: str) -> None:
    posterior = posterior_share(yes, 1000, TWO_COINS)
    [warning] = posterior.warnings
    assert f"say yes {how} often" in warning
    assert 0 < posterior.low < posterior.high < 1
    assert posterior.sd > 0


@pytest.mark.parametrize("n", [0, 1, 2, 30, 10**4, 10**7])
def test_no_figure_is_missing_and_no_interval_is_empty_at_any_end(n: int) -> None:
    for yes in {0, 1, n // 4, n // 2, n} & set(range(n + 1)):
        for design in (TWO_COINS, triangular("1/3"), kuk("1/4", "3/4"), DIRECT):
            figures = posterior_share(yes, n, design).to_json()
            json.dumps(figures, allow_nan=False)
            posterior = posterior_share(yes, n, design)
            assert posterior.low < posterior.median < posterior.high
            assert posterior.highest_density.low < posterior.highest_density.high
            assert (
                posterior.highest_density.high - posterior.highest_density.low <= posterior.high - posterior.low + 1e-12
            )


def test_thresholds_outside_zero_and_one_are_certain() -> None:
    posterior = posterior_share(3, 10, TWO_COINS)
    assert [posterior.above(t) for t in (-1.0, 0.0, 1.0, 2.0)] == [1, 1, 0, 0]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: posterior_share(4, 3, TWO_COINS), "not between 0 and n = 3"),
        (lambda: posterior_share(-1, 3, TWO_COINS), "negative"),
        (lambda: Prior(0.0, 0.0), "Jeffreys"),
        (lambda: Prior(float("nan"), 1.0), "Jeffreys"),
        (lambda: posterior_share(1, 3, TWO_COINS, level=1.0), "level"),
        (lambda: posterior_share(1, 3, TWO_COINS).quantile(1.5), "between 0 and 1"),
    ],
)
def test_what_has_no_posterior_is_refused_with_the_cure(call: Callable[[], Posterior], says: str) -> None:
    with pytest.raises(EstimateError, match=says):
        call()


def test_jeffreys_intervals_cover_shares_drawn_from_the_prior_with_their_level() -> None:
    # The average over the prior is exact: enumerated over all counts, for shares that are the prior's quantiles.
    shares, n = stats.beta(0.5, 0.5).ppf((np.arange(400) + 0.5) / 400), 60
    limits = [posterior_share(yes, n, TWO_COINS) for yes in range(n + 1)]
    low, high = (np.array([getattr(each, side) for each in limits]) for side in ("low", "high"))
    chances = stats.binom.pmf(np.arange(n + 1), n, 0.25 + 0.5 * shares[:, np.newaxis])
    covered = (low <= shares[:, np.newaxis]) & (shares[:, np.newaxis] <= high)
    assert (chances * covered).sum(axis=1).mean() == pytest.approx(0.95, abs=0.003)
