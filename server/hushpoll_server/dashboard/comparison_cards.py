"""One answer, or a mean, in all groups: a chart with a row for each group, its table, the differences and the test.

Here the groups are public; private_cards.py has those that are answers to a question. The rule here: a group with too
few reports is named and nothing more; the unbiased figures are in the table from the first report on, and only the
chart and the sentence about the test wait until there are enough.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from hushpoll_server.analysis.comparison import GroupFigures, QuestionComparison
from hushpoll_server.dashboard import formatting
from hushpoll_server.dashboard.axis import SHARES, Axis
from hushpoll_server.dashboard.chart import ChartRow, Section, draw_chart
from hushpoll_server.dashboard.crosstable import SIGNIFICANCE, chi_squared
from hushpoll_server.dashboard.difference_rows import Differences, public_differences
from hushpoll_server.dashboard.formatting import Estimated, Unit
from hushpoll_server.dashboard.mean_panel import MeanPanel
from hushpoll_server.dashboard.panel import TOO_EARLY_BELOW
from hushpoll_server.dashboard.panels import AnyPanel, make_panel
from hushpoll_server.dashboard.share_panel import SharePanel
from hushpoll_server.estimate.estimands import QuestionResult
from hushpoll_server.estimate.tables.crosstable import Independence
from hushpoll_shared.questions import Question

# Of a question with more answers only the largest are compared on the page.
MOST_ANSWERS = 12


@dataclass(frozen=True, kw_only=True)
class GroupRow:
    """One group: its name, its figure (None if it is withheld), and its number of reports if that is known."""

    name: str
    figure: Estimated | None
    n: int | None = None


@dataclass(frozen=True, kw_only=True)
class GroupChart:
    """The chart of a card, in a page or as a file of its own."""

    rows: tuple[ChartRow, ...]
    axis: Axis
    prefix: str
    title: str

    def draw(self) -> Markup:
        """Draw the chart for a page, which has its title as a heading."""
        return draw_chart([Section(rows=self.rows, axis=self.axis)], prefix=self.prefix, title=self.title)

    def draw_file(self, legend: tuple[str, ...]) -> Markup:
        """Draw the chart for a file, with title and legend."""
        section = Section(rows=self.rows, axis=self.axis)
        return draw_chart([section], prefix=self.prefix, title=self.title, legend=legend, file=True)


@dataclass(frozen=True, kw_only=True)
class Card:
    """One answer, or a mean, in all groups."""

    title: str
    chart: GroupChart | None
    rows: tuple[GroupRow, ...]
    differences: Differences
    sentences: tuple[str, ...] = ()
    unit: Unit = formatting.SHARE


# A group with its figures at all levels; None if it is withheld.
Grouped = tuple[GroupFigures, AnyPanel | None]


def public_cards(
    question: Question, graded: Mapping[float, Sequence[GroupFigures]], comparison: QuestionComparison
) -> tuple[Card, ...]:
    """Return a card for each answer to compare, or one for the mean; none if all groups are withheld."""
    panels = _panels(question, graded, comparison)
    known = [panel for _, panel in panels if panel is not None]
    if not known:
        return ()
    if isinstance(known[0], MeanPanel):
        return (_mean_card(known[0], panels, comparison),)
    return tuple(_share_card(place, panels, comparison) for place in _places(known))


def _panels(
    question: Question, graded: Mapping[float, Sequence[GroupFigures]], comparison: QuestionComparison
) -> list[Grouped]:
    """Return for each group its figures at all levels; None if it is withheld."""
    by_group = zip(comparison.groups, zip(*graded.values(), strict=True), strict=True)
    return [(group, _panel(question, group, [each.result for each in levels])) for group, levels in by_group]


def _panel(question: Question, group: GroupFigures, graded: Sequence[QuestionResult | None]) -> AnyPanel | None:
    known = [result for result in graded if result is not None]
    return None if group.result is None else make_panel(question, group.result, known)


def _places(known: Sequence[AnyPanel]) -> list[int]:
    """Return the places of the answers to show: all, or the largest by their mean over the groups."""
    shares = [panel.result.cells for panel in known if isinstance(panel, SharePanel)]
    places = range(len(shares[0]))
    if len(places) <= MOST_ANSWERS:
        return list(places)
    largest = heapq.nlargest(MOST_ANSWERS, places, lambda place: sum(cells[place].estimate or 0.0 for cells in shares))
    return sorted(largest)


def _share_card(place: int, panels: Sequence[Grouped], comparison: QuestionComparison) -> Card:
    shares = [(group, panel if isinstance(panel, SharePanel) else None) for group, panel in panels]
    first = next(panel for _, panel in shares if panel)
    cell = first.result.cells[place]
    rows = [_share_row(group, panel, place) for group, panel in shares]
    marks = [_share_marks(group, panel, place) for group, panel in shares]
    test, title = comparison.overall.get(cell.name), first.label(cell)
    differences = [each for each in comparison.differences if each.cell == cell.name]
    return Card(
        title=title,
        chart=chart_of_groups(marks, SHARES, f"chart-{place}", f"Estimated shares by group: {title}"),
        rows=tuple(rows),
        differences=public_differences(differences, _names(comparison)),
        sentences=equal_words(test, "shares") if all(row.n is None or row.n >= TOO_EARLY_BELOW for row in rows) else (),
    )


def _share_row(group: GroupFigures, panel: SharePanel | None, place: int) -> GroupRow:
    if panel is None:
        return GroupRow(name=group.text, figure=None)
    cell = panel.result.cells[place]
    return GroupRow(name=group.text, figure=cell, n=panel.asked(cell))


def _share_marks(group: GroupFigures, panel: SharePanel | None, place: int) -> ChartRow:
    if panel is None:
        return _withheld(group)
    cell = panel.result.cells[place]
    return panel.cell_row(cell, panel.by_level(cell), name=group.text)


def _mean_card(first: MeanPanel, panels: Sequence[Grouped], comparison: QuestionComparison) -> Card:
    means = [(group, panel if isinstance(panel, MeanPanel) else None) for group, panel in panels]
    marks = [panel.mean_row(group.text) if panel else _withheld(group) for group, panel in means]
    return Card(
        title=f"Mean{first.whose}",
        chart=chart_of_groups(marks, first.axis, "chart-mean", f"Estimated means by group: {first.question.text}"),
        rows=tuple(
            GroupRow(name=group.text, figure=panel.mean if panel else None, n=panel.result.n if panel else None)
            for group, panel in means
        ),
        differences=public_differences(comparison.differences, _names(comparison), formatting.OWN),
        unit=formatting.OWN,
    )


def _names(comparison: QuestionComparison) -> dict[str, str]:
    return {group.name: group.text for group in comparison.groups}


def _withheld(group: GroupFigures) -> ChartRow:
    return ChartRow(label=group.text, value="withheld", spoken=f"{group.text}: withheld, too few reports.")


def chart_of_groups(rows: Sequence[ChartRow], axis: Axis, prefix: str, title: str) -> GroupChart | None:
    """Return the chart of the groups; none without a single estimate."""
    if all(row.estimate is None for row in rows):
        return None
    return GroupChart(rows=tuple(rows), axis=axis, prefix=prefix, title=title)


def equal_words(test: Independence | None, what: str) -> tuple[str, ...]:
    """Return in words what the test says that all groups are alike."""
    if test is None:
        return ()
    if test.p_value < SIGNIFICANCE:
        return (f"The groups differ: equal {what} would rarely give estimates this far apart ({chi_squared(test)}).",)
    return (f"No sign of a difference: equal {what} could well give such estimates ({chi_squared(test)}).",)
