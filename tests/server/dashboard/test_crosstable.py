"""The cross table of a pair, with its sentences."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.mechanisms.cases import choices

from hushpoll_server.dashboard.crosstable import CrossView, cross_view
from hushpoll_server.estimate.estimands import SharesEstimand
from hushpoll_server.estimate.options import Options
from hushpoll_server.mechanisms import Bound, mechanism_for
from hushpoll_server.mechanisms.projective import ProjectiveMechanism
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_shared.mechanisms import Projective, Subset
from hushpoll_shared.question_types import Pair, Part, YesNo

TWO_BY_TWO = Pair((Part("smokes", "Do you smoke?", YesNo()), Part("coughs", "Do you cough?", YesNo())))


def view(pair: Pair, counts: list[int], *, design: Subset | Projective | None = None) -> CrossView | None:
    used = design or SubsetMechanism.of(Bound.of_epsilon("2"), len(pair.cells), picks=1)
    n, estimand = sum(counts), mechanism_for(pair, used).estimand({})
    assert isinstance(estimand, SharesEstimand)
    cells = [(name, count, n) for name, count in zip(pair.cells, counts, strict=True)]
    return cross_view(pair, replace(estimand, cells=cells, reports=n).estimate(Options()))


def seen(pair: Pair, counts: list[int], *, design: Subset | Projective | None = None) -> CrossView:
    table = view(pair, counts, design=design)
    assert table is not None
    return table


def test_cells_stand_by_row_and_column_and_margins_are_their_sums() -> None:
    table = seen(TWO_BY_TWO, [400, 300, 200, 100])
    assert table.questions == ("Do you smoke?", "Do you cough?")
    assert table.columns == ("no", "yes")
    for (label, cells, margin), first in zip(table.rows, ("no", "yes"), strict=True):
        assert (label, [cell.name for cell in cells]) == (first, [f"{first} × no", f"{first} × yes"])
        assert margin.estimate == pytest.approx(sum(cell.estimate or 0 for cell in cells))
    assert sum(margin.estimate or 0 for margin in table.margins) == pytest.approx(1)


def test_answers_that_go_together_are_said_to_be_associated() -> None:
    together, ratio = (
        seen(TWO_BY_TWO, [450, 50, 50, 450]).sentences[0],
        seen(TWO_BY_TWO, [400, 200, 200, 200]).sentences[1],
    )
    assert together.startswith(
        "The two answers are associated: tables of independent answers rarely look like this one"
    )
    assert "1 degree of freedom, p < 0.001" in together
    assert ratio.startswith("Odds ratio ")
    assert "95\N{NO-BREAK SPACE}% interval" in ratio


def test_equal_cells_are_no_sign_of_a_connection() -> None:
    first, second = seen(TWO_BY_TWO, [250] * 4).sentences
    assert first.startswith("No sign of an association")
    assert second.startswith("Odds ratio 1,")


def test_a_cell_that_is_not_positive_has_no_odds_ratio() -> None:
    assert seen(TWO_BY_TWO, [600, 300, 90, 10]).sentences[1].startswith("No odds ratio: an estimate in the table")


def test_below_thirty_reports_nothing_is_tested() -> None:
    assert seen(TWO_BY_TWO, [8, 7, 7, 7]).sentences == ()


def test_a_design_without_a_test_says_so() -> None:
    reason = "independence is tested for pairs asked by subset selection: use that design"
    pair = Pair((Part("a", "A?", YesNo()), Part("b", "B?", choices(6))))
    sentences = seen(pair, [50] * 12, design=ProjectiveMechanism.of(Bound.of_epsilon("1"), 12)).sentences
    assert sentences == (f"No test of independence: {reason}.",)


def test_tables_that_nobody_could_read_and_empty_ones_are_left_out() -> None:
    wide = Pair((Part("a", "A?", YesNo()), Part("b", "B?", choices(13))))
    assert view(wide, [10] * 26) is None
    assert view(TWO_BY_TWO, [0] * 4) is None
