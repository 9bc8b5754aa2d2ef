"""Tables of three questions: known shares turned back, conditional associations, what is refused and left out."""

from __future__ import annotations

import json

import numpy as np
import pytest

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.groups.private import private_groups
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.support import Figures
from hushpoll_server.estimate.tables.joint_shares import JointShares
from hushpoll_server.estimate.tables.three_way import ThreeWay, three_way

AXES = (("yes", "no"), ("left", "right"), ("old", "young"))
NAMES = ("cheated", "side", "age")
# Within the old the odds ratio is 6, within the young 1.
TRUTH = np.array([[[0.12, 0.1], [0.08, 0.2]], [[0.05, 0.1], [0.2, 0.15]]])


def randomized(truth: Figures, p: float, n: int) -> JointShares:
    """Return what is expected of three yes/no questions at this p, and how it varies."""
    one = np.array([[p, 1 - p], [1 - p, p]])
    matrix = np.kron(np.kron(one, one), one)
    inverse, rates = np.linalg.inv(matrix), matrix @ truth.ravel()
    return JointShares(AXES, n, (inverse @ rates).reshape(2, 2, 2), inverse * rates @ inverse.T)


def table(n: int = 20_000, **options: object) -> ThreeWay:
    return three_way(randomized(TRUTH, 0.88, n), AXES, NAMES, options=Options(**options))  # type: ignore[arg-type]


def test_the_shares_of_triples_and_of_each_question_are_turned_back() -> None:
    found = table()
    assert [figure.estimate for figure in found.cells.values()] == pytest.approx(TRUTH.ravel().tolist())
    assert [share.estimate for share in found.margins[2]] == pytest.approx([0.45, 0.55])
    assert all((figure.low or 0) < (figure.estimate or 0) < (figure.high or 0) for figure in found.cells.values())
    assert list(found.cells)[:2] == [("yes", "left", "old"), ("yes", "left", "young")]


def test_the_association_within_each_level_is_the_conditional_one() -> None:
    old, young = table().within
    assert (old.answer, young.answer) == ("old", "young")
    assert old.odds_ratios[0].ratio.estimate == pytest.approx(0.12 * 0.2 / (0.08 * 0.05))
    assert old.groups.percentage("yes", "left").estimate == pytest.approx(0.6)
    [gap] = young.groups.differences
    assert gap.difference.estimate == pytest.approx(0.1 / 0.3 - 0.1 / 0.25)
    assert old.independence is not None
    assert young.independence is not None
    assert old.independence.p_value < 1e-6 < young.independence.p_value


def test_a_level_that_everybody_is_in_has_the_figures_of_two_questions() -> None:
    joint = randomized(TRUTH, 0.88, 5000)
    pair = joint.margin(0, 1)
    padded = JointShares((*AXES[:2], ("all",)), 5000, pair.shares[:, :, np.newaxis], pair.moments)
    [only] = three_way(padded, padded.axes, NAMES).within
    assert only.groups.percentages == private_groups(pair).percentages


def test_json_is_complete_and_has_no_nan() -> None:
    written = json.loads(json.dumps(table().to_json(), allow_nan=False))
    assert (len(written["cells"]), np.shape(written["covariances"])) == (8, (8, 8))
    assert written["within"][0]["odds_ratios"][0]["compares"].startswith("the odds of column “left”")
    assert {"row_percentages", "differences", "independence"} <= written["within"][0].keys()


def test_no_and_few_reports_are_no_error() -> None:
    empty = three_way(None, AXES, NAMES)
    assert {figure.estimate for figure in empty.cells.values()} == {None}
    assert "No reports yet" in empty.warnings[0]
    # One report: it says yes, left and old.
    value = np.zeros((2, 2, 2)) + 0.1
    one = three_way(JointShares(AXES, 1, value, np.outer(value, value)), AXES, NAMES)
    json.dumps(one.to_json(), allow_nan=False)
    assert all((figure.se or 0) > 0 for figure in one.cells.values())
    assert all((figure.low or 0) < (figure.high or 0) for figure in one.cells.values())
    assert all(each.warnings for each in one.within)


def test_what_is_not_offered_is_refused_with_the_cure() -> None:
    with pytest.raises(EstimateError, match="leave the method"):
        table(method="exact")
    with pytest.raises(EstimateError, match="leave the method"):
        table(coverage="anytime")
    with pytest.raises(EstimateError, match="three axes"):
        three_way(None, AXES[:2], NAMES[:2])


def test_simultaneous_limits_are_wider() -> None:
    alone, together = (next(iter(table(coverage=each).cells.values())) for each in ("pointwise", "simultaneous"))
    assert (together.low or 0) < (alone.low or 0) < (alone.high or 0) < (together.high or 0)
