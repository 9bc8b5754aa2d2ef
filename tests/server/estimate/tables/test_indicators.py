"""The frame of unbiased indicators: all outputs of small designs enumerated, parts added up, reports in parts."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.joint import OneDecides
from hushpoll_server.estimate.support import Figures, SupportDesign
from hushpoll_server.estimate.tables.cross_separate import CrossCounts, CrossedQuestion
from hushpoll_server.estimate.tables.indicators import TableMoments, cell_values

# The chances of the outputs for each answer (rows), over these denominators, and what each output supports.
WARNER = np.array([[3, 1], [1, 3]])
PAIRS = [set(pair) for pair in combinations(range(3), 2)]
SUBSETS = np.array([[2 if answer in pair else 1 for pair in PAIRS] for answer in range(3)])


def indicators(outputs: str) -> tuple[Figures, Figures]:
    """Return the chances of the outputs for each answer, and the indicators of each output."""
    if outputs == "warner":
        return WARNER / 4, (np.eye(2) - 1 / 4) / (1 / 2)
    supports = np.array([[answer in pair for answer in range(3)] for pair in PAIRS], float)
    # A set contains the true answer with 4/5, another one with 3/5.
    return SUBSETS / 5, (supports - 3 / 5) / (1 / 5)


def enumerated(truth: Figures, *designs: str, people: int = 10_000) -> tuple[Figures, list[int]]:
    """Return the cell values of all outputs, and how often each occurs among as many people as make it whole."""
    laws = [indicators(design) for design in designs]
    chances = truth
    for axis, (law, _) in enumerate(laws):
        chances = np.moveaxis(np.tensordot(law.T, chances, (1, axis)), 0, axis)
    places = list(product(*(range(len(values)) for _, values in laws)))
    values = cell_values([laws[axis][1][[place[axis] for place in places]] for axis in range(len(laws))])
    times = chances.ravel() * people
    assert times == pytest.approx(np.rint(times), abs=1e-6)
    return values, np.rint(times).astype(int).tolist()


TRUTH = np.array([[0.1, 0.25, 0.05], [0.3, 0.1, 0.2]])


def test_the_average_over_all_outputs_is_the_truth_and_the_covariances_are_those_of_the_formula() -> None:
    moments = TableMoments.of(*enumerated(TRUTH, "warner", "subset"))
    joint = moments.joint_shares(("yes", "no"), ("a", "b", "c"))
    assert joint.shares == pytest.approx(TRUTH, abs=1e-12)
    # The same by the joint counts of support and the law of sets: 1 of 3 pairs is {i, k}.
    rates = [np.array([[3, 1], [1, 3]]).T / 4 @ TRUTH.sum(axis=1), 3 / 5 + TRUTH.sum(axis=0) / 5]
    first = CrossedQuestion("w", ("yes", "no"), SupportDesign(3 / 4, 1 / 4), OneDecides(0, 0, 0), whole(rates[0]))
    law = OneDecides(2 / 5, 1 / 5, 1 / 5)
    second = CrossedQuestion("s", ("a", "b", "c"), SupportDesign(4 / 5, 3 / 5), law, whole(rates[1]))
    both = (np.array([[3, 1], [1, 3]]) / 4) @ TRUTH @ (3 / 5 + np.eye(3) / 5)
    table = CrossCounts(first, second, whole(both), 10_000)
    assert joint.shares == pytest.approx(table.shares, abs=1e-12)
    assert joint.covariances == pytest.approx(table.covariances(), abs=1e-14)


def whole(rates: Figures) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.rint(10_000 * rates).astype(np.int64)


def test_the_noise_is_what_randomizing_alone_causes() -> None:
    # For one Warner question at 3:1 it is q(1 - q)/(p - q)² = 3/4 for each answer, and -3/4 between the two.
    joint = TableMoments.of(*enumerated(np.array([0.3, 0.7]), "warner")).joint_shares(("yes", "no"))
    assert joint.noise == pytest.approx(np.array([[0.75, -0.75], [-0.75, 0.75]]))


def test_three_questions_are_recovered_and_their_margins_are_those_of_two() -> None:
    truth = np.arange(1.0, 13).reshape(2, 3, 2)
    truth[0, 0, 0] = 23
    values, times = enumerated(truth / 100, "warner", "subset", "warner", people=80_000)
    joint = TableMoments.of(values, times).joint_shares(("a", "b"), ("c", "d", "e"), ("f", "g"))
    assert joint.shares == pytest.approx(truth / 100, abs=1e-12)
    pair = TableMoments.of(*enumerated(truth.sum(axis=2) / 100, "warner", "subset"))
    margin = joint.margin(0, 1)
    assert margin.shares == pytest.approx(pair.means, abs=1e-12)
    assert margin.moments == pytest.approx(pair.moments, abs=1e-10)
    level = joint.given(2, 1)
    assert level.shares == pytest.approx(truth[:, :, 1] / 100, abs=1e-12)
    assert level.axes == (("a", "b"), ("c", "d", "e"))


def test_reports_in_parts_and_in_any_order_have_the_same_moments() -> None:
    rng = np.random.default_rng(4)
    one, other = rng.normal(size=(50, 2)), rng.normal(size=(50, 3))
    values = cell_values([one, other])
    whole_table, order = TableMoments.of(values), rng.permutation(50)
    parts = TableMoments.empty((2, 3))
    for part in np.split(order, [7, 30]):
        parts += TableMoments.of(values[part])
    assert parts.n == whole_table.n == 50
    assert parts.means == pytest.approx(np.einsum("ni,nj->ij", one, other) / 50)
    assert parts.products == pytest.approx(whole_table.products)
    covariances = parts.joint_shares("ab", "cde").covariances
    assert covariances == pytest.approx(np.cov(values.reshape(50, 6).T, ddof=0) / 50)


def test_two_variables_of_one_question_take_the_axes_they_are_given() -> None:
    rng = np.random.default_rng(5)
    pair, other = rng.normal(size=(9, 2, 4)), rng.normal(size=(9, 3))
    values = cell_values([pair, other], [(0, 2), (1,)])
    assert values == pytest.approx(pair[:, :, np.newaxis, :] * other[:, np.newaxis, :, np.newaxis])


def test_a_report_that_does_not_answer_everything_does_not_count() -> None:
    values = np.array([[0.5, 0.5], [np.nan, 1.0], [1.5, -0.5]])
    moments = TableMoments.of(values, [2, 5, 1])
    assert (moments.n, moments.means.tolist()) == (3, pytest.approx([2.5 / 3, 0.5 / 3]))


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(EstimateError, match="more than 1,000"):
        TableMoments.empty((11, 10, 10))
    with pytest.raises(EstimateError, match="different cells"):
        TableMoments.empty((2, 2)) + TableMoments.empty((2, 3))
    with pytest.raises(EstimateError, match="no reports"):
        TableMoments.empty((2, 2)).joint_shares("ab", "cd")
