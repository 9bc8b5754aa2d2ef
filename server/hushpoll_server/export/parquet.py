"""Tables as Parquet, written part by part, with the types that the list of columns states.

The rule here: types never follow from the values, because a column that is empty in this survey may have values in the
next. It needs the extra `parquet`.
"""

from __future__ import annotations

import importlib
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from hushpoll_server.export.columns import Column, Row
from hushpoll_shared.errors import InvalidValue

# The most rows of a part: all that is held in memory.
ROWS_AT_A_TIME = 10_000
_WITHOUT = "parquet needs pyarrow: install the extra with pip install 'hushpoll[parquet]'"


class ParquetMissing(InvalidValue):
    """The library that writes Parquet is not installed."""


def parquet_parts(columns: Sequence[Column], rows: Iterable[Row]) -> Iterator[bytes]:
    """Yield the bytes of a Parquet file, part by part."""
    arrow, parquet = _library("pyarrow"), _library("pyarrow.parquet")
    schema = arrow.schema([(column.name, _arrow_type(arrow, column)) for column in columns])
    rest, sink = iter(rows), _Sink()
    with parquet.ParquetWriter(arrow.PythonFile(sink, mode="w"), schema) as writer:
        while part := list(islice(rest, ROWS_AT_A_TIME)):
            writer.write_table(_table(arrow, schema, part))
            # Before the next part is read, so that only one is held.
            part.clear()
            yield sink.take()
    yield sink.take()


class _Sink(io.RawIOBase):
    """A file that holds what was written since the last time that it was taken."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        return len(self._parts[-1])

    def take(self) -> bytes:
        taken = b"".join(self._parts)
        self._parts.clear()
        return taken


def check_parquet() -> None:
    """Refuse to start without the library, before anything is read or written."""
    _library("pyarrow")


def has_parquet() -> bool:
    """Return whether the library is there."""
    try:
        check_parquet()
    except ParquetMissing:
        return False
    return True


def _table(arrow: Any, schema: Any, rows: Sequence[Row]) -> Any:
    return arrow.table({name: [row.get(name) for row in rows] for name in schema.names}, schema=schema)


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ParquetMissing(_WITHOUT) from None


def _arrow_type(arrow: Any, column: Column) -> Any:
    return {"text": arrow.string, "whole": arrow.int64, "number": arrow.float64}[column.kind]()
