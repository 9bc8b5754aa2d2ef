"""Tables as Parquet, written part by part, with the types that the list of columns states.

The rule here: types never follow from the values, because a column that is empty in this survey may have values in the
next. It needs the extra `parquet`.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import IO, Any

from hushpoll_server.export.columns import Column, Row
from hushpoll_shared.errors import InvalidValue

# The most rows of a part: all that is held in memory.
ROWS_AT_A_TIME = 10_000
_WITHOUT = "parquet needs pyarrow: install the extra with pip install 'hushpoll[parquet]'"


def write_parquet(file: IO[bytes], columns: Sequence[Column], rows: Iterable[Row]) -> None:
    """Write the rows to a file."""
    arrow, parquet = _library("pyarrow"), _library("pyarrow.parquet")
    schema = arrow.schema([(column.name, _arrow_type(arrow, column)) for column in columns])
    rest = iter(rows)
    with parquet.ParquetWriter(file, schema) as writer:
        while part := list(islice(rest, ROWS_AT_A_TIME)):
            writer.write_table(_table(arrow, schema, part))
            # Before the next part is read, so that only one is held.
            part.clear()


def check_parquet() -> None:
    """Refuse to start without the library, before anything is read or written."""
    _library("pyarrow")


def _table(arrow: Any, schema: Any, rows: Sequence[Row]) -> Any:
    return arrow.table({name: [row.get(name) for row in rows] for name in schema.names}, schema=schema)


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise InvalidValue(_WITHOUT) from None


def _arrow_type(arrow: Any, column: Column) -> Any:
    return {"text": arrow.string, "whole": arrow.int64, "number": arrow.float64}[column.kind]()
