"""How the two answers of a cross table are related: its margins, the test of independence, and the odds ratio.

They are those of the dashboard's cards: of a pair from its own result, of questions asked apart from their cross table.
`associations.py` has the larger table of tests, which leaves the population out. The rule here: what the reports do not
give is None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from hushpoll_server.estimate.combine import Combined
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.estimands import QuestionResult
from hushpoll_server.estimate.results import Cell, Result
from hushpoll_server.estimate.tables.cross_results import CrossResult
from hushpoll_server.estimate.tables.cross_separate import CrossCounts
from hushpoll_server.estimate.tables.crosstable import CrossTable, Independence
from hushpoll_server.estimate.tables.indicators import MOST_CELLS
from hushpoll_server.export.columns import Row
from hushpoll_shared.questions import Question

Margins = Iterable[tuple[str, Cell | Combined]]


def pair_relation(question: Question, result: QuestionResult) -> Row | None:
    """Return how the parts of a pair are related; None if it is no pair, is too large, or has no reports."""
    if not question.type.parts or not isinstance(result, Result) or not result.n or len(result.cells) > MOST_CELLS:
        return None
    first, second = question.type.parts
    table = CrossTable(result, first.type.cells, second.type.cells)
    names = {"first": first.id, "second": second.id}
    return {**names, **_relation(table, table.row_margins().items(), table.column_margins().items(), result.level)}


def cross_relation(result: CrossResult) -> Row | None:
    """Return how two questions that were asked apart are related; None without reports."""
    if not result.n:
        return None
    rows, columns = (((cell.name, cell) for cell in margin.cells) for margin in (result.rows, result.columns))
    return _relation(result.table, rows, columns, result.level)


def relation_rows(relation: Row | None) -> Iterator[Row]:
    """Yield the rows of a relation for a table: the answers to the first question, and to the second beside them."""
    if relation is None:
        return
    for each in relation["rows"]:
        yield {**each, "kind": "row_margin", "cell": each["name"]}
    for each in relation["columns"]:
        yield {**each, "kind": "column_margin", "second_cell": each["name"]}
    if (test := relation["independence"]) is not None:
        yield {
            "kind": "independence",
            "statistic": test["statistic"],
            "df": test["degrees"],
            "p_value": test["p_value"],
        }
    if (ratio := relation["odds_ratio"]) is not None:
        yield {**ratio, "kind": "odds_ratio"}


def _relation(table: CrossTable | CrossCounts, rows: Margins, columns: Margins, level: float) -> Row:
    return {
        "rows": [_margin(name, each) for name, each in rows],
        "columns": [_margin(name, each) for name, each in columns],
        "independence": _or_none(table.independence),
        "odds_ratio": _or_none(lambda: _odds_ratio(table, level)),
    }


def _margin(name: str, margin: Cell | Combined) -> Row:
    return {**margin.to_json(), "name": name}


def _odds_ratio(table: CrossTable | CrossCounts, level: float) -> Combined:
    if (len(table.rows), len(table.columns)) != (2, 2):
        raise EstimateError("a table of more than two rows and two columns has several: see the tests")
    rows, columns = (table.rows[0], table.rows[1]), (table.columns[0], table.columns[1])
    return table.odds_ratio(rows, columns, level=level)


def _or_none(compute: Callable[[], Independence | Combined]) -> dict[str, Any] | None:
    try:
        return compute().to_json()
    except EstimateError:
        return None
