"""Groups that are answers to a private question: row percentages, differences and ratios between rows, edges."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.groups.multiple_tests import adjusted
from hushpoll_server.estimate.groups.private import PrivateGroups, private_groups, shares_in_rows
from hushpoll_server.estimate.intervals import wilson
from hushpoll_server.estimate.joint import NAMES_ONE
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.shares import estimate_shares
from hushpoll_server.estimate.support import Figures, SupportDesign
from hushpoll_server.estimate.tables.crosstab import Crosstab, estimate_crosstab
from hushpoll_server.estimate.tables.crosstable import CrossTable
from hushpoll_server.estimate.tables.joint_shares import JointShares
from hushpoll_server.estimate.tables.sides import Side
from hushpoll_server.estimate.yes_no_designs import forced

TWO_COINS = forced("1/2", "1/2")
TABLE = [[310, 170], [220, 300]]


def crossed(counts: list[list[int]], **options: object) -> Crosstab:
    side = Side.yes_no(TWO_COINS)
    return estimate_crosstab(counts, side, side, options=Options(**options))  # type: ignore[arg-type]


def groups_of(counts: list[list[int]], **options: object) -> PrivateGroups:
    groups = crossed(counts, **options).groups
    assert groups is not None
    return groups


def known_answers(counts: list[list[int]]) -> JointShares:
    """Return the table of answers that were not randomized."""
    table = np.array(counts, float)
    shares = table / table.sum()
    axes = tuple(tuple(f"{axis}{place}" for place in range(size)) for axis, size in zip("rc", table.shape, strict=True))
    return JointShares(axes, int(table.sum()), shares, np.diag(shares.ravel()))


def test_without_randomizing_percentages_are_wilsons_and_differences_newcombes() -> None:
    groups = private_groups(known_answers([[30, 20], [5, 45]]))
    [gap] = groups.differences
    first, second = wilson(30, 50, 0.95), wilson(5, 50, 0.95)
    figure = groups.percentage("r0", "c0")
    assert (figure.low, figure.high) == pytest.approx((float(first.low), float(first.high)))
    low = 0.5 - np.hypot(0.6 - first.low, second.high - 0.1)
    high = 0.5 + np.hypot(first.high - 0.6, 0.1 - second.low)
    assert (gap.difference.low, gap.difference.high) == pytest.approx((low, high))


def test_errors_are_those_of_the_numerical_gradient_and_the_covariance_matrix() -> None:
    crosstab = crossed(TABLE)
    assert crosstab.estimates is not None
    assert crosstab.covariances is not None
    groups = groups_of(TABLE)

    def figures(flat: Figures) -> Figures:
        table = flat.reshape(2, 2)
        share = table[:, 0] / table.sum(axis=1)
        return np.array([share[0], share[1], share[0] - share[1], share[0] / share[1]])

    flat, step = crosstab.estimates.ravel(), 1e-6
    gradient = np.array([(figures(flat + move) - figures(flat - move)) / (2 * step) for move in step * np.eye(4)])
    errors = np.sqrt(np.diag(gradient.T @ crosstab.covariances @ gradient))
    [gap] = groups.differences
    percentages = [groups.percentage(row, "yes").se for row in ("yes", "no")]
    assert [*percentages, gap.difference.se] == pytest.approx(errors[:3], rel=1e-8)
    assert gap.ratio is None or gap.ratio.se == pytest.approx(errors[3], rel=1e-8)


def test_the_p_value_is_the_level_at_which_the_interval_ends_at_0() -> None:
    counts = [[265, 235], [240, 260]]
    [gap] = groups_of(counts).differences
    assert gap.p_value is not None
    assert 0.01 < gap.p_value < 0.5
    [again] = groups_of(counts, level=1 - gap.p_value).differences
    assert again.difference.low == pytest.approx(0, abs=1e-6)


def test_the_ratio_has_the_limits_at_which_the_limits_of_the_difference_are_0() -> None:
    counts = [[1500, 1000], [1300, 1400]]
    ratios = shares_in_rows(_joint(crossed(counts)))
    one, other, first = (np.array([place]) for place in (0, 1, 0))
    compared = ratios.compared(one, other, first, 1.959963984540054)
    x, y, r = float(compared.first[0]), float(compared.second[0]), float(compared.correlation[0])
    limits = compared.ratio()
    a, b = x - float(compared.first_limits.low[0]), float(compared.second_limits.high[0]) - y
    t = float(limits.low[0])
    assert x - t * y == pytest.approx(np.sqrt(a**2 + t**2 * b**2 - 2 * r * t * a * b))
    a, b = float(compared.first_limits.high[0]) - x, y - float(compared.second_limits.low[0])
    t = float(limits.high[0])
    assert t * y - x == pytest.approx(np.sqrt(a**2 + t**2 * b**2 - 2 * r * t * a * b))


def _joint(crosstab: Crosstab) -> JointShares:
    assert crosstab.estimates is not None
    assert crosstab.covariances is not None
    axes = (crosstab.rows, crosstab.columns)
    return JointShares.of_covariances(axes, crosstab.n, crosstab.estimates, crosstab.covariances)


def test_many_rows_are_adjusted_together_and_the_overall_test_is_that_of_independence() -> None:
    side = Side.names_one(3, SupportDesign(0.7, 0.15))
    crosstab = estimate_crosstab([[200, 60, 50], [70, 190, 60], [80, 90, 200]], side, side)
    assert crosstab.groups is not None
    groups = crosstab.groups
    assert len(groups.differences) == 3 * 3
    raw = [each.p_value for each in groups.differences if each.p_value is not None]
    assert [each.adjusted_p_value for each in groups.differences] == pytest.approx(adjusted(raw).tolist())
    assert groups.overall is crosstab.independence
    other = estimate_crosstab(
        [[200, 60, 50], [70, 190, 60], [80, 90, 200]], side, side, adjustment="benjamini-hochberg"
    )
    assert other.groups is not None
    assert other.groups.differences[0].adjusted_p_value == pytest.approx(adjusted(raw, "benjamini-hochberg")[0])


def test_a_pair_asked_as_one_question_has_row_percentages_too() -> None:
    # Two coins for 4 cells by k-ary response: p = 1/2, q = 1/6.
    design = SupportDesign(0.5, 1 / 6)
    counts = [300, 150, 170, 280]
    cells = [(name, count, 900) for name, count in zip(("a×c", "a×d", "b×c", "b×d"), counts, strict=True)]
    table = CrossTable(estimate_shares(cells, design, epsilon=1.1, joint=NAMES_ONE), ("a", "b"), ("c", "d"))
    joint = table.joint_shares()
    rates = np.array(counts) / 900
    inverse = np.linalg.inv(np.full((4, 4), 1 / 6) + np.eye(4) / 3)
    assert joint.covariances == pytest.approx(inverse @ (np.diag(rates) - np.outer(rates, rates)) @ inverse.T / 900)
    shares = inverse @ rates
    assert private_groups(joint).percentage("a", "c").estimate == pytest.approx(shares[0] / (shares[0] + shares[1]))


def test_a_group_that_could_be_empty_has_no_limits_and_a_sentence_says_why() -> None:
    groups = groups_of([[60, 60], [180, 190]])
    figure = groups.percentage("yes", "yes")
    assert (figure.low, figure.high) == (None, None)
    assert groups.differences[0].difference.low is None
    assert any("could be 0" in warning or "not positive" in warning for warning in groups.warnings)


def test_at_the_edges_there_is_never_a_nan_nor_an_error_of_0() -> None:
    for counts in ([[1, 0], [0, 0]], [[0, 0], [0, 1]], [[500, 0], [0, 0]], [[0, 50], [50, 0]], [[1, 1], [1, 1]]):
        crosstab = crossed(counts)
        text = json.dumps(crosstab.to_json(), allow_nan=False)
        assert "row_percentages" in text
        assert crosstab.groups is not None
        for each in crosstab.groups.percentages:
            figure = each.figure
            assert figure.se is None or figure.se > 0
            assert figure.low is None or figure.high is None or figure.low < figure.high
        assert figure.low is not None or crosstab.groups.warnings
    assert crossed([[0, 0], [0, 0]]).to_json()["row_percentages"] == []


def test_known_answers_that_all_agree_keep_a_width() -> None:
    groups = private_groups(known_answers([[10, 0], [0, 10]]))
    figure = groups.percentage("r0", "c0")
    assert figure.se is not None
    assert figure.se > 0
    assert figure.low == pytest.approx(float(wilson(10, 10, 0.95).low))


def test_limits_at_every_look_are_left_out_with_a_sentence() -> None:
    groups = groups_of(TABLE, coverage="anytime")
    assert {each.figure.low for each in groups.percentages} == {None}
    assert any("every look" in warning for warning in groups.warnings)


def test_a_table_of_one_question_is_refused() -> None:
    with pytest.raises(EstimateError, match="two questions"):
        private_groups(known_answers(TABLE).margin(0))


@pytest.mark.parametrize("odds", [7.389, 54.6])
def test_intervals_cover_and_the_naive_analysis_is_attenuated(odds: float) -> None:
    # Seeded: 150 surveys of 800. At 95 % fewer than 130 covering ones would have a chance below 1e-5.
    truth, p = np.array([[0.2, 0.1], [0.2, 0.5]]), odds / (1 + odds)
    matrix = np.array([[p, 1 - p], [1 - p, p]])
    rates = np.kron(matrix, matrix) @ truth.ravel()
    inverse = np.linalg.inv(np.kron(matrix, matrix))
    percentage = difference = 0
    naive = []
    for counts in np.random.default_rng(5).multinomial(800, rates, 150):
        seen = counts / 800
        moments = inverse @ np.diag(seen) @ inverse.T
        groups = private_groups(JointShares((("a", "b"), ("c", "d")), 800, (inverse @ seen).reshape(2, 2), moments))
        figure, gap = groups.percentage("a", "c"), groups.differences[0].difference
        percentage += figure.low is None or figure.low <= 2 / 3 <= (figure.high or 0)
        difference += gap.low is None or gap.low <= 2 / 3 - 2 / 7 <= (gap.high or 0)
        naive.append(counts[0] / counts[:2].sum() - counts[2] / counts[2:].sum())
    assert min(percentage, difference) >= 130
    assert stats.ttest_1samp(naive, 2 / 3 - 2 / 7).statistic < -10
