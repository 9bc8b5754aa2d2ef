"""The file of a backup: lines of JSON that any engine can be filled from, with a hash of everything at the end.

    {"format":"hushpoll-backup-1","hushpoll":"0.1.0","schema":"hushpoll_0007"}
    {"table":"survey","columns":{"name":"text","manifest_id":"text","envelope":"bytes",…}}
    ["campus","4e7c…","eyJ…",…]
    …
    {"rows":20412,"sha256":"9f0c…"}

Bytes are base64. The hash is that of all lines before the last. The laws here: every table is in a backup, unless it is
named here with a reason. The meaning of a format never changes; another one gets another name.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode, b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Boolean, Column, Integer, LargeBinary, Table
from sqlmodel import AutoString, SQLModel

import hushpoll_server.services  # noqa: F401 (all rooms, and so all tables)
from hushpoll_server.store.migrate import head
from hushpoll_shared import strict_json
from hushpoll_shared.errors import HushpollError
from hushpoll_shared.signing import LARGEST_ENVELOPE

FORMAT = "hushpoll-backup-1"
# A link that was used and a session that was ended must not come back to life.
LEFT_OUT = frozenset({"sign_in_link", "researcher_session"})
# In an order in which they can be filled.
TABLES = {table.name: table for table in SQLModel.metadata.sorted_tables if table.name not in LEFT_OUT}
_NAMES = {bytes: "bytes", bool: "boolean", int: "integer", str: "text"}
_TYPES = ((LargeBinary, bytes), (Boolean, bool), (Integer, int), (AutoString, str))
# Both engines keep whole numbers of 64 bits.
_LARGEST = 2**63
_LONGEST_HEAD = 1_000
_LONGEST_LINE = 2 * LARGEST_ENVELOPE
_DAMAGED = "the backup is damaged or not complete: take another copy of it"

Row = dict[str, Any]


class BadBackup(HushpollError):
    """Say that a file cannot be restored, and the cure."""


@dataclass(frozen=True)
class Kind:
    """How values of one column are spelled in the file."""

    type: type

    @classmethod
    def of(cls, column: Column[Any]) -> Kind:
        """Give the kind of a column."""
        return cls(next(type_ for of, type_ in _TYPES if isinstance(column.type, of)))

    @property
    def name(self) -> str:
        """Give the name that stands in the file."""
        return _NAMES[self.type]

    def write(self, value: Any) -> Any:
        """Give what stands in the file."""
        return b64encode(value).decode() if self.type is bytes else value

    def read(self, value: Any) -> Any:
        """Give what belongs in the database; SQLite by itself would take a value of any kind."""
        found = b64decode(value, validate=True) if self.type is bytes else value
        fits = not isinstance(found, int) or -_LARGEST <= found < _LARGEST
        if not fits or type(found) is not self.type:
            raise ValueError(f"this is not of the kind {self.name}")
        return found


def kinds_of(table: Table) -> dict[str, Kind]:
    """Give the columns of a table with their kinds."""
    return {column.name: Kind.of(column) for column in table.columns}


class BackupWriter:
    """Write a backup from its first line to its last."""

    def __init__(self, file: IO[bytes]) -> None:
        """Begin with the head."""
        self._file, self._hash, self.rows = file, hashlib.sha256(), 0
        self._line({"format": FORMAT, "hushpoll": version("hushpoll"), "schema": head()})

    def table(self, table: Table) -> None:
        """Begin a table."""
        self._kinds = list(kinds_of(table).values())
        self._line(_table_line(table))

    def row(self, values: tuple[Any, ...]) -> None:
        """Write a row of the table that was begun."""
        self._line([kind.write(value) for kind, value in zip(self._kinds, values, strict=True)])
        self.rows += 1

    def end(self) -> None:
        """Write the last line."""
        self._line({"rows": self.rows, "sha256": self._hash.hexdigest()})

    def _line(self, value: Any) -> None:
        line = strict_json.dumps(value) + b"\n"
        self._hash.update(line)
        self._file.write(line)


def read_rows(path: Path) -> Iterator[tuple[str, Row]]:
    """Give every row with its table. Whoever has read to the end knows that the file is whole."""
    with path.open("rb") as file:
        head_line = file.readline(_LONGEST_HEAD)
        _check_head(head_line)
        yield from _read_body(file, hashlib.sha256(head_line))


def count_rows(path: Path) -> int:
    """Check the whole file and tell how many rows it holds."""
    return sum(1 for _ in read_rows(path))


def _check_head(line: bytes) -> None:
    about = _read_line(line)
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise BadBackup(f"this is not a backup of the format {FORMAT}: give a file that hushpoll backup has written")
    if about.get("schema") != head():
        raise BadBackup(
            f"this backup was written by Hushpoll {about.get('hushpoll')}, whose tables differ from this version's: "
            "restore it with that version, then update"
        )


def _read_body(file: IO[bytes], seen: Any) -> Iterator[tuple[str, Row]]:
    table, kinds, rows = "", dict[str, Kind](), 0
    # Nothing in a backup is longer than the longest envelope: a longer line is not read to its end.
    for line in iter(partial(file.readline, _LONGEST_LINE), b""):
        value = _read_line(line)
        if isinstance(value, dict) and "sha256" in value:
            if value != {"rows": rows, "sha256": seen.hexdigest()} or file.read(1):
                break
            return
        seen.update(line)
        if isinstance(value, dict) or not table:
            table, kinds = _read_table(value)
        else:
            rows += 1
            yield table, _read_row(kinds, value)
    raise BadBackup(_DAMAGED)


def _read_line(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _table_line(table: Table) -> dict[str, Any]:
    return {"table": table.name, "columns": {column: kind.name for column, kind in kinds_of(table).items()}}


def _read_table(value: Any) -> tuple[str, dict[str, Kind]]:
    for name, table in TABLES.items():
        if value == _table_line(table):
            return name, kinds_of(table)
    raise BadBackup("the backup holds a table that this version does not know: restore it with its own version")


def _read_row(kinds: dict[str, Kind], value: Any) -> Row:
    try:
        return {column: kind.read(cell) for (column, kind), cell in zip(kinds.items(), value, strict=True)}
    except (TypeError, ValueError):
        raise BadBackup(_DAMAGED) from None
