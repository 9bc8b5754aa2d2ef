"""Intervals that hold for all cells at once, and limits that hold at every look."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special, stats

from hushpoll_server.estimate.anytime import anytime_limits
from hushpoll_server.estimate.shares import estimate_shares, share_limits
from hushpoll_server.estimate.support import SupportDesign, Tally

FOUR_WAY = SupportDesign(math.e / (math.e + 3), 1 / (math.e + 3))
FOUR_CELLS = [("1", 380, 1000), ("2", 270, 1000), ("3", 200, 1000), ("4", 150, 1000)]
TWO_COINS = SupportDesign(0.75, 0.25)
SIX_DIGITS = 5.1e-7


def test_exact_limits_of_all_cells_are_the_published_ones() -> None:
    result = estimate_shares(FOUR_CELLS, FOUR_WAY, epsilon=1, method="exact", coverage="simultaneous")
    assert (result.cells[0].low, result.cells[0].high) == pytest.approx((0.555432, 0.813468), abs=SIX_DIGITS)
    assert result.to_json()["coverage"] == "simultaneous"


def test_limits_of_all_cells_are_goodmans_from_a_thousand_reports() -> None:
    result = estimate_shares(FOUR_CELLS, FOUR_WAY, epsilon=1, coverage="simultaneous")
    assert result.method == "wilson"
    # Goodman 1965: (A + 2c ∓ √(A (A + 4c(n - c)/n))) / (2(n + A)), A = χ²₁ at α/k
    a, n = stats.chi2.ppf(1 - 0.05 / 4, 1), 1000
    for cell in result.cells:
        c = cell.count
        root = math.sqrt(a * (a + 4 * c * (n - c) / n))
        rates = [(a + 2 * c + sign * root) / (2 * (n + a)) for sign in (-1, 1)]
        assert (cell.low, cell.high) == pytest.approx([FOUR_WAY.share(rate) for rate in rates])


@pytest.mark.parametrize(("n", "method"), [(200, "exact"), (1000, "wilson"), (5000, "wilson")])
def test_all_cells_are_held_together_as_often_as_promised(n: int, method: str) -> None:
    # Seeded; the standard error of a coverage of .95 over 4,000 surveys is .35 points.
    shares = np.array([0.5, 0.3, 0.15, 0.05, 0.0])
    design = SupportDesign(math.e / (math.e + 4), 1 / (math.e + 4))
    counts = np.random.default_rng(8).multinomial(n, design.rate(shares), size=4000)
    together = {level: held_together(counts, n, design, shares, level) for level in (0.95, 1 - 0.05 / 5)}
    assert 0.77 <= together[0.95][method] <= 0.87
    assert 0.947 <= together[0.99][method] <= 0.98


def held_together(
    counts: NDArray[np.int64], n: int, design: SupportDesign, shares: NDArray[np.float64], level: float
) -> dict[str, float]:
    """Return how often all intervals contain their shares at once, by method."""
    limits = {method: share_limits(Tally(counts, n, design), level, method) for method in ("wilson", "exact")}
    return {
        method: float(((each.low <= shares) & (shares <= each.high)).all(axis=1).mean())
        for method, each in limits.items()
    }


def test_anytime_limits_are_the_published_ones() -> None:
    result = estimate_shares([("yes", 400, 1000)], TWO_COINS, epsilon=math.log(3), coverage="anytime")
    assert (result.cells[0].low, result.cells[0].high) == pytest.approx((0.188930, 0.414617), abs=SIX_DIGITS)
    assert (result.method, result.coverage) == ("mixture", "anytime")


@pytest.mark.parametrize(("count", "n"), [(0, 1), (1, 1), (0, 50), (50, 50), (7, 50), (10**8, 10**9)])
def test_at_an_anytime_limit_the_bet_has_won_what_the_level_asks(count: int, n: int) -> None:
    limits = anytime_limits(count, n, 0.95)
    assert limits.low <= count / n <= limits.high
    for rate in {float(limits.low), float(limits.high)} - {0.0, 1.0}:
        likelihood = special.xlogy(count, rate) + special.xlog1py(n - count, -rate)
        wealth = special.betaln(0.5 + count, 0.5 + n - count) - special.betaln(0.5, 0.5) - likelihood
        assert wealth == pytest.approx(math.log(20), abs=1e-6)


def test_sixty_looks_miss_rarely_with_anytime_limits_and_often_with_fixed_ones() -> None:
    random, looks = np.random.default_rng(9), np.unique(np.geomspace(20, 2000, 60).astype(int))
    supporting = np.cumsum(random.random((1500, 2000)) < TWO_COINS.rate(0.3), axis=1)[:, looks - 1]
    tally = Tally(supporting, np.broadcast_to(looks, supporting.shape), TWO_COINS)
    anytime, fixed = (share_limits(tally, 0.95, method) for method in ("mixture", "wilson"))
    missed = [((each.low > 0.3) | (each.high < 0.3)).any(axis=1).mean() for each in (anytime, fixed)]
    assert missed[0] <= 0.05
    assert missed[1] >= 0.3


def test_looking_often_at_a_census_that_fills_up_is_safe_too() -> None:
    # Without replacement the bet is not a martingale; it wins even less, as simulation shows.
    random, looks = np.random.default_rng(10), np.unique(np.geomspace(20, 1000, 40).astype(int))
    nearly_the_truth, truth = SupportDesign(0.95, 0.05), np.arange(1000) < 300
    people = random.permuted(np.tile(truth, (1000, 1)), axis=1)
    reports = random.random(people.shape) < np.where(people, 0.95, 0.05)
    supporting = np.cumsum(reports, axis=1)[:, looks - 1]
    limits = share_limits(
        Tally(supporting, np.broadcast_to(looks, supporting.shape), nearly_the_truth), 0.95, "mixture"
    )
    assert ((limits.low > 0.3) | (limits.high < 0.3)).any(axis=1).mean() <= 0.05


def test_anytime_limits_say_that_they_leave_the_population_unused() -> None:
    result = estimate_shares([("yes", 40, 100)], TWO_COINS, epsilon=1, population=200, coverage="anytime")
    assert any("ignore the population's size" in sentence for sentence in result.warnings)
