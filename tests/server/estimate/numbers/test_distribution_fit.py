"""The most plausible shares of the bins: smooth where reports are few, and the truth where they are many."""

from __future__ import annotations

import numpy as np
import pytest
from tests.server.estimate import square_waves as waves
from tests.statistics.ems import smoothed_shares
from tests.statistics.shapes import kolmogorov, shapes, wasserstein

from hushpoll_server.estimate.numbers.distribution_fit import fit_shares
from hushpoll_server.estimate.support import Figures
from hushpoll_server.mechanisms import Mechanism
from hushpoll_shared.mechanisms import SquareWave


def fit(mechanism: Mechanism[SquareWave], counts: Figures) -> Figures:
    """Return the fitted shares of all answers."""
    return fit_shares(counts, waves.law(mechanism).chances, mechanism.design.bins)


@pytest.mark.parametrize("shape", shapes())
@pytest.mark.parametrize(("n", "worst"), [(2000, 0.04), (200_000, 0.008)])
def test_the_fit_comes_near_every_shape_and_nearer_with_more_reports(shape: str, n: int, worst: float) -> None:
    mechanism, truth = waves.wave("2"), shapes()[shape]
    distances = [wasserstein(fit(mechanism, counts), truth) for counts in waves.surveys(mechanism, truth, n, 3)]
    assert np.mean(distances) < worst


def test_a_share_at_zero_is_found_and_not_smeared() -> None:
    # Expectation maximisation with smoothing gave 8.5 % at epsilon 1, however many reports there were.
    mechanism, truth = waves.wave("1"), shapes()["zero-inflated"]
    counts = 10**8 * truth @ waves.enumerated(mechanism.design)
    assert fit(mechanism, counts)[0] == pytest.approx(truth[0], abs=0.03)


def test_few_reports_of_a_smooth_shape_give_a_smooth_picture() -> None:
    mechanism, truth = waves.wave("1"), shapes()["normal"]
    jumps = [np.abs(np.diff(fit(mechanism, counts))).max() for counts in waves.surveys(mechanism, truth, 500, 10)]
    # The largest step of the true shape is .0026; an inverted wave would jump by .2 and more. With smoothing in every
    # round the median is .005 too.
    assert np.median(jumps) < 0.006
    assert max(jumps) < 0.03


@pytest.mark.parametrize(
    ("shape", "epsilon", "n"),
    [
        ("beta(2, 5)", "0.5", 500),
        ("two peaks", "0.5", 500),
        ("lognormal", "0.5", 500),
        ("two peaks", "1", 500),
        ("lognormal", "0.5", 2000),
        ("lognormal", "2", 2000),
    ],
)
def test_reports_that_tell_little_give_no_worse_picture_than_smoothing_does(shape: str, epsilon: str, n: int) -> None:
    # Without the prior of the roots they are 1.02 to 1.09 times as large, and Kolmogorov's 1.04 to 1.17 times.
    mechanism, truth = waves.wave(epsilon), shapes()[shape]
    surveys = waves.surveys(mechanism, truth, n, 30)
    smoothed = smoothed_shares(surveys, waves.law(mechanism).chances)
    fitted = [fit(mechanism, counts) for counts in surveys]
    for distance, most in ((wasserstein, 1.02), (kolmogorov, 1.04)):
        ours, theirs = (np.mean([distance(shares, truth) for shares in each]) for each in (fitted, smoothed))
        assert ours < most * theirs


@pytest.mark.parametrize("extras", [(), ("decline",), ("decline", "does_not_apply")], ids=len)
@pytest.mark.parametrize("epsilon", ["0.000000001", "1", "8", "40"])
@pytest.mark.parametrize("n", [1, 50, 10**9])
def test_shares_are_numbers_that_add_up_to_one(epsilon: str, extras: tuple[str, ...], n: int) -> None:
    mechanism = waves.wave(epsilon, *extras)
    random = np.random.default_rng(3)
    for counts in (random.multinomial(n, random.dirichlet(np.full(mechanism.design.outputs, 0.1))), None):
        one = np.eye(mechanism.design.outputs)[-1] * n if counts is None else counts.astype(float)
        shares = fit(mechanism, one)
        assert np.isfinite(shares).all()
        assert shares.min() >= 0
        assert shares.sum() == pytest.approx(1)


def test_extras_have_shares_of_their_own() -> None:
    mechanism = waves.wave("2", "decline")
    people = np.append(0.6 * shapes()["two peaks"], 0.4)
    shares = fit(mechanism, 10**6 * people @ waves.enumerated(mechanism.design))
    assert shares[64] == pytest.approx(0.4, abs=0.01)
    assert wasserstein(shares[:64] / shares[:64].sum(), shapes()["two peaks"]) < 0.005


def test_the_same_counts_give_the_same_shares() -> None:
    mechanism = waves.wave("1")
    [counts] = waves.surveys(mechanism, shapes()["heaps"], 300, 1)
    assert np.array_equal(fit(mechanism, counts), fit(mechanism, counts))
