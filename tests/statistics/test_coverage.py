"""Simulated surveys of every design: the error is what theory says, the interval has its coverage.

All draws are seeded. What 200 surveys can show: the mean squared error of one cell is known to √(2/200) = 10 %, the
mean over k cells that add up to 1 to √(2/(200 (k-1))). The designs here have 12 to 40 cells, so that [0.9, 1.1]
is more than three standard deviations wide; with four cells it would be less than two. Coverage pooled over the cells
is known to √(.05·.95/(200 k)), .45 points or less. 4,000 surveys are judged by tighter limits.
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistics.laws import LAWS, Law, likely_truths

from hushpoll_server.estimate.intervals import Method
from hushpoll_server.estimate.shares import share_limits
from hushpoll_shared.mechanisms import DESIGNS
from hushpoll_shared.mechanisms.design import SupportingDesign

SEED = 20
SIZES = (200, 2000)


@pytest.fixture(params=LAWS, scope="module")
def law(request: pytest.FixtureRequest) -> Law:
    return LAWS[request.param]


def test_every_mechanism_that_supports_answers_is_simulated() -> None:
    supporting = {name for name, design in DESIGNS.items() if issubclass(design, SupportingDesign)}
    assert {law.mechanism.design.NAME for law in LAWS.values()} == supporting


@pytest.mark.parametrize("n", SIZES)
def test_two_hundred_surveys_are_as_good_as_they_say(law: Law, n: int) -> None:
    truths = likely_truths(law)
    shares, random = law.shares(truths), np.random.default_rng(SEED)
    cells = [law.estimate(reports).cells for reports in law.surveys(truths, n, 200, random)]
    estimates, lows, highs = (
        np.array([[getattr(cell, name) for cell in row] for row in cells]) for name in ("estimate", "low", "high")
    )
    theory = true_variance(law, shares, n)
    assert 0.9 <= ((estimates - shares) ** 2).mean() / theory.mean() <= 1.1
    assert (np.abs(estimates.mean(axis=0) - shares) <= 3 * np.sqrt(theory / 200)).all()
    assert 0.94 <= ((lows <= shares) & (shares <= highs)).mean() <= 0.97


@pytest.mark.parametrize("n", SIZES)
def test_in_the_long_run_the_error_is_that_of_theory(law: Law, n: int) -> None:
    truths = likely_truths(law)
    shares = law.shares(truths)
    tally = law.tally(law.surveys(truths, n, 4000, np.random.default_rng(SEED)))
    theory = true_variance(law, shares, n)
    assert ((tally.share - shares) ** 2).mean() / theory.mean() == pytest.approx(1, abs=0.04)
    assert (np.abs(tally.share.mean(axis=0) - shares) <= 3.5 * np.sqrt(theory / 4000)).all()
    # The plug-in standard error divides by n, not by n - 1.
    unbiased = tally.variance() * tally.n / (tally.n - 1)
    assert unbiased.mean() / theory.mean() == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize(
    ("method", "n", "least", "most"),
    [("exact", 200, 0.949, 0.98), ("exact", 2000, 0.949, 0.965), ("wilson", 2000, 0.946, 0.954)],
)
def test_in_the_long_run_the_interval_holds_what_it_promises(
    law: Law, method: Method, n: int, least: float, most: float
) -> None:
    truths = likely_truths(law)
    shares = law.shares(truths)
    tally = law.tally(law.surveys(truths, n, 4000, np.random.default_rng(SEED)))
    limits = share_limits(tally, 0.95, method)
    assert least <= ((limits.low <= shares) & (shares <= limits.high)).mean() <= most


def true_variance(law: Law, shares: np.ndarray, n: int) -> np.ndarray:
    """Return λ(1 - λ)/(n (p - q)²), with the expected number of reports that ask a cell."""
    rates = law.support.rate(shares)
    asked = n * (law.asks.sum(axis=1)[0] / law.asks.shape[1])
    # E[1/n_j] is above 1/E[n_j] by the relative variance of n_j
    inflation = 1 + (1 - asked / n) / asked
    return np.asarray(inflation * rates * (1 - rates) / (asked * law.support.gap**2))
