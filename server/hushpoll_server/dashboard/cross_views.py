"""Tables of two or three questions as a page shows them: shares, row percentages, differences, tests and odds ratios.

The rule here: figures are there from the first report on; sentences about tests wait until there are enough reports. A
table that nobody can read is not drawn: the page says how to get it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hushpoll_server.analysis.variables import Variable
from hushpoll_server.dashboard.choices import title_of, words_of
from hushpoll_server.dashboard.crosstable import MOST_COLUMNS, MOST_ROWS, independence_words
from hushpoll_server.dashboard.difference_rows import Differences, private_differences
from hushpoll_server.dashboard.formatting import Estimated
from hushpoll_server.dashboard.panel import TOO_EARLY_BELOW
from hushpoll_server.estimate.groups.private import PrivateGroups
from hushpoll_server.estimate.tables.crosstab import Crosstab
from hushpoll_server.estimate.tables.crosstable import Independence
from hushpoll_server.estimate.tables.odds_ratios import OddsRatio, compared_odds
from hushpoll_server.estimate.tables.three_way import ThreeWay

# More odds ratios than these are for a program to read.
MOST_ODDS_RATIOS = 24


@dataclass(frozen=True)
class Grid:
    """Figures by rows and columns; `margins` are those of the columns, and each row ends with its own, or None."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Estimated, ...], Estimated | None], ...]
    margins: tuple[Estimated, ...] = ()


@dataclass(frozen=True, kw_only=True)
class OddsRow:
    """An odds ratio with what it compares, in words."""

    compares: str
    figure: Estimated


@dataclass(frozen=True, kw_only=True)
class TableView:
    """A table of two questions, alone or among those with one answer to a third."""

    title: str = ""
    shares: Grid | None = None
    percentages: Grid | None = None
    differences: Differences | None = None
    sentences: tuple[str, ...] = ()
    odds: tuple[OddsRow, ...] = ()
    odds_left_out: int = 0
    warnings: tuple[str, ...] = ()


def is_readable(variables: Sequence[Variable]) -> bool:
    """Return whether a table of these questions is small enough to read."""
    rows, columns, *levels = (len(variable.answers) for variable in variables)
    return rows <= MOST_ROWS and columns <= MOST_COLUMNS and all(level <= MOST_COLUMNS for level in levels)


def two_way_view(table: Crosstab, variables: Sequence[Variable]) -> TableView:
    """Lay out a table of two questions."""
    rows, columns = (words_of(variable) for variable in variables)
    if table.groups is None:
        return TableView()
    lines = _lines(table.cells, len(columns))
    return replace(
        _related(table.groups, table.independence, table.odds_ratios, variables, table.n),
        title=" × ".join(title_of(variable) for variable in variables),
        shares=Grid(columns, tuple(zip(rows, lines, table.row_margins, strict=True)), table.column_margins),
    )


def three_way_views(table: ThreeWay, variables: Sequence[Variable]) -> tuple[TableView, ...]:
    """Lay out a table of the first two questions for each answer to the third; none without reports."""
    rows, columns, levels = (words_of(variable) for variable in variables)
    cells = list(table.cells.values())
    views = []
    for place, (within, word) in enumerate(zip(table.within, levels, strict=bool(table.within))):
        lines = _lines(cells[place :: len(levels)], len(columns))
        views.append(
            replace(
                _related(within.groups, within.independence, within.odds_ratios, variables[:2], table.n),
                title=f"{title_of(variables[2])} {word}",
                shares=Grid(columns, tuple(zip(rows, lines, [None] * len(rows), strict=True))),
                warnings=within.warnings,
            )
        )
    return tuple(views)


@dataclass(frozen=True)
class _Words:
    """What people read for the answers of rows and columns, by name."""

    rows: Mapping[str, str]
    columns: Mapping[str, str]

    @classmethod
    def of(cls, variables: Sequence[Variable]) -> _Words:
        first, second = (dict(zip(each.answers, words_of(each), strict=True)) for each in variables)
        return cls(first, second)

    def odds(self, ratio: OddsRatio) -> OddsRow:
        (one, other), (left, right) = ratio.rows, ratio.columns
        compares = compared_odds((self.rows[one], self.rows[other]), (self.columns[left], self.columns[right]))
        return OddsRow(compares=compares, figure=ratio.ratio)


def _related(
    groups: PrivateGroups,
    test: Independence | None,
    ratios: Sequence[OddsRatio],
    variables: Sequence[Variable],
    n: int,
) -> TableView:
    """Return how the rows of a table are related to its columns, without the table itself."""
    words, columns = _Words.of(variables), words_of(variables[1])
    lines = _lines([each.figure for each in groups.percentages], len(columns))
    named = zip(words.rows.values(), lines, [None] * len(lines), strict=True)
    return TableView(
        percentages=Grid(columns, tuple(named)),
        differences=private_differences(groups.differences, words.rows, words.columns),
        sentences=(independence_words(test),) if test and n >= TOO_EARLY_BELOW else (),
        odds=tuple(words.odds(ratio) for ratio in ratios[:MOST_ODDS_RATIOS]),
        odds_left_out=max(0, len(ratios) - MOST_ODDS_RATIOS),
    )


def _lines(cells: Sequence[Estimated], width: int) -> list[tuple[Estimated, ...]]:
    return [tuple(cells[start : start + width]) for start in range(0, len(cells), width)]
