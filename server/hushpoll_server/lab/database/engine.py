"""The engine: DuckDB in memory, which sees whole numbers only.

The rule here: DuckDB never gets a text. Columns are named by their place, cells and values are whole numbers, and
filters are built as expressions and not as SQL. Files, extensions and its settings are locked. Sums are 128-bit whole
numbers, so nothing overflows, and no query can fail on what a cell holds.
"""

from __future__ import annotations

from typing import Self

import duckdb
import numpy as np
from duckdb import ColumnExpression, ConstantExpression, Expression, FunctionExpression

from hushpoll_server.lab.database.binding import Filter, OneOf, Together, Unless, Within
from hushpoll_server.lab.database.loading import Table

_ROWS = "rows"
_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "threads": 1,
    "memory_limit": "2GB",
    "lock_configuration": True,
}


class Engine:
    """The exact results of one table. They are secrets: only noise may leave with them."""

    def __init__(self, table: Table) -> None:
        """Hand over the columns of the table, without copying them."""
        self._connection = duckdb.connect(":memory:", config=_SETTINGS)
        columns = {_code(place): np.frombuffer(column.codes, np.int64) for place, column in enumerate(table.columns)}
        columns |= {
            _bin(place): np.frombuffer(column.bins(), np.int64)
            for place, column in enumerate(table.columns)
            if column.kind.groups
        }
        self._connection.register(_ROWS, columns)

    def count(self, where: Filter | None) -> int:
        """Return the number of rows."""
        return self._total("count", 0, where)

    def sum(self, column: int, where: Filter | None) -> int:
        """Return the sum of a column, in steps."""
        return self._total("sum", column, where)

    def counts(self, column: int, groups: int, where: Filter | None) -> list[int]:
        """Return the number of rows in each bin or category."""
        bins = ColumnExpression(_bin(column))
        rows = self._filtered(where).aggregate([bins, FunctionExpression("count", bins)]).fetchall()
        counts = dict(rows)
        return [int(counts.get(group, 0)) for group in range(groups)]

    def close(self) -> None:
        """Forget the table."""
        self._connection.close()

    def __enter__(self) -> Self:
        """Return the engine."""
        return self

    def __exit__(self, *_: object) -> None:
        """Forget the table."""
        self.close()

    def _total(self, function: str, column: int, where: Filter | None) -> int:
        total = FunctionExpression(function, ColumnExpression(_code(column)))
        [(result,)] = self._filtered(where).aggregate([total]).fetchall()
        # A sum over no rows is NULL.
        return int(result or 0)

    def _filtered(self, where: Filter | None) -> duckdb.DuckDBPyRelation:
        rows = self._connection.view(_ROWS)
        return rows.filter(_expression(where)) if where else rows


def _expression(part: Filter) -> Expression:
    match part:
        case Within(column, low, high):
            return ColumnExpression(_code(column)).between(ConstantExpression(low), ConstantExpression(high))
        case OneOf(column, codes):
            return ColumnExpression(_code(column)).isin(*map(ConstantExpression, codes)) if codes else _NEVER
        case Unless(inner):
            return ~_expression(inner)
        case Together(word, parts):
            first, *others = map(_expression, parts)
            for other in others:
                first = first & other if word == "AND" else first | other
            return first


_NEVER = ConstantExpression(False)  # noqa: FBT003 (a constant of the engine)


def _code(place: int) -> str:
    return f"c{place}"


def _bin(place: int) -> str:
    return f"b{place}"
