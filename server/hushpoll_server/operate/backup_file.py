"""The file of a backup: lines of JSON from which either engine can be filled, with a hash of everything at the end.

    {"format":"hushpoll-backup-1","hushpoll":"0.1.0","schema":"hushpoll_0005"}
    {"table":"survey","columns":{"name":"text","manifest_id":"text","envelope":"bytes",…}}
    ["campus","4e7c…","eyJ…",…]
    …
    {"rows":20412,"sha256":"9f0c…"}

Bytes are base64. The hash is that of all lines before the last. The rules here: every table is in a backup, unless it
is named here with a reason. The meaning of a format never changes; a different one gets a different name.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode, b64encode
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Boolean, Column, Integer, LargeBinary, Table
from sqlmodel import AutoString

from hushpoll_server.operate.tables import all_tables
from hushpoll_server.store.migrate import head
from hushpoll_shared import strict_json
from hushpoll_shared.errors import HushpollError
from hushpoll_shared.signing import LARGEST_ENVELOPE

FORMAT = "hushpoll-backup-1"
# A link that was used or withdrawn and a session that was ended must not become valid again.
LEFT_OUT = frozenset({"sign_in_link", "researcher_session", "share_link"})
# In an order in which foreign keys are satisfied.
TABLES = {table.name: table for table in all_tables() if table.name not in LEFT_OUT}
_NAMES = {bytes: "bytes", bool: "boolean", int: "integer", str: "text"}
_TYPES = ((LargeBinary, bytes), (Boolean, bool), (Integer, int), (AutoString, str))
# Both engines store integers of 64 bits.
_INTEGER_LIMIT = 2**63
_LONGEST_HEAD = 1_000
LONGEST_LINE = 2 * LARGEST_ENVELOPE
_DAMAGED = "the backup is damaged or incomplete: use another copy of it"

Row = dict[str, Any]


class BadBackup(HushpollError):
    """A file that cannot be restored."""


@dataclass(frozen=True)
class ColumnType:
    """How values of one column are spelled in the file."""

    type: type

    @classmethod
    def of(cls, column: Column[Any]) -> ColumnType:
        """Return the type of a column."""
        return cls(next(type_ for of, type_ in _TYPES if isinstance(column.type, of)))

    @property
    def name(self) -> str:
        """Return the name of the type in the file."""
        return _NAMES[self.type]

    def write(self, value: Any) -> Any:
        """Return a value as it is written to the file."""
        return b64encode(value).decode() if self.type is bytes else value

    def read(self, value: Any) -> Any:
        """Return a value as it is stored in the database; SQLite by itself would accept a value of any type."""
        decoded = b64decode(value, validate=True) if self.type is bytes else value
        fits = not isinstance(decoded, int) or -_INTEGER_LIMIT <= decoded < _INTEGER_LIMIT
        if not fits or type(decoded) is not self.type:
            raise ValueError(f"this is not of the type {self.name}")
        return decoded


def column_types(table: Table) -> dict[str, ColumnType]:
    """Return the columns of a table with their types."""
    return {column.name: ColumnType.of(column) for column in table.columns}


class BackupWriter:
    """A writer of a backup, from its first line to its last."""

    def __init__(self, file: IO[bytes]) -> None:
        """Write the first line."""
        self._file, self._hash, self.rows = file, hashlib.sha256(), 0
        self._line({"format": FORMAT, "hushpoll": version("hushpoll"), "schema": head()})

    def table(self, table: Table) -> None:
        """Begin a table."""
        self._types = list(column_types(table).values())
        self._line(_table_line(table))

    def row(self, values: tuple[Any, ...]) -> None:
        """Write a row of the table that was begun last."""
        self._line([type_.write(value) for type_, value in zip(self._types, values, strict=True)])
        self.rows += 1

    def end(self) -> None:
        """Write the last line."""
        self._line({"rows": self.rows, "sha256": self._hash.hexdigest()})

    def _line(self, value: Any) -> None:
        line = strict_json.dumps(value) + b"\n"
        self._hash.update(line)
        self._file.write(line)


def read_rows(path: Path) -> Generator[tuple[str, Row]]:
    """Yield every row with its table; raise `BadBackup` if the file is not complete, which may show only at the end."""
    with path.open("rb") as file:
        head_line = file.readline(_LONGEST_HEAD)
        _check_head(head_line)
        yield from _read_body(file, hashlib.sha256(head_line))


def count_rows(path: Path) -> int:
    """Check the whole file and return how many rows it has."""
    return sum(1 for _ in read_rows(path))


def _check_head(line: bytes) -> None:
    fields = _read_line(line)
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise BadBackup(f"this is not a backup of the format {FORMAT}: choose a file that hushpoll backup has written")
    if fields.get("schema") != head():
        raise BadBackup(
            f"this backup was written by Hushpoll {fields.get('hushpoll')}, whose tables differ from this version's: "
            "restore it with that version, then update"
        )


def _read_body(file: IO[bytes], digest: Any) -> Iterator[tuple[str, Row]]:
    table, types, rows = "", dict[str, ColumnType](), 0
    # The longest lines of a backup are those with an envelope or public counters: a longer one is not read to its end.
    for line in iter(partial(file.readline, LONGEST_LINE), b""):
        value = _read_line(line)
        if isinstance(value, dict) and "sha256" in value:
            if value != {"rows": rows, "sha256": digest.hexdigest()} or file.read(1):
                break
            return
        digest.update(line)
        if isinstance(value, dict) or not table:
            table, types = _read_table(value)
        else:
            rows += 1
            yield table, _read_row(types, value)
    raise BadBackup(_DAMAGED)


def _read_line(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _table_line(table: Table) -> dict[str, Any]:
    return {"table": table.name, "columns": {column: type_.name for column, type_ in column_types(table).items()}}


def _read_table(value: Any) -> tuple[str, dict[str, ColumnType]]:
    for name, table in TABLES.items():
        if value == _table_line(table):
            return name, column_types(table)
    raise BadBackup("the backup has a table that this version does not know: restore it with the version that wrote it")


def _read_row(types: dict[str, ColumnType], value: Any) -> Row:
    try:
        return {column: type_.read(part) for (column, type_), part in zip(types.items(), value, strict=True)}
    except (TypeError, ValueError):
        raise BadBackup(_DAMAGED) from None
