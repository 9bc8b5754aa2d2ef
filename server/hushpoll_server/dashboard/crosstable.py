"""A cross table, of a pair or of questions asked apart: cells, margins, and whether the answers are associated."""

from __future__ import annotations

from dataclasses import dataclass

from hushpoll_server.dashboard import formatting
from hushpoll_server.dashboard.panel import TOO_EARLY_BELOW
from hushpoll_server.estimate.combine import Combined
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.regression.results import HypothesisTest
from hushpoll_server.estimate.results import Cell, Result
from hushpoll_server.estimate.tables.cross_results import CrossResult
from hushpoll_server.estimate.tables.cross_separate import CrossCounts
from hushpoll_server.estimate.tables.crosstable import CrossTable, Independence
from hushpoll_shared.question_types import QuestionType
from hushpoll_shared.questions import Question

# A larger table cannot be read; its largest cells are listed instead.
MOST_ROWS, MOST_COLUMNS = 40, 12
SIGNIFICANCE = 0.05

Tested = Independence | HypothesisTest


@dataclass(frozen=True)
class CrossView:
    """A table of shares by two questions, with the sentences about it."""

    questions: tuple[str, str]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...], Cell | Combined], ...]
    margins: tuple[Cell | Combined, ...]
    sentences: tuple[str, ...]


def cross_view(pair: QuestionType, result: Result) -> CrossView | None:
    """Lay out the table of a pair; None if it has no reports yet or is too large to read."""
    rows, columns = (part.type.words for part in pair.parts)
    if not _is_readable(result.n, rows, columns):
        return None
    first, second = pair.parts
    table = CrossTable(result, first.type.cells, second.type.cells)
    return CrossView(
        questions=(first.text, second.text),
        columns=columns,
        rows=tuple(zip(rows, _lines(result.cells, len(columns)), table.row_margins().values(), strict=True)),
        margins=tuple(table.column_margins().values()),
        sentences=_sentences(table, result.n, result.level),
    )


def crossed_view(first: Question, second: Question, result: CrossResult) -> CrossView | None:
    """Lay out the table of two questions asked apart; None if there are no reports or it is too large to read."""
    rows, columns = first.type.words, second.type.words
    if not _is_readable(result.n, rows, columns):
        return None
    return CrossView(
        questions=(first.text, second.text),
        columns=columns,
        rows=tuple(zip(rows, _lines(result.cells, len(columns)), result.rows.cells, strict=True)),
        margins=result.columns.cells,
        sentences=_sentences(result.table, result.n, result.level),
    )


def _is_readable(n: int, rows: tuple[str, ...], columns: tuple[str, ...]) -> bool:
    return n > 0 and len(rows) <= MOST_ROWS and len(columns) <= MOST_COLUMNS


def _lines(cells: tuple[Cell, ...], width: int) -> list[tuple[Cell, ...]]:
    return [cells[start : start + width] for start in range(0, len(cells), width)]


def _sentences(table: CrossTable | CrossCounts, n: int, level: float) -> tuple[str, ...]:
    return () if n < TOO_EARLY_BELOW else (_independence(table), *_odds_ratio(table, level))


def _independence(table: CrossTable | CrossCounts) -> str:
    try:
        return independence_words(table.independence())
    except EstimateError as error:
        return f"No test of independence: {error}."


def independence_words(test: Independence) -> str:
    """Return in words what a test of independence says."""
    result = chi_squared(test)
    if test.p_value < SIGNIFICANCE:
        return f"The two answers are associated: tables of independent answers rarely look like this one ({result})."
    return f"No sign of an association: a table of independent answers could well look like this one ({result})."


def chi_squared(test: Tested) -> str:
    """Format the outcome of a test."""
    degrees = "1 degree" if test.degrees == 1 else f"{test.degrees} degrees"
    return f"χ² = {test.statistic:.3g}, {degrees} of freedom, {formatting.p_value(test.p_value)}"


def _odds_ratio(table: CrossTable | CrossCounts, level: float) -> tuple[str, ...]:
    if (len(table.rows), len(table.columns)) != (2, 2):
        return ()
    rows, columns = (table.rows[0], table.rows[1]), (table.columns[0], table.columns[1])
    try:
        ratio = table.odds_ratio(rows, columns, level=level)
    except EstimateError as error:
        return (f"No odds ratio: {error}.",)
    limits = f"{formatting.level_name(level)} interval {ratio.low:.3g} to {ratio.high:.3g}"
    return (f"Odds ratio {ratio.estimate:.3g}, {limits}.",)
