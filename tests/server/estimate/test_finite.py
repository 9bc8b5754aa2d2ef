"""A population of declared size: the variance by derivation, the limits at both ends, the coverage by enumeration."""

import math
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from hushpoll_server.estimate.finite import EXACT_LIMIT
from hushpoll_server.estimate.intervals import METHODS, Method
from hushpoll_server.estimate.shares import estimate_yes_no, share_limits
from hushpoll_server.estimate.support import SupportDesign, Tally

TWO_COINS = SupportDesign(0.75, 0.25)
CHOICE = SupportDesign(0.5, 0.1)
EPSILON_4 = SupportDesign(math.exp(4) / (1 + math.exp(4)), 1 / (1 + math.exp(4)))


@pytest.mark.parametrize("design", [TWO_COINS, CHOICE, EPSILON_4, SupportDesign(0.2, 0.6)])
@pytest.mark.parametrize(("n", "population", "holders"), [(12, 12, 5), (12, 18, 4), (12, 60, 57), (12, 30, 0)])
def test_variance_is_right_by_enumeration(design: SupportDesign, n: int, population: int, holders: int) -> None:
    chances = count_chances(n, population, holders, design)
    tallies = [Tally(count, n, design, population) for count in range(n + 1)]
    shares, variances = np.array([(tally.share, tally.variance()) for tally in tallies]).T
    share = holders / population
    true_variance = float(chances @ (shares - share) ** 2)
    # Dividing by n instead of n - 1 lowers the sampling part (1 - n/N) of s_z² by one n-th, and nothing else.
    spread = share * (1 - share) * population / (population - 1) + design.privacy_variance(share)
    shortfall = (1 - n / population) * spread / n**2
    assert chances @ shares == pytest.approx(share, abs=1e-12)
    assert chances @ variances == pytest.approx(true_variance - shortfall, rel=1e-9)


@pytest.mark.parametrize("design", [TWO_COINS, CHOICE, EPSILON_4, SupportDesign(0.2, 0.6)])
@pytest.mark.parametrize("count", [0, 50])
def test_reports_that_all_agree_are_as_uncertain_in_a_large_population_as_in_an_infinite_one(
    design: SupportDesign, count: int
) -> None:
    large, infinite = (Tally(count, 50, design, size).standard_error() for size in (10**9, None))
    assert large == pytest.approx(infinite, rel=1e-6)


@pytest.mark.parametrize("count", [0, 40, 100])
def test_a_census_leaves_the_randomizers_variance(count: int) -> None:
    tally = Tally(count, 100, CHOICE, 100)
    assert tally.variance() == pytest.approx(CHOICE.privacy_variance(tally.share) / 100)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("design", [TWO_COINS, CHOICE])
@pytest.mark.parametrize("count", [1, 8, 40, 99])
def test_a_huge_population_is_a_boundless_one(method: Method, design: SupportDesign, count: int) -> None:
    boundless, huge = Tally(count, 100, design), Tally(count, 100, design, 10**11)
    interval, wide = share_limits(boundless, 0.95, method), share_limits(huge, 0.95, method)
    assert huge.variance() == pytest.approx(boundless.variance())
    assert (wide.low, wide.high) == pytest.approx((interval.low, interval.high), abs=1e-8)


@pytest.mark.parametrize("population", [100, 150, 10**6])
@pytest.mark.parametrize("count", [0, 8, 40, 100])
def test_wilsons_limits_are_where_the_score_test_rejects(count: int, population: int) -> None:
    tally, z = Tally(count, 100, CHOICE, population), stats.norm.ppf(0.975)
    interval = share_limits(tally, 0.95, "wilson")
    for limit in (interval.low, interval.high):
        sampling = (1 - 100 / population) * limit * (1 - limit)
        variance = (sampling + CHOICE.privacy_variance(limit)) / 100
        assert (tally.share - limit) ** 2 == pytest.approx(z * z * variance, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_interval_shrinks_as_the_sample_nears_a_census(method: Method) -> None:
    sizes = (10**9, 1000, 200, 120, 100)
    intervals = [share_limits(Tally(40, 100, EPSILON_4, size), 0.95, method) for size in sizes]
    widths = [interval.high - interval.low for interval in intervals]
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.5 * widths[0]


@pytest.mark.parametrize("design", [TWO_COINS, CHOICE, EPSILON_4, SupportDesign(0.2, 0.6)])
@pytest.mark.parametrize(("n", "population"), [(1, 1), (10, 10), (10, 15), (30, 30), (30, 60), (60, 600)])
def test_exact_interval_covers_at_every_possible_share(design: SupportDesign, n: int, population: int) -> None:
    assert worst_coverage("exact", design, n, population) >= 0.95


# Enumerated over 121 shares and epsilon .25 to 4, the worst is .921, at epsilon 4 and N = 150.
@pytest.mark.parametrize("population", [100, 150, 500, 5000])
def test_wilsons_interval_comes_near_its_level_from_a_hundred_reports(population: int) -> None:
    designs = (TWO_COINS, CHOICE, EPSILON_4)
    assert min(worst_coverage("wilson", design, 100, population) for design in designs) >= 0.92


def test_beyond_the_table_the_exact_interval_is_the_binomial_one_and_says_so() -> None:
    n = EXACT_LIMIT + 1
    finite = estimate_yes_no(400, n, TWO_COINS, epsilon=1, method="exact", population=2 * n)
    boundless = estimate_yes_no(400, n, TWO_COINS, epsilon=1, method="exact")
    assert finite.cells[0].low == boundless.cells[0].low
    assert any("ignores the population's size" in sentence for sentence in finite.warnings)


def test_a_simulated_census_misses_as_rarely_as_it_says() -> None:
    # False alarm below 1e-6 (and the seed is fixed): five standard deviations of a count of 4000 trials.
    random = np.random.default_rng(7)
    truth = np.arange(500) < 150
    reports = random.random((4000, 500)) < np.where(truth, EPSILON_4.p, EPSILON_4.q)
    limits = [share_limits(Tally(int(count), 500, EPSILON_4, 500), 0.95, "wilson") for count in reports.sum(axis=1)]
    held = np.mean([limit.low <= 0.3 <= limit.high for limit in limits])
    assert abs(held - 0.95) < 5 * math.sqrt(0.95 * 0.05 / 4000) + 0.01


@cache
def chances_by_drawn(n: int, design: SupportDesign) -> NDArray[np.float64]:
    """Return the law of the supporting count, one row for each number of holders among those asked."""
    rows = []
    for drawn in range(n + 1):
        ours = stats.binom.pmf(np.arange(drawn + 1), drawn, design.p)
        others = stats.binom.pmf(np.arange(n - drawn + 1), n - drawn, design.q)
        rows.append(np.convolve(ours, others))
    return np.array(rows)


def count_chances(n: int, population: int, holders: int, design: SupportDesign) -> NDArray[np.float64]:
    """Return the law of the supporting count by summing over who is sampled and who supports."""
    drawn = stats.hypergeom.pmf(np.arange(n + 1), population, holders, n)
    return np.asarray(drawn @ chances_by_drawn(n, design))


def worst_coverage(method: Method, design: SupportDesign, n: int, population: int) -> float:
    """Return the least chance, over up to 25 possible shares, that the interval contains the share."""
    intervals = [share_limits(Tally(count, n, design, population), 0.95, method) for count in range(n + 1)]
    holders = np.unique(np.linspace(0, population, 25).round().astype(int))
    held = [[limit.low - 1e-12 <= k / population <= limit.high + 1e-12 for limit in intervals] for k in holders]
    chances = [count_chances(n, population, int(k), design) for k in holders]
    return float((np.array(chances) * np.array(held)).sum(axis=1).min())
