"""Cross tables from counts: the Kronecker inverse, its covariances, Pearson's test, odds ratios, cases at the edge."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.support import SupportDesign
from hushpoll_server.estimate.tables.crosstab import Crosstab, estimate_crosstab
from hushpoll_server.estimate.tables.sides import Side
from hushpoll_server.estimate.yes_no_designs import YesNoDesign, forced, kuk, mangat

TWO_COINS = forced("1/2", "1/2")
TABLE = [[300, 200], [200, 300]]


def crossed(table: list[list[int]], design: YesNoDesign = TWO_COINS) -> Crosstab:
    """Cross two yes/no questions with the same design."""
    return estimate_crosstab(table, Side.yes_no(design), Side.yes_no(design))


@pytest.mark.parametrize("design", [TWO_COINS, forced("0.7", "0.3"), kuk("0.2", "0.8"), mangat("0.7")])
def test_the_estimates_are_the_means_of_products_report_by_report(design: YesNoDesign) -> None:
    table, p, q = np.array([[310, 170], [220, 300]]), float(design.p), float(design.q)
    z = {("yes", "yes"): (1 - q) / (p - q), ("yes", "no"): -q / (p - q)}
    z |= {("no", said): 1 - z["yes", said] for said in ("yes", "no")}
    for cell, (row, column) in zip(
        crossed(table.tolist(), design).cells, product(("yes", "no"), repeat=2), strict=True
    ):
        values = np.array([[z[row, i] * z[column, j] for j in ("yes", "no")] for i in ("yes", "no")])
        mean = float((table * values).sum() / 1000)
        assert (cell.row, cell.column) == (row, column)
        assert cell.estimate == pytest.approx(mean)
        assert cell.se == pytest.approx(math.sqrt(float((table * (values - mean) ** 2).sum()) / 1000 / 1000))
        assert (cell.low or 0) < mean < (cell.high or 0)


def test_the_rates_of_known_shares_are_turned_back_into_them() -> None:
    # 1,600 people at odds of 3:1 on each question; (P ⊗ P) f is whole in every cell.
    shares, matrix = np.array([0.5, 0.125, 0.125, 0.25]), np.array([[3, 1], [1, 3]]) / 4
    counts = (1600 * np.kron(matrix, matrix) @ shares).reshape(2, 2)
    crosstab = crossed(counts.round().astype(int).tolist())
    assert [cell.estimate for cell in crosstab.cells] == pytest.approx(shares.tolist())
    assert crosstab.odds_ratio is not None
    assert crosstab.odds_ratio.estimate == pytest.approx(0.5 * 0.25 / 0.125**2)
    assert [cell.estimate for cell in crosstab.row_margins] == pytest.approx([0.625, 0.375])


def test_independence_is_pearsons_test_of_the_randomized_table() -> None:
    for table, design in ((TABLE, TWO_COINS), ([[300, 100], [250, 350]], forced("0.7", "0.3"))):
        test, expected = crossed(table, design).independence, stats.chi2_contingency(table, correction=False)
        assert test is not None
        assert test.degrees == 1
        assert test.statistic == pytest.approx(float(expected.statistic))
        assert test.p_value == pytest.approx(expected.pvalue)


def test_the_error_of_the_log_odds_ratio_is_that_of_simulated_tables() -> None:
    # Seeded. 4,000 tables: the deviation of ln OR is known to 1.1 % (one error); the delta method errs a little, too.
    shares, matrix = np.array([0.4, 0.2, 0.1, 0.3]), np.array([[3, 1], [1, 3]]) / 4
    rates = np.kron(matrix, matrix) @ shares
    tables = np.random.default_rng(3).multinomial(20_000, rates, 4000) / 20_000
    logs = np.log(tables @ np.linalg.inv(np.kron(matrix, matrix)).T) @ [1, -1, -1, 1]
    ratio = crossed((20_000 * rates).round().astype(int).reshape(2, 2).tolist()).odds_ratio
    assert ratio is not None
    assert ratio.se / ratio.estimate == pytest.approx(float(logs.std()), rel=0.08)


def test_more_than_two_answers_have_no_single_odds_ratio() -> None:
    first, second = Side.names_one(2, SupportDesign(0.75, 0.25)), Side.names_one(3, SupportDesign(0.6, 0.2))
    crosstab = estimate_crosstab([[300, 200, 100], [200, 300, 50]], first, second)
    assert crosstab.odds_ratio is None
    assert any("two rows and two columns only" in warning for warning in crosstab.warnings)
    assert sum(cell.estimate or 0 for cell in crosstab.cells) == pytest.approx(1)
    assert crosstab.independence is not None
    assert crosstab.independence.degrees == 2


def test_exchanged_reports_of_a_design_below_one_half_are_the_same_table() -> None:
    above, below = (
        crossed([[310, 170], [220, 300]], kuk("0.8", "0.2")),
        crossed([[300, 220], [170, 310]], kuk("0.2", "0.8")),
    )
    for one, other in zip(above.cells, below.cells, strict=True):
        figures, others = ([cell.estimate, cell.se, cell.low, cell.high] for cell in (one, other))
        assert figures == pytest.approx(others)


@pytest.mark.parametrize("design", [TWO_COINS, forced("0.7", "0.3"), mangat("0.7"), kuk("0.2", "0.8")])
@pytest.mark.parametrize("table", [[[1, 0], [0, 0]], [[0, 0], [0, 500]], [[10, 0], [0, 10]], [[5, 5], [0, 0]]])
def test_tables_at_the_boundary_have_finite_figures_and_reasons(design: YesNoDesign, table: list[list[int]]) -> None:
    crosstab = crossed(table, design)
    n = sum(map(sum, table))
    for cell in crosstab.cells:
        assert all(math.isfinite(value or 0) for value in (cell.estimate, cell.se, cell.low, cell.high))
        assert (cell.se or 0) > 0.1 / (n + 1)
        assert (cell.low or 0) < (cell.high or 0)
    assert crosstab.odds_ratio is not None or crosstab.warnings


def test_no_reports_have_no_figures() -> None:
    crosstab = crossed([[0, 0], [0, 0]])
    assert {cell.estimate for cell in crosstab.cells} == {None}
    assert (crosstab.n, crosstab.independence, crosstab.odds_ratio) == (0, None, None)
    assert "No reports yet" in crosstab.warnings[0]


@pytest.mark.parametrize("table", [[[1, 2]], [[1, 2], [3, -4]], [[1, 2, 3], [4, 5, 6]]])
def test_counts_that_are_no_table_of_the_two_questions_are_refused(table: list[list[int]]) -> None:
    with pytest.raises(EstimateError, match="give"):
        crossed(table)
