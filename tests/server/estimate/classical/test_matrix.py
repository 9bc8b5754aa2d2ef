"""A matrix of one's own: exact probabilities in, unbiased shares out, whatever the numbers of reports."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest

from hushpoll_server.estimate.classical.matrix_design import NO_EPSILON, MatrixDesign
from hushpoll_server.estimate.classical.matrix_shares import estimate_matrix
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.yes_no_designs import estimate_design, kuk

WIDE = MatrixDesign.of([["1/2", "1/4", "1/8", "1/8"], ["1/8", "1/2", "1/4", "1/8"], ["1/8", "1/8", "1/4", "1/2"]])


def test_two_answers_and_two_reports_are_the_same_as_two_probabilities() -> None:
    design = MatrixDesign.of([["0.8", "0.2"], ["0.3", "0.7"]], answers=("yes", "no"))
    result, known = estimate_matrix([400, 600], design), estimate_design(400, 1000, kuk("0.8", "0.3"))
    [yes], first = known.cells, result.cells[0]
    assert (first.name, first.count) == ("yes", 400)
    assert (first.estimate, first.se, first.tidy) == pytest.approx((yes.estimate, yes.se, yes.tidy), rel=1e-12)
    assert first.price_of_privacy == pytest.approx(yes.price_of_privacy, rel=1e-6)
    assert result.epsilon == known.epsilon
    assert (first.low, first.high) == pytest.approx((yes.low, yes.high), abs=0.003)
    census = estimate_matrix([400, 600], design, options=Options(population=1000))
    [all_asked] = estimate_design(400, 1000, kuk("0.8", "0.3"), options=Options(population=1000)).cells
    assert census.cells[0].se == pytest.approx(all_asked.se, rel=1e-9)


def test_k_ary_randomized_response_has_the_check_values() -> None:
    rows = [["e" if i == j else "1" for j in range(4)] for i in range(4)]
    p, q = math.e / (math.e + 3), 1 / (math.e + 3)
    exact = [[Fraction(q) if each == "1" else 1 - 3 * Fraction(q) for each in row] for row in rows]
    result = estimate_matrix([380, 270, 200, 150], MatrixDesign.of(exact))
    assert p == pytest.approx(float(exact[0][0]))
    assert [cell.estimate for cell in result.cells] == pytest.approx(
        [0.682628, 0.316558, 0.083605, -0.082791], abs=1e-6
    )
    assert [cell.se for cell in result.cells] == pytest.approx([0.051081, 0.046721, 0.042095, 0.037577], abs=1e-6)
    named = MatrixDesign.names_one(("a", "b", "c"), Fraction(3))
    assert named.chances[0] == (Fraction(3, 5), Fraction(1, 5), Fraction(1, 5))


def test_estimates_are_unbiased_and_covariances_exact_by_enumeration() -> None:
    shares = np.array([0.5, 0.2, 0.3])
    rates, n = shares @ WIDE.matrix, 3
    mean, second = np.zeros(3), np.zeros((3, 3))
    for reports in itertools.product(range(4), repeat=n):
        chance = float(np.prod(rates[list(reports)]))
        counts = np.bincount(reports, minlength=4)
        estimate = np.array([cell.estimate for cell in estimate_matrix(counts.tolist(), WIDE).cells], float)
        mean, second = mean + chance * estimate, second + chance * np.outer(estimate, estimate)
    assert mean == pytest.approx(shares, abs=1e-12)
    covariance = WIDE.values.T @ (np.diag(rates) - np.outer(rates, rates)) @ WIDE.values / n
    assert second - np.outer(mean, mean) == pytest.approx(covariance, abs=1e-12)


def test_with_more_reports_than_answers_least_squares_are_best_at_equal_shares() -> None:
    # The Cramér-Rao bound of the shares, with their sum fixed
    rates = np.full(3, 1 / 3) @ WIDE.matrix
    contrasts = np.array([[1.0, 0, -1], [0, 1, -1]]) @ WIDE.matrix
    bound = np.linalg.inv((contrasts / rates) @ contrasts.T)
    values = WIDE.values
    covariance = values.T @ (np.diag(rates) - np.outer(rates, rates)) @ values
    assert covariance[:2, :2] == pytest.approx(bound, rel=1e-9)
    assert values.sum(axis=1) == pytest.approx(np.ones(4))


def test_epsilon_is_the_largest_log_ratio_in_a_column_or_does_not_exist() -> None:
    assert WIDE.epsilon is not None
    assert float(WIDE.epsilon) == pytest.approx(math.log(4), rel=1e-15)
    certain = MatrixDesign.of([["3/4", "1/4", 0], [0, "1/4", "3/4"]])
    assert certain.epsilon is None
    assert NO_EPSILON in estimate_matrix([10, 20, 30], certain).warnings
    assert estimate_matrix([10, 20, 30], certain).to_json()["epsilon"] is None


@pytest.mark.parametrize("counts", [(0, 0, 0, 0), (1, 0, 0, 0), (0, 0, 0, 9), (0, 500, 0, 0), (1, 1, 1, 1)])
@pytest.mark.parametrize("method", [None, "wilson", "exact", "wald"])
@pytest.mark.parametrize("population", [None, 500])
def test_figures_at_the_edge_have_width_and_no_nan(
    counts: tuple[int, ...], method: str | None, population: int | None
) -> None:
    result = estimate_matrix(counts, WIDE, options=Options(method=method, population=population, beta=0.05))
    json.dumps(result.to_json(), allow_nan=False)
    for cell in result.cells:
        if not result.n:
            assert (cell.estimate, cell.se, cell.low, cell.high) == (None,) * 4
            continue
        assert cell.se
        assert cell.low is not None
        assert cell.high is not None
        assert cell.low < cell.high
    assert bool(result.n) or "No reports yet" in result.warnings[0]


def test_an_impossible_count_is_shown_as_it_is_with_a_warning() -> None:
    result = estimate_matrix([0, 500, 0, 500], WIDE)
    assert min(cell.high or 0 for cell in result.cells) < 0
    assert "lies outside 0 to 1" in result.warnings[0]
    assert sum(cell.tidy or 0 for cell in result.cells) == pytest.approx(1)


def test_intervals_of_a_matrix_cover() -> None:
    rng, shares = np.random.default_rng(8), np.array([0.6, 0.05, 0.35])
    held = []
    for counts in rng.multinomial(400, shares @ WIDE.matrix, size=200):
        cells = estimate_matrix(counts.tolist(), WIDE).cells
        held.append([(cell.low or 0) < share < (cell.high or 0) for cell, share in zip(cells, shares, strict=True)])
    assert np.mean(held, axis=0).min() > 0.9


@pytest.mark.parametrize(
    ("matrix", "sentence"),
    [
        ([["1/2", "1/2"], ["1/2", "1/2"]], "cannot tell the answers apart"),
        ([["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], ["3/8", "3/8", "1/4"]], "cannot tell the answers apart"),
        ([["1/2", "1/3"], ["1/4", "3/4"]], "row 1 of the matrix adds up to 5/6"),
        ([["1/2", "1/2"]], "two or more rows"),
        ([["1/2", "1/2"], ["1"]], "rows of the same length"),
        ([["1/2", "1/2"], ["1/4", "3/4"], ["0", "1"]], "3 answers and 2 reports"),
        ([["1/2", "1/2", 0], ["1/4", "3/4", 0]], "no answer gives report 3"),
        ([["3/2", "-1/2"], ["1/4", "3/4"]], "not between 0 and 1"),
        ([["1/2", "1/2"], ["0.50000001", "0.49999999"]], "cannot tell the answers apart"),
    ],
)
def test_a_matrix_that_is_none_is_refused_with_the_cure(matrix: list[list[str]], sentence: str) -> None:
    with pytest.raises(EstimateError, match=sentence):
        MatrixDesign.of(matrix)


def test_counts_and_names_must_fit_the_matrix() -> None:
    with pytest.raises(EstimateError, match="3 counts for 4 outputs"):
        estimate_matrix([1, 2, 3], WIDE)
    with pytest.raises(EstimateError, match="2 answers: give as many different names"):
        MatrixDesign.of([["1/2", "1/2"], ["1/4", "3/4"]], answers=("a", "a"))
