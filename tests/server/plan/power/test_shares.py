"""The power of tests of shares: published values, the real tests count by count, simulated surveys, and the edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from hushpoll_server.estimate.groups.comparison import Group, compare_groups
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.support import SupportDesign, Tally
from hushpoll_server.estimate.yes_no_designs import YesNoDesign, estimate_design, forced, kuk
from hushpoll_server.plan.power.case import NOTHING_TO_FIND
from hushpoll_server.plan.power.shares import (
    ChangeCase,
    DifferenceCase,
    ShareCase,
    rejected,
)
from hushpoll_server.plan.sizes import PlanError

TWO_COINS, OTHER = forced("1/2", "1/2"), forced("3/4", "1/2")
WARNER, DIRECT = TWO_COINS.support, kuk(1, 0).support


def two(shares: tuple[float, float], design: SupportDesign = WARNER, ratio: float = 1.0) -> DifferenceCase:
    return DifferenceCase(shares=shares, designs=(design, design), ratio=ratio)


def test_direct_questions_have_the_published_sizes() -> None:
    # R, help of power.prop.test: n = 50, .50 against .75 has a power of .740; for .90 it takes 76.7 in each group.
    case = two((0.5, 0.75), DIRECT)
    assert case.approximate(50) == pytest.approx(0.740, abs=5e-4)
    assert case.approximate(76) < 0.9 <= case.approximate(77)
    # .5 against .6 with a power of .8: 387.3
    assert two((0.5, 0.6), DIRECT).smallest(0.8).n == (388, 388)


def test_the_power_of_a_share_is_the_formula_of_the_score_test() -> None:
    case = ShareCase(share=0.3, value=0.2, design=WARNER)
    for n in (100, 3000):
        null, true = (math.sqrt(rate * (1 - rate) / n) / 0.5 for rate in (0.35, 0.4))
        wanted = stats.norm.sf((1.959963984540054 * null - 0.1) / true)
        wanted += stats.norm.cdf((-1.959963984540054 * null - 0.1) / true)
        assert case.approximate(n) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("n", [1, 40, 150])
def test_a_share_is_enumerated_with_the_intervals_that_estimate_shows(n: int) -> None:
    case, power = ShareCase(share=0.6, value=0.2, design=WARNER, alpha=0.1), 0.0
    for yes in range(n + 1):
        [cell] = estimate_design(yes, n, TWO_COINS, options=Options(level=0.9)).cells
        assert cell.low is not None
        assert cell.high is not None
        if not cell.low <= 0.2 <= cell.high:
            power += float(stats.binom.pmf(yes, n, 0.55))
    assert case.at(n).power == pytest.approx(power, abs=1e-12)
    assert case.at(n).method == "exact"


def turned(tally: Tally) -> Tally:
    """Return the same counts, of the reports that are more frequent among holders."""
    return Tally(tally.count, tally.n, tally.design if tally.design.gap > 0 else tally.design.relabelled())


@pytest.mark.parametrize("designs", [(TWO_COINS, TWO_COINS), (TWO_COINS, OTHER), (kuk("1/4", "3/4"), TWO_COINS)])
@pytest.mark.parametrize("sizes", [(12, 12), (60, 25), (150, 150)])
def test_the_enumerated_test_is_that_of_compare_groups(
    sizes: tuple[int, int], designs: tuple[YesNoDesign, YesNoDesign]
) -> None:
    rng, alpha = np.random.default_rng(5), 0.05
    one, other = (Tally(np.arange(n + 1), n, design.support) for n, design in zip(sizes, designs, strict=True))
    is_rejected = rejected(turned(one), turned(other), alpha)
    for _ in range(60):
        counts = [int(rng.integers(0, n + 1)) for n in sizes]
        places = [n - c if d.p < d.q else c for c, n, d in zip(counts, sizes, designs, strict=True)]
        groups = [
            Group(name=name, yes=count, n=n, design=design)
            for name, count, n, design in zip("ab", counts, sizes, designs, strict=True)
        ]
        p_value = compare_groups(groups).differences[0].difference.p_value
        assert p_value is not None
        assert is_rejected[places[0], places[1]] == (p_value < alpha), (counts, p_value)


def test_the_smallest_size_is_reached_from_there_on_and_missed_before() -> None:
    case = two((0.3, 0.6))
    [n, _] = case.smallest(0.8).n
    assert case.at(n).method == "exact"
    assert all(case.exact(size) >= 0.8 for size in range(n, 201))
    assert case.exact(n - 1) < 0.8
    large = two((0.3, 0.2))
    [n, _] = large.smallest(0.8).n
    assert large.approximate(n - 1) < 0.8 <= large.approximate(n)


@pytest.mark.parametrize("case", [two((0.3, 0.2)), two((0.0, 1.0)), two((0.5, 0.51), ratio=3.0)])
def test_the_approximation_rises_with_the_size(case: DifferenceCase) -> None:
    powers = [case.approximate(n) for n in [*range(1, 400), 1000, 10**5, 10**9]]
    assert powers == sorted(powers)


def test_a_second_group_that_is_rounded_up_does_not_break_the_promise() -> None:
    case = two((0.01, 0.3), ratio=0.07)
    [n, _] = case.smallest(0.8).n
    assert n > 200
    assert case.approximate(n - 1) < 0.8
    assert all(case.approximate(size) >= 0.8 for size in range(n, n + 400))


@pytest.mark.parametrize(
    ("sizes", "shares", "designs"),
    [
        ((400, 400), (0.3, 0.5), (TWO_COINS, TWO_COINS)),
        ((300, 900), (0.2, 0.4), (TWO_COINS, TWO_COINS)),
        ((400, 400), (0.3, 0.45), (TWO_COINS, OTHER)),
    ],
)
def test_simulated_surveys_find_a_difference_as_often_as_planned(
    sizes: tuple[int, int], shares: tuple[float, float], designs: tuple[YesNoDesign, YesNoDesign]
) -> None:
    # Enumerated, not drawn: the probability that the real test rejects. The normal law is off by .02 at most here.
    one, other = (design.support for design in designs)
    case = DifferenceCase(shares=shares, designs=(one, other), ratio=sizes[1] / sizes[0])
    assert case.sizes(sizes[0]) == sizes
    assert case.at(sizes[0]).method == "normal"
    assert case.exact(sizes[0]) == pytest.approx(case.at(sizes[0]).power, abs=0.02)


def test_two_waves_gain_from_reports_that_are_correlated() -> None:
    apart, together = (
        ChangeCase(shares=(0.3, 0.2), design=WARNER, correlation=correlation) for correlation in (0.0, 0.5)
    )
    assert apart.smallest(0.8).n[0] > 1.9 * together.smallest(0.8).n[0]
    # The closed form: n = (z + z')² (v₁ + v₂ - 2ρ√(v₁v₂))/D², the other tail is below 10⁻⁶
    v, w = 0.4 * 0.6 / 0.25, 0.35 * 0.65 / 0.25
    n = (1.959964 + 0.841621) ** 2 * (v + w - 2 * 0.5 * math.sqrt(v * w)) / 0.01
    assert together.smallest(0.8).n == (math.ceil(n),)


def test_where_nothing_is_to_be_found_the_power_is_the_size_and_no_n_is_enough() -> None:
    power = two((0.3, 0.3)).at(5000)
    assert power.power == pytest.approx(0.05)
    assert power.warnings == (NOTHING_TO_FIND,)
    with pytest.raises(PlanError, match="nothing to find"):
        two((0.3, 0.3)).smallest(0.8)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: two((0.3, 1.2)), "not between 0 and 1"),
        (lambda: two((0.3, 0.2), ratio=0.0), "ratio"),
        (lambda: DifferenceCase(shares=(0.3, 0.2), designs=(WARNER, WARNER), alpha=0.0), "alpha"),
        (lambda: ChangeCase(shares=(0.0, 1.0), design=WARNER, correlation=0.9), "cannot have the correlation"),
        (lambda: two((0.3, 0.2)).at(0), "not between 1 and"),
        (lambda: two((0.3, 0.2)).smallest(1.0), "not between alpha"),
        (lambda: two((0.3, 0.3 + 1e-12)).smallest(0.8), "takes more than"),
    ],
)
def test_what_cannot_be_planned_is_refused_with_the_cure(make: object, says: str) -> None:
    assert callable(make)
    with pytest.raises(PlanError, match=says):
        make()


def test_one_respondent_and_shares_at_the_ends_have_a_power() -> None:
    for case in (two((0.0, 1.0), DIRECT), two((0.0, 0.0)), ShareCase(share=1.0, value=0.0, design=DIRECT)):
        for n in (1, 2, 10**6):
            assert 0 <= case.at(n).power <= 1
