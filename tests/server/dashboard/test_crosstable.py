"""The cross table of a pair, with its sentences."""

from __future__ import annotations

import pytest

from hushpoll_server.dashboard.crosstable import CrossView, cross_view
from hushpoll_server.results import estimate_cells
from hushpoll_shared.designs import Bound, Projective, Subset
from hushpoll_shared.questions import Option, Pair, Part, SingleChoice, YesNo

TWO_BY_TWO = Pair((Part("smokes", "Do you smoke?", YesNo()), Part("coughs", "Do you cough?", YesNo())))


def view(pair: Pair, counts: list[int], *, design: Subset | Projective | None = None) -> CrossView | None:
    used = design or Subset.from_bound(Bound.of_epsilon("2"), len(pair.cells), picks=1)
    n = sum(counts)
    result = estimate_cells(used, [(name, count, n) for name, count in zip(pair.cells, counts, strict=True)])
    return cross_view(pair, result)


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


def test_answers_that_go_together_are_said_to_hang_together() -> None:
    together, ratio = (
        seen(TWO_BY_TWO, [450, 50, 50, 450]).sentences[0],
        seen(TWO_BY_TWO, [400, 200, 200, 200]).sentences[1],
    )
    assert together.startswith("The two answers hang together")
    assert "1 degree of freedom, p < 0.001" in together
    assert ratio.startswith("Odds ratio ")
    assert "95\N{NO-BREAK SPACE}% interval" in ratio


def test_equal_cells_are_no_sign_of_a_connection() -> None:
    first, second = seen(TWO_BY_TWO, [250] * 4).sentences
    assert first.startswith("No sign that the two answers hang together")
    assert second.startswith("Odds ratio 1,")


def test_a_cell_that_is_not_positive_has_no_odds_ratio() -> None:
    assert seen(TWO_BY_TWO, [600, 300, 90, 10]).sentences[1].startswith("No odds ratio: an estimated cell")


def test_below_thirty_reports_nothing_is_tested() -> None:
    assert seen(TWO_BY_TWO, [8, 7, 7, 7]).sentences == ()


def test_a_design_without_a_test_says_so() -> None:
    reason = "independence is tested for pairs asked by subset selection: use that design"
    pair = Pair((Part("a", "A?", YesNo()), Part("b", "B?", options(6))))
    sentences = seen(pair, [50] * 12, design=Projective.from_bound(Bound.of_epsilon("1"), 12)).sentences
    assert sentences == (f"No test of independence: {reason}.",)


def test_tables_that_nobody_could_read_and_empty_ones_are_left_out() -> None:
    wide = Pair((Part("a", "A?", YesNo()), Part("b", "B?", options(13))))
    assert view(wide, [10] * 26) is None
    assert view(TWO_BY_TWO, [0] * 4) is None


def options(size: int) -> SingleChoice:
    return SingleChoice(tuple(Option(f"o{i}", f"o{i}") for i in range(size)))
