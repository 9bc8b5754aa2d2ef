"""The cross table of a pair: cells, margins, and in words whether the two answers hang together."""

from __future__ import annotations

from dataclasses import dataclass

from hushpoll_server.dashboard import figures
from hushpoll_server.dashboard.labels import part_labels
from hushpoll_server.dashboard.panel import TOO_EARLY_BELOW
from hushpoll_server.estimate import Cell, Combined, CrossTable, EstimateError, Result
from hushpoll_shared.questions import Pair

# A table beyond this cannot be read; its largest cells are listed instead.
MOST_ROWS, MOST_COLUMNS = 40, 12
SIGNIFICANCE = 0.05


@dataclass(frozen=True)
class CrossView:
    """A table of shares by two questions, with the sentences about it."""

    questions: tuple[str, str]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...], Combined], ...]
    margins: tuple[Combined, ...]
    sentences: tuple[str, ...]


def cross_view(kind: Pair, result: Result) -> CrossView | None:
    """Lay out the table of a pair; None if it has no reports yet or is too large to be read."""
    row_labels, column_labels = part_labels(kind)
    if result.n == 0 or len(row_labels) > MOST_ROWS or len(column_labels) > MOST_COLUMNS:
        return None
    first, second = kind.parts
    table = CrossTable(result, first.kind.cells, second.kind.cells)
    width = len(column_labels)
    lines = [result.cells[start : start + width] for start in range(0, len(result.cells), width)]
    return CrossView(
        questions=(first.text, second.text),
        columns=column_labels,
        rows=tuple(zip(row_labels, lines, table.row_margins().values(), strict=True)),
        margins=tuple(table.column_margins().values()),
        sentences=() if result.n < TOO_EARLY_BELOW else (_independence(table), *_odds_ratio(table)),
    )


def _independence(table: CrossTable) -> str:
    try:
        test = table.independence()
    except EstimateError as error:
        return f"No test of independence: {error}."
    degrees = "1 degree" if test.degrees == 1 else f"{test.degrees} degrees"
    found = f"χ² = {test.statistic:.3g}, {degrees} of freedom, {figures.p_value(test.p_value)}"
    if test.p_value < SIGNIFICANCE:
        return f"The two answers hang together: tables of independent answers rarely look like this one ({found})."
    return f"No sign that the two answers hang together: a table of independent answers could look so ({found})."


def _odds_ratio(table: CrossTable) -> tuple[str, ...]:
    if (len(table.rows), len(table.columns)) != (2, 2):
        return ()
    rows, columns = (table.rows[0], table.rows[1]), (table.columns[0], table.columns[1])
    try:
        ratio = table.odds_ratio(rows, columns)
    except EstimateError as error:
        return (f"No odds ratio: {error}.",)
    level = figures.level_name(ratio.level)
    return (f"Odds ratio {ratio.estimate:.3g}, {level} interval {ratio.low:.3g} to {ratio.high:.3g}.",)
