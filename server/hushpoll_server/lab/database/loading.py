"""A CSV file as columns of whole numbers, with the hash by which the ledger knows it.

The rule here: a cell that is missing or does not fit is an error with its line, before anything is answered, or its row
is left out by a rule that looks at that row alone. So a row more in the file is at most a row more in the table. The
hash is of the bytes that were read; a copy under another name has the same.
"""

from __future__ import annotations

import csv
import hashlib
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import BinaryIO, Literal

from hushpoll_server.lab.database.columns import Categories, Kind, Labels, Numbers
from hushpoll_server.lab.database.schema import Schema
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.texts import normal_form

Missing = Literal["refuse", "drop"]
Advance = Callable[[int], None]

MOST_COLUMNS = 1000
LONGEST_LINE = 1_000_000
_REMEMBERED_CELLS = 65_536


@dataclass(frozen=True)
class Column:
    """A column: its declared kind, its cells as whole numbers, and the texts of labels in the order of their codes."""

    name: str
    kind: Kind
    codes: array[int]
    labels: dict[str, int] = field(default_factory=dict)

    def bins(self) -> array[int]:
        """Return the index of the bin or category of every cell."""
        return array("q", map(self.kind.bin, self.codes)) if isinstance(self.kind, Numbers) else self.codes


@dataclass(frozen=True)
class Table:
    """A table that was loaded: the hash of its file, how missing cells are treated, and its columns."""

    hash: str
    missing: Missing
    columns: tuple[Column, ...]

    @property
    def rows(self) -> int:
        """Return the number of rows: as secret as an answer."""
        return len(self.columns[0].codes)

    def find(self, name: str) -> int | None:
        """Return the place of a column."""
        return next((place for place, column in enumerate(self.columns) if column.name == name), None)

    @property
    def declaration(self) -> str:
        """Return what decides the meaning of a query beside its words."""
        columns = "; ".join(f"{column.name!r}: {column.kind}" for column in self.columns)
        return f"missing {self.missing}; {columns}"


def load(path: Path, schema: Schema, *, missing: Missing = "refuse", advance: Advance = lambda _: None) -> Table:
    """Read a file; `advance` is called with the bytes of every line."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        rows = csv.reader(_lines(file, digest.update, advance), strict=True)
        try:
            columns = _columns(_header(next(rows, []), schema), schema)
            for row in rows:
                _append(columns, row, missing=missing, place=f"line {rows.line_num}")
        except InvalidValue as error:
            raise InvalidValue(f"{path}: {error}") from None
        except UnicodeDecodeError:
            raise InvalidValue(f"{path}, line {rows.line_num + 1}: not text in UTF-8: save it as UTF-8") from None
        except csv.Error:
            raise InvalidValue(f"{path}, line {rows.line_num}: this is not CSV: save the table as CSV") from None
    return Table(digest.hexdigest(), missing, tuple(reader.column for reader in columns))


def _lines(file: BinaryIO, update: Callable[[bytes], None], advance: Advance) -> Iterator[str]:
    encoding = "utf-8-sig"
    for line in iter(partial(file.readline, LONGEST_LINE), b""):
        if len(line) == LONGEST_LINE:
            raise InvalidValue(f"a line is longer than {LONGEST_LINE} bytes: save the table as CSV")
        update(line)
        advance(len(line))
        yield line.decode(encoding)
        encoding = "utf-8"


def _header(cells: Sequence[str], schema: Schema) -> list[str]:
    names = [normal_form(cell) for cell in cells]
    if not names or not all(names):
        raise InvalidValue("a column has no name: write the names of all columns in the first line")
    if len(set(names)) < len(names):
        raise InvalidValue("two columns have the same name: rename one of them")
    if len(names) > MOST_COLUMNS:
        raise InvalidValue(f"there are more than {MOST_COLUMNS} columns: leave out those that nobody asks for")
    if unknown := sorted(schema.kinds.keys() - set(names)):
        raise InvalidValue(f"there is no column {unknown[0]} as declared: the columns are {', '.join(names)}")
    return names


class _ColumnReader:
    """What turns the cells of one column into codes."""

    def __init__(self, name: str, kind: Kind) -> None:
        self.column = Column(name, kind, array("q"))
        self.append = self.column.codes.append
        self.lacks = kind.lacks if isinstance(kind, Numbers) else _is_empty
        # Most cells of a column come again.
        self.code = self._label if isinstance(kind, Labels) else lru_cache(_REMEMBERED_CELLS)(_reader(kind))

    def _label(self, text: str) -> int:
        return self.column.labels.setdefault(text, len(self.column.labels))


def _normal(cell: str) -> str:
    # Digits and plain letters are their own normal form.
    return cell if cell.isascii() and cell.isalnum() else normal_form(cell)


def _is_empty(cell: str) -> bool:
    return not cell


def _reader(kind: Numbers | Categories) -> Callable[[str], int]:
    return kind.code


def _columns(names: Sequence[str], schema: Schema) -> list[_ColumnReader]:
    return [_ColumnReader(name, schema.kind(name)) for name in names]


def _append(columns: Sequence[_ColumnReader], row: Sequence[str], *, missing: Missing, place: str) -> None:
    # csv returns an empty list for a line without any text.
    if not row and len(columns) > 1:
        return
    cells = [_normal(cell) for cell in row] or [""]
    if len(cells) != len(columns):
        raise InvalidValue(
            f"{place}: there are {len(cells)} cells for {len(columns)} columns: separate cells by commas, and put a "
            "cell with a comma in quotes"
        )
    if lacking := [column for column, cell in zip(columns, cells, strict=True) if column.lacks(cell)]:
        if missing == "drop":
            return
        raise InvalidValue(
            f"{place}: the cell of column {lacking[0].column.name} is missing: fill it in, or leave such rows out by "
            "--missing drop"
        )
    codes = [_code(column, cell, place) for column, cell in zip(columns, cells, strict=True)]
    for column, code in zip(columns, codes, strict=True):
        column.append(code)


def _code(column: _ColumnReader, cell: str, place: str) -> int:
    try:
        return column.code(cell)
    except InvalidValue as error:
        raise InvalidValue(f"{place}: the cell of column {column.column.name} {error}") from None
