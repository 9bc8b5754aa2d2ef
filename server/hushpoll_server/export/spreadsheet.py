"""Tables as CSV: everything is quoted, and no spreadsheet runs a text as a formula."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from hushpoll_server.export.columns import Column, Row, names_of

# Spreadsheets run a text that starts with one of these as a formula, even after blanks, quotes or invisible letters.
_FORMULA = r"[=+\-@＝＋－＠]"
_SKIPPED = r"[\s\"\x00-\x1f\u200b-\u200f\u2060\ufeff]*"
_FORMULA_AT_START = re.compile(rf"[\t\r\n]|{_SKIPPED}{_FORMULA}")
# Where the comma is the decimal separator, spreadsheets split at semicolons or tabs, even inside quotes.
_FORMULA_IN_NEXT_CELL = re.compile(rf"([;\t\r\n]{_SKIPPED})(?={_FORMULA})")
# The most rows that are held in memory.
_ROWS_AT_A_TIME = 1_000


def guard(value: object) -> object:
    """Return a text so that no spreadsheet runs it, or a part of it, as a formula; numbers stay numbers."""
    if not isinstance(value, str):
        return value
    prefix = "'" if _FORMULA_AT_START.match(value) else ""
    return prefix + _FORMULA_IN_NEXT_CELL.sub(r"\1'", value)


def csv_parts(columns: Sequence[Column], rows: Iterable[Row]) -> Iterator[bytes]:
    """Yield the bytes of a CSV file, part by part."""
    header, rest = names_of(columns), iter(rows)
    yield _written([[guard(name) for name in header]])
    while part := list(islice(rest, _ROWS_AT_A_TIME)):
        yield _written([[guard(row.get(name)) for name in header] for row in part])


def _written(cells: Iterable[Sequence[object]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows(cells)
    return text.getvalue().encode()
