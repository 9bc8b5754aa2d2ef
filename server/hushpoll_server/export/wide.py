"""The wide table of figures: a row for each question, and of each group if figures are by groups.

The figures of an answer are in columns with its name: estimate_yes, se_yes, low_yes, high_yes, tidy_yes, count_yes. The
rule here: no two figures of a question share a column, whatever its answers are called, and the numbers are those of
the long table. Cross tables are in the long table only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.export.columns import Column, Row, number, whole
from hushpoll_server.export.figures import GROUP_COLUMNS, Figures
from hushpoll_server.export.tables import COLUMNS, long_rows

# The most columns of a sheet in the usual spreadsheets.
MOST_COLUMNS = 16_384
_SAME = ("survey", "manifest", "question", "text", "type", "n", "level", "method", "coverage", "population")
_DESIGN = ("mechanism", "p", "q", "epsilon")
_BY_NAME = {column.name: column for column in COLUMNS}
ABOUT = (
    *(_BY_NAME[name] for name in (*_SAME, *_DESIGN)),
    *GROUP_COLUMNS,
    Column("withheld", "yes for a group with too few reports, of which there are no figures"),
)
# The figures of an answer; those of means, quantiles and the like have neither counts nor tidy values.
_OF_CELLS = ("estimate", "se", "low", "high", "tidy", "count", "asked")
_OF_NUMBERS = ("se", "low", "high")


def wide_table(every: Iterable[Figures]) -> tuple[tuple[Column, ...], list[Row]]:
    """Return the columns that these figures need, and the rows."""
    columns: dict[str, Column] = {}
    rows: dict[tuple[object, object], Row] = {}
    for row in long_rows(every):
        if row["kind"] not in _KINDS:
            continue
        wide = rows.setdefault((row.get("group"), row["question"]), _about(row))
        for column, value in _figures(row):
            columns.setdefault(column.name, column)
            wide[column.name] = value
        _check_size(columns)
    return (*ABOUT, *columns.values()), list(rows.values())


def _about(row: Row) -> Row:
    return {**{column.name: row.get(column.name) for column in ABOUT}, "withheld": _is_withheld(row)}


def _is_withheld(row: Row) -> str | None:
    return "yes" if row["kind"] == "withheld" else None


def _figures(row: Row) -> Iterator[tuple[Column, object]]:
    if row["kind"] == "withheld":
        return
    if row["kind"] == "cell":
        yield from _cell_figures(row)
        return
    name = _name_of_number(row)
    yield number(name, f"{_WORDS[row['kind']]}: the estimate"), row["estimate"]
    for figure in _OF_NUMBERS:
        yield number(f"{name}_{figure}", f"{name}: {_BY_NAME[figure].meaning}"), row.get(figure)


def _cell_figures(row: Row) -> Iterator[tuple[Column, object]]:
    for figure in _OF_CELLS:
        if figure == "asked" and row.get(figure) is None:
            continue
        make = whole if _BY_NAME[figure].kind == "whole" else number
        meaning = f"of the answer {row['cell']!r}: {_BY_NAME[figure].meaning}"
        yield make(f"{figure}_{row['cell']}", meaning), row.get(figure)


_WORDS = {
    "mean": "the mean of a number",
    "sd": "the standard deviation of a number",
    "quantile": "the number below which this percentage of all numbers lies",
    "below": "the share of numbers below this one",
    "bin": "the share of numbers in this bin",
}
# Cross tables, and how the parts of a pair are related, are in the long table only.
_KINDS = ("cell", "withheld", *_WORDS)


def _name_of_number(row: Row) -> str:
    """Return a name that starts unlike that of any figure of an answer."""
    if row["kind"] == "quantile":
        return f"quantile_{100 * row['share']:g}"
    if row["kind"] == "below":
        return f"below_{str(row['to']).removesuffix('.0')}"
    return f"bin_{row['cell']}" if row["kind"] == "bin" else str(row["kind"])


def _check_size(columns: Sized) -> None:
    if len(ABOUT) + len(columns) > MOST_COLUMNS:
        raise EstimateError(
            f"the wide table would have more than {MOST_COLUMNS:,} columns, which no spreadsheet opens: choose "
            "--shape long"
        )
