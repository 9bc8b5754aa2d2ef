"""Differences of shares: the test agrees with the interval, and does not reject too often."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from hushpoll_server.estimate.combine import Combined
from hushpoll_server.estimate.groups.differences import difference_between
from hushpoll_server.estimate.shares import estimate_yes_no
from hushpoll_server.estimate.support import SupportDesign


def warner(epsilon: float) -> SupportDesign:
    """Return Warner's design."""
    p = 1 / (1 + math.exp(-epsilon))
    return SupportDesign(p, 1 - p)


def compared(
    first: tuple[int, int], second: tuple[int, int], designs: tuple[SupportDesign, SupportDesign], level: float = 0.95
) -> Combined:
    """Return the difference of two groups, each with its count and its number of reports."""
    one, other = (
        estimate_yes_no(*counted, design, epsilon=1) for counted, design in zip((first, second), designs, strict=True)
    )
    return difference_between(one, "yes", other, "yes", level=level)


@pytest.mark.parametrize("counts", [(70, 50), (50, 70), (100, 10), (3, 97)])
@pytest.mark.parametrize("population", [None, 150])
def test_the_p_value_is_where_the_interval_reaches_zero(counts: tuple[int, int], population: int | None) -> None:
    one, other = (
        estimate_yes_no(count, 100, warner(epsilon), epsilon=1, population=population)
        for count, epsilon in zip(counts, (1.0, 3.0), strict=True)
    )
    found = difference_between(one, "yes", other, "yes")
    assert found.p_value is not None
    at = difference_between(one, "yes", other, "yes", level=1 - found.p_value) if found.p_value > 1e-6 else None
    if at is not None:
        assert min(abs(at.low), abs(at.high)) == pytest.approx(0, abs=1e-6)
    assert (found.p_value < 0.05) == (found.low > 0 or found.high < 0)


@pytest.mark.parametrize(
    ("epsilons", "sizes", "before"), [((1.0, 4.0), (30, 30), 0.079), ((4.0, 8.0), (30, 30), 0.575)]
)
def test_equal_shares_are_called_different_about_as_often_as_the_level_says(
    epsilons: tuple[float, float], sizes: tuple[int, int], before: float
) -> None:
    # By enumeration at the shares where the test of a difference over its standard error rejected most often.
    designs = warner(epsilons[0]), warner(epsilons[1])
    for share in (0.0, 0.5):
        chances = [
            stats.binom.pmf(np.arange(n + 1), n, design.rate(share)) for n, design in zip(sizes, designs, strict=True)
        ]
        likely = [np.flatnonzero(each > 1e-3) for each in chances]
        rejected = sum(
            chances[0][i] * chances[1][j]
            for i in likely[0]
            for j in likely[1]
            if (compared((int(i), sizes[0]), (int(j), sizes[1]), designs).p_value or 0) < 0.05
        )
        assert rejected <= 0.062 < before


def test_groups_with_equal_designs_and_enough_reports_have_the_ordinary_test() -> None:
    designs = warner(1), warner(1)
    found = compared((56, 70), (48, 80), designs)
    table = np.array([[56, 14], [48, 32]])
    assert found.p_value == pytest.approx(stats.chi2_contingency(table, correction=False).pvalue)
    # With one report expected the ordinary test would reject in 8 % of such surveys.
    few = compared((1, 30), (0, 300), (warner(8), warner(8)))
    assert (few.p_value or 0) > stats.chi2_contingency(np.array([[1, 29], [0, 300]]), correction=False).pvalue


def test_a_difference_beyond_all_doubt_has_a_p_value_that_is_not_zero() -> None:
    found = compared((9000, 10_000), (100, 10_000), (warner(1), warner(4)))
    assert 0 < (found.p_value or 0) <= 1e-11
