"""Differences between groups as a table shows them, whether the groups are public or answers to a question.

The rule here: a page does not grow with the number of pairs. Of many differences those with the smallest p-values are
shown, and the page says so; the adjusted p-values are for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hushpoll_server.analysis.comparison import GroupDifference
from hushpoll_server.dashboard import formatting
from hushpoll_server.dashboard.formatting import Estimated, Unit
from hushpoll_server.estimate.groups.row_ratios import RowDifference

MOST_SHOWN = 60


@dataclass(frozen=True, kw_only=True)
class DifferenceRow:
    """The difference of two groups: what it is called, its figures, tests, and ratio."""

    name: str
    figure: Estimated
    p_value: float | None
    adjusted: float | None
    ratio: Estimated | None = None


@dataclass(frozen=True, kw_only=True)
class Differences:
    """The differences to show, and how many there are."""

    rows: tuple[DifferenceRow, ...]
    number: int
    unit: Unit = formatting.SHARE

    @property
    def are_some(self) -> bool:
        """Return whether there are more than are shown."""
        return len(self.rows) < self.number

    @property
    def have_ratios(self) -> bool:
        """Return whether any of them has a ratio."""
        return any(row.ratio for row in self.rows)


def public_differences(
    differences: Sequence[GroupDifference], names: Mapping[str, str], unit: Unit = formatting.SHARE
) -> Differences:
    """Return the differences between public groups, by the names that people read."""
    rows = [
        DifferenceRow(
            name=f"{names[each.first]} minus {names[each.second]}",
            figure=each.difference,
            p_value=each.difference.p_value,
            adjusted=each.adjusted_p_value,
            ratio=each.ratio,
        )
        for each in differences
    ]
    return _largest(rows, unit)


def private_differences(
    differences: Sequence[RowDifference],
    rows: Mapping[str, str],
    columns: Mapping[str, str] | None = None,
    unit: Unit = formatting.SHARE,
) -> Differences:
    """Return the differences between answers to a question; with the words of the columns, named by them, too."""
    found = [
        DifferenceRow(
            name=_named(f"{rows[each.first]} minus {rows[each.second]}", each.column, columns),
            figure=each.difference,
            p_value=each.p_value,
            adjusted=each.adjusted_p_value,
            ratio=each.ratio,
        )
        for each in differences
    ]
    return _largest(found, unit)


def _named(pair: str, column: str | None, columns: Mapping[str, str] | None) -> str:
    return pair if columns is None or column is None else f"{columns[column]}: {pair}"


def _largest(rows: Sequence[DifferenceRow], unit: Unit) -> Differences:
    if len(rows) <= MOST_SHOWN:
        return Differences(rows=tuple(rows), number=len(rows), unit=unit)
    ordered = sorted(rows, key=lambda row: 1.0 if row.p_value is None else row.p_value)
    return Differences(rows=tuple(ordered[:MOST_SHOWN]), number=len(rows), unit=unit)
