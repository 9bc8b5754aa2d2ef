"""The power of χ² tests: published values, enumeration, and the real tests on simulated reports."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from hushpoll_server.estimate.groups.comparison import equal_shares
from hushpoll_server.estimate.tables.crosstab import estimate_crosstab
from hushpoll_server.estimate.tables.sides import Side
from hushpoll_server.estimate.yes_no_designs import estimate_design, forced, kuk
from hushpoll_server.plan.power.case import chi_square_power
from hushpoll_server.plan.power.shares import DifferenceCase
from hushpoll_server.plan.power.tables import GroupsCase, IndependenceCase, joint_table
from hushpoll_server.plan.sizes import PlanError

TWO_COINS = forced("1/2", "1/2")
WARNER, DIRECT = TWO_COINS.support, kuk(1, 0).support


def test_the_noncentral_law_has_the_published_powers() -> None:
    # R, help of pwr.chisq.test: w = .289, df = 3, N = 100 has a power of .6750777; w = .1, df = 20 takes 2096.079
    # for a power of .8.
    assert chi_square_power(100 * 0.289**2, 3, 0.05) == pytest.approx(0.6750777, abs=1e-7)
    assert chi_square_power(2096 * 0.01, 20, 0.05) < 0.8 < chi_square_power(2097 * 0.01, 20, 0.05)
    for noncentrality in (0.5, 30.0, 9000.0, 20_000.0):
        wanted = stats.ncx2.sf(stats.chi2.isf(0.01, 2), 2, noncentrality)
        assert chi_square_power(noncentrality, 2, 0.01) == pytest.approx(wanted, abs=1e-9)


def test_groups_have_pearsons_noncentrality() -> None:
    case = GroupsCase(shares=(0.2, 0.3, 0.4), designs=(WARNER,) * 3, ratios=(1.0, 2.0, 0.5))
    sizes, rates = np.array([100, 200, 50]), np.array([0.35, 0.4, 0.45])
    table = np.stack((sizes * rates, sizes * (1 - rates)))
    assert case.sizes(100) == tuple(sizes)
    assert case.noncentrality(100) == pytest.approx(stats.chi2_contingency(table, correction=False).statistic)


def test_two_groups_agree_with_the_test_of_a_difference() -> None:
    groups = GroupsCase(shares=(0.3, 0.2), designs=(WARNER, WARNER)).smallest(0.8)
    two = DifferenceCase(shares=(0.3, 0.2), designs=(WARNER, WARNER)).smallest(0.8)
    assert groups.n[0] == pytest.approx(two.n[0], abs=3)


def test_simulated_groups_differ_as_often_as_planned() -> None:
    case, rng, times = GroupsCase(shares=(0.2, 0.35, 0.5), designs=(WARNER,) * 3), np.random.default_rng(8), 600
    n = case.smallest(0.8).n[0]
    drawn = rng.binomial(n, [WARNER.rate(share) for share in case.shares], (times, 3)).tolist()
    found = 0
    for counts in drawn:
        results = [estimate_design(count, n, TWO_COINS, name=f"{i}") for i, count in enumerate(counts)]
        test = equal_shares(results)
        assert test is not None
        found += test.p_value < 0.05
    # Four standard errors of 600 surveys: a false alarm once in 16,000 seeds.
    assert found / times == pytest.approx(0.8, abs=4 * 0.0164)


def test_the_table_has_its_margins_and_its_odds_ratio() -> None:
    for ratio in (0.01, 0.5, 1.0, 3.0, 1e4):
        table = joint_table(0.3, 0.4, ratio)
        assert [table[0].sum(), table[:, 0].sum(), table.sum()] == pytest.approx([0.3, 0.4, 1])
        assert table[0, 0] * table[1, 1] / (table[0, 1] * table[1, 0]) == pytest.approx(ratio)


def test_independence_is_enumerated_with_the_test_of_crosstab() -> None:
    case, side = IndependenceCase(shares=(0.5, 0.4), odds_ratio=15.0, designs=(WARNER, WARNER)), Side.yes_no(TWO_COINS)
    n, power, law = 9, 0.0, stats.multinomial(9, case.rates.ravel())
    for a in range(n + 1):
        for b in range(n + 1 - a):
            for c in range(n + 1 - a - b):
                counts = [[a, b], [c, n - a - b - c]]
                test = estimate_crosstab(counts, side, side).independence
                if test is not None and test.p_value < 0.05:
                    power += float(law.pmf(np.ravel(counts)))
    assert case.at(n).power == pytest.approx(power, abs=1e-12)
    assert case.at(n).method == "exact"


def test_the_noncentral_law_is_near_the_enumeration() -> None:
    case = IndependenceCase(shares=(0.5, 0.5), odds_ratio=10.0, designs=(DIRECT, DIRECT))
    assert case.exact(60) == pytest.approx(case.approximate(60), abs=0.02)
    strong = IndependenceCase(shares=(0.5, 0.5), odds_ratio=30.0, designs=(WARNER, WARNER))
    assert strong.exact(60) == pytest.approx(strong.approximate(60), abs=0.02)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: GroupsCase(shares=(0.3,), designs=(WARNER,)), "two shares or more"),
        (lambda: GroupsCase(shares=(0.3, 0.2), designs=(WARNER,)), "two shares or more"),
        (
            lambda: IndependenceCase(shares=(0.0, 0.2), odds_ratio=2.0, designs=(WARNER, WARNER)),
            "associated with nothing",
        ),
        (lambda: IndependenceCase(shares=(0.3, 0.2), odds_ratio=0.0, designs=(WARNER, WARNER)), "odds ratio"),
    ],
)
def test_what_cannot_be_planned_is_refused_with_the_cure(make: object, says: str) -> None:
    assert callable(make)
    with pytest.raises(PlanError, match=says):
        make()
