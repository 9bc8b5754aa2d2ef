"""Columns of a CSV file as numbers or labels, read strictly: a cell that is neither is an error with its line.

The rule here: nothing is guessed or left out. A cell is never repeated in an error, as it may hold an answer.
"""

from __future__ import annotations

import csv
import math
import sys
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from hushpoll_shared.errors import InvalidValue

Value = TypeVar("Value")
NumberReader = Callable[[str], float]
Reader = Callable[[str], float | str]

_YES_NO = {"1": 1.0, "0": 0.0, "yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0}
# As many names of columns are listed where one is missing.
_MOST_LISTED = 30


def read_number(text: str) -> float:
    """Return a finite number."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or "_" in text:
        raise InvalidValue("is not a finite number: write one such as 1.5, or leave the row out")
    return number


def read_label(text: str) -> str:
    """Return a label without the blanks around it; the same text is kept once."""
    return sys.intern(text.strip())


class NumberOrLabel:
    """A reader of one column, which has numbers if its first cell is one, and labels otherwise."""

    def __init__(self) -> None:
        """Leave it to the first cell."""
        self._read: Reader | None = None

    def __call__(self, text: str) -> float | str:
        """Return a cell of the same kind as the first."""
        if self._read is None:
            self._read = read_number if _is_number(text) else read_label
        if self._read is read_label and _is_number(text):
            raise InvalidValue(
                "is a number among labels: write numbers only, or name the column in --reference if all are labels"
            )
        return self._read(text)


def read_yes_no(text: str) -> float:
    """Return 1 for a report of yes and 0 for no."""
    value = _YES_NO.get(text.strip().lower())
    if value is None:
        raise InvalidValue("is neither 1 nor 0: write 1 for a report of yes and 0 for no, or leave the row out")
    return value


def read_columns(path: Path, readers: Mapping[str, Reader]) -> dict[str, Sequence[float] | Sequence[str]]:
    """Return the named columns, each read by its own reader."""
    columns: dict[str, Any] = {}
    for line, row in _rows(path, list(readers)):
        for name, reader in readers.items():
            value = _cell(row[name], reader, f"{path}, line {line}: the cell of column {name}")
            columns.setdefault(name, [] if isinstance(value, str) else array("d")).append(value)
    return {name: columns.get(name, array("d")) for name in readers}


def read_labelled(
    path: Path, readers: Mapping[str, NumberReader], labels: Sequence[str]
) -> tuple[dict[str, Sequence[float]], dict[str, list[str]]]:
    """Return the named columns of numbers, each read by its own reader, and those of labels as they are written."""
    columns = {name: array("d") for name in readers}
    texts: dict[str, list[str]] = {name: [] for name in labels}
    for line, row in _rows(path, [*readers, *labels]):
        for name, reader in readers.items():
            columns[name].append(_cell(row[name], reader, f"{path}, line {line}: the cell of column {name}"))
        for name in labels:
            texts[name].append(_cell(row[name], read_label, f"{path}, line {line}: the cell of column {name}"))
    return dict(columns), texts


def read_optional_columns(path: Path, readers: Mapping[str, NumberReader]) -> dict[str, Sequence[float]]:
    """Return the named columns of numbers, with NaN for empty cells."""
    columns = {name: array("d") for name in readers}
    for line, row in _rows(path, list(readers)):
        for name, reader in readers.items():
            place = f"{path}, line {line}: the cell of column {name}"
            columns[name].append(_cell(row[name], reader, place) if row[name].strip() else math.nan)
    return dict(columns)


def _is_number(text: str) -> bool:
    try:
        read_number(text)
    except InvalidValue:
        return False
    return True


def _rows(path: Path, names: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file)
        try:
            header = [name.strip() for name in next(rows, [])]
            _check_header(path, header, names)
            for row in rows:
                if row:
                    yield rows.line_num, _named(header, row, f"{path}, line {rows.line_num}")
        except UnicodeDecodeError:
            raise InvalidValue(f"{path} is not text in UTF-8: save it as CSV in UTF-8") from None
        except csv.Error:
            raise InvalidValue(f"{path}, line {rows.line_num + 1}: this is not CSV: save the table as CSV") from None


def _named(header: Sequence[str], row: Sequence[str], place: str) -> dict[str, str]:
    if len(row) != len(header):
        raise InvalidValue(
            f"{place}: there are {len(row)} cells for {len(header)} columns: separate cells by commas, and put a cell "
            "with a comma in quotes"
        )
    return dict(zip(header, row, strict=True))


def _check_header(path: Path, header: Sequence[str], names: Sequence[str]) -> None:
    if not any(header):
        raise InvalidValue(f"{path} has no first line with the names of its columns: add one")
    missing = [name for name in names if name not in header]
    if missing:
        more = ", …" if len(header) > _MOST_LISTED else ""
        raise InvalidValue(
            f"{path} has no column {', '.join(missing)}: name one of those that it has: "
            f"{', '.join(header[:_MOST_LISTED])}{more}"
        )
    if any(header.count(name) > 1 for name in names):
        raise InvalidValue(f"{path} has two columns of the same name: rename one of them")


def _cell(text: str, reader: Callable[[str], Value], what: str) -> Value:
    if not text.strip():
        raise InvalidValue(f"{what} is empty: fill it in or leave the row out")
    try:
        return reader(text)
    except InvalidValue as error:
        raise InvalidValue(f"{what} {error}") from None
