"""Two questions asked separately: the shares of pairs are unbiased, and their variance is that of the enumeration."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats
from tests.statistics import laws
from tests.statistics.crossed import TwoLaws
from tests.statistics.laws import Figures

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.joint import NAMES_ONE
from hushpoll_server.estimate.tables.cross_separate import CrossCounts, CrossedQuestion
from hushpoll_server.mechanisms.projective import ProjectiveMechanism

# Odds that make all probabilities short binary fractions: 3/4; 1/2 and 1/4; 3/4 over the six pairs of four.
WARNER, NAMED, SETS = laws.subset(2, 1, 3), laws.subset(3, 1, 2), laws.subset(4, 2, 3)
WAVES = laws.repeated(3, 6, 6)
ALL = {
    "two answers each": TwoLaws(WARNER, WARNER),
    "one named": TwoLaws(WARNER, NAMED),
    "sets": TwoLaws(SETS, NAMED),
    "sets of both": TwoLaws(SETS, laws.subset(5, 3, 2)),
    "waves": TwoLaws(WAVES, WARNER),
    "strong and weak": TwoLaws(laws.subset(3, 1, 1.05), laws.subset(4, 2, 1e6)),
}
every_design = pytest.mark.parametrize("two", ALL.values(), ids=ALL)


def uneven(two: TwoLaws) -> Figures:
    """Return true shares of associated answers, in parts of 256."""
    shape = (len(two.first.holds), len(two.second.holds))
    parts = np.arange(1, 1 + math.prod(shape))
    parts[-1] += 256 - parts.sum()
    return parts.reshape(shape) / 256


def report_values(two: TwoLaws) -> Figures:
    """Return the value of every report for every pair of answers: reports × reports × rows × columns."""
    kinds = len(two.first.supports), len(two.second.supports)
    worth = np.zeros((*kinds, len(two.first.holds), len(two.second.holds)))
    for place in product(*map(range, kinds)):
        reports = np.zeros(kinds)
        reports[place] = 1
        worth[place] = two.table(reports).shares
    return worth


@every_design
def test_whatever_the_two_answers_are_the_expected_table_is_the_truth(two: TwoLaws) -> None:
    worth = report_values(two)
    for u, v in product(range(len(two.first.holds)), range(len(two.second.holds))):
        truths = np.zeros(worth.shape[2:])
        truths[u, v] = 1
        mean = np.einsum("rs,rsij->ij", two.chances(truths), worth)
        assert mean == pytest.approx(truths, abs=1e-9 * np.abs(worth).max())


@pytest.mark.parametrize("name", ["two answers each", "one named", "sets"])
def test_variances_and_covariances_are_those_of_all_possible_reports(name: str) -> None:
    two, n = ALL[name], 3**4 * 2**18
    truths, worth = uneven(two), report_values(two)
    chances, table = two.chances(truths), two.expected(truths, n)
    assert table.shares == pytest.approx(truths, abs=1e-9)
    flat = worth.reshape(-1, truths.size)
    moments = np.einsum("r,ri,rj->ij", chances.ravel(), flat, flat)
    exact = (moments - np.outer(truths.ravel(), truths.ravel())) / n
    assert table.covariances() == pytest.approx(exact, rel=1e-9, abs=1e-15)
    assert table.variance().ravel() == pytest.approx(np.diag(exact), rel=1e-9)


@pytest.mark.parametrize("two", [TwoLaws(WARNER, NAMED), TwoLaws(NAMED, laws.subset(4, 1, 5)), TwoLaws(WAVES, NAMED)])
def test_one_named_answer_each_gives_the_inverse_of_the_kronecker_product(two: TwoLaws) -> None:
    [table] = two.surveys(uneven(two), 700, 1, seed=21)
    channel = np.kron(two.first.chances.T, two.second.chances.T)
    rates = table.both.ravel() / table.n
    inverse = np.linalg.inv(channel)
    assert table.shares.ravel() == pytest.approx(inverse @ rates, abs=1e-9)
    covariance = inverse @ (np.diag(rates) - np.outer(rates, rates)) @ inverse.T / table.n
    assert table.covariances() == pytest.approx(covariance, rel=1e-6, abs=1e-12)


@every_design
def test_the_plug_in_variance_is_that_of_the_four_values(two: TwoLaws) -> None:
    [table] = two.surveys(uneven(two), 400, 1, seed=22)
    quarters = np.stack(table.quarters)
    assert (quarters.sum(axis=0) == 400).all()
    mean = np.tensordot(table.values, quarters, 1) / 400
    spread = np.tensordot(table.values**2, quarters, 1) / 400 - mean**2
    assert table.variance() == pytest.approx(spread / 400, rel=1e-6)
    assert np.diag(table.covariances()) == pytest.approx(table.variance().ravel(), rel=1e-6)


@every_design
def test_rows_and_columns_add_up_to_the_shares_of_each_question(two: TwoLaws) -> None:
    [table] = two.surveys(uneven(two), 300, 1, seed=23)
    scale = np.abs(table.shares).max()
    assert table.shares.sum(axis=1) == pytest.approx(table.first.shares(300), abs=1e-9 * scale)
    assert table.shares.sum(axis=0) == pytest.approx(table.second.shares(300), abs=1e-9 * scale)


def test_in_a_census_the_randomizing_alone_is_left() -> None:
    two, n = ALL["sets"], 3**4 * 2**18
    truths, worth = uneven(two), report_values(two)
    census, half = (two.expected(truths, n, population=size) for size in (n, 2 * n))
    noise = np.zeros(truths.shape)
    for u, v in product(*map(range, truths.shape)):
        held = np.zeros(truths.shape)
        held[u, v] = 1
        chances = two.chances(held)
        mean = np.einsum("rs,rsij->ij", chances, worth)
        noise += truths[u, v] * (np.einsum("rs,rsij->ij", chances, worth**2) - mean**2)
    assert census.variance() == pytest.approx(noise / n, rel=1e-9)
    boundless = two.expected(truths, n).variance()
    assert half.variance() == pytest.approx((census.variance() + boundless) / 2, rel=1e-9)


def test_a_spinner_below_one_half_gives_the_same_table() -> None:
    two = TwoLaws(WARNER, NAMED)
    [table] = two.surveys(uneven(two), 500, 1, seed=24)
    first = table.first
    turned = CrossedQuestion(first.name, first.cells, first.design.relabelled(), first.joint, table.n - first.counts)
    same = CrossCounts(turned, table.second, table.second.counts - table.both, table.n)
    assert same.shares == pytest.approx(table.shares)
    assert same.variance() == pytest.approx(table.variance())
    assert same.covariances() == pytest.approx(table.covariances())
    assert same.independence().statistic == pytest.approx(table.independence().statistic)


@pytest.mark.parametrize("two", [TwoLaws(WARNER, WARNER), TwoLaws(NAMED, WAVES), TwoLaws(WARNER, NAMED)])
def test_with_one_named_answer_each_the_test_is_pearsons_on_the_randomized_table(two: TwoLaws) -> None:
    [table] = two.surveys(uneven(two), 500, 1, seed=25)
    expected = stats.chi2_contingency(table.both, correction=False)
    found = table.independence()
    assert found.degrees == expected.dof
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)


@pytest.mark.parametrize("name", ["one named", "sets", "sets of both"])
@pytest.mark.parametrize("n", [100, 1000])
def test_independent_answers_are_rejected_as_rarely_as_the_level_says(name: str, n: int) -> None:
    # Seeded; the standard error of a size of .05 over 1,000 tests is .7 points.
    two = ALL[name]
    margins = uneven(two)
    truths = np.outer(margins.sum(axis=1), margins.sum(axis=0))
    outcomes = [table.independence() for table in two.surveys(truths, n, 1000, seed=26)]
    assert 0.03 <= np.mean([outcome.p_value < 0.05 for outcome in outcomes]) <= 0.075
    assert 0.93 <= np.mean([outcome.statistic / outcome.degrees for outcome in outcomes]) <= 1.07


@pytest.mark.parametrize("name", ["two answers each", "sets"])
def test_answers_that_go_together_are_noticed(name: str) -> None:
    two = ALL[name]
    truths = np.full((len(two.first.holds), len(two.second.holds)), 0.02)
    np.fill_diagonal(truths, 1)
    tables = two.surveys(truths / truths.sum(), 8000, 20, seed=27)
    assert all(table.independence().p_value < 0.001 for table in tables)


def test_nothing_is_tested_as_long_as_a_cell_would_hardly_be_reported() -> None:
    two = ALL["one named"]
    [table] = two.surveys(uneven(two), 5, 1, seed=28)
    with pytest.raises(EstimateError, match="collect more"):
        table.independence()


def test_an_answer_that_no_report_names_does_not_break_the_test() -> None:
    never = CrossedQuestion("a", ("x", "y", "z"), NAMED.support, NAMES_ONE, np.array([50, 50, 0]))
    with pytest.raises(EstimateError, match="collect more"):
        CrossCounts(never, never, np.array([[25, 25, 0], [25, 25, 0], [0, 0, 0]]), 100).independence()
    assert np.linalg.eigvalsh(never.covariances(100)).min() > 0


def test_odds_ratios_hold_the_truth_as_often_as_they_say() -> None:
    # Seeded; the standard error of .95 over 400 surveys is 1.1 points.
    two, truths = ALL["one named"], np.array([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]])
    tables = two.surveys(truths, 20_000, 400, seed=29)
    ratios = [table.odds_ratio(("a0", "a1"), ("b0", "b1"), level=0.95) for table in tables]
    assert np.mean([ratio.low <= 6 <= ratio.high for ratio in ratios]) >= 0.92
    assert np.median([ratio.estimate for ratio in ratios]) == pytest.approx(6, rel=0.1)


def test_no_odds_ratio_is_made_from_a_cell_that_is_not_positive() -> None:
    two = ALL["two answers each"]
    table = two.table(np.array([[90.0, 5], [5, 0]]))
    with pytest.raises(EstimateError, match="not positive"):
        table.odds_ratio(("a0", "a1"), ("b0", "b1"), level=0.95)


def test_counts_and_designs_that_cannot_be_are_refused() -> None:
    side = CrossedQuestion("a", ("no", "yes"), WARNER.support, NAMES_ONE, np.array([60, 40]))
    for both in ([[30, 30], [30, 20]], [[70, -10], [-10, 50]], [[60, 40]]):
        with pytest.raises(EstimateError, match="do not match those"):
            CrossCounts(side, side, np.array(both), 100)
    with pytest.raises(EstimateError, match="population 99 is smaller"):
        CrossCounts(side, side, np.array([[40, 20], [20, 20]]), 100, population=99)
    lines = laws.projective(6, 2, 3, math.e)
    assert isinstance(lines.mechanism, ProjectiveMechanism)
    with pytest.raises(EstimateError, match="subset selection"):
        CrossedQuestion("a", tuple("abcdef"), lines.support, lines.mechanism.joint, np.zeros(6, int))
