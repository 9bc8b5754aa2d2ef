"""The chart of estimates: dots with graded intervals, each question on the axis of its own answers, as SVG.

All positions along an axis are percentages of the chart's width: in a page the chart fits any width and its text keeps
its size, and the file to download is the same chart with a fixed width. Every mark carries its colours as attributes,
which a style sheet overrides: no inline style, and correct without a style sheet, too.
The rule here: an estimate beyond the axis is an arrow at its edge, never a dot on it.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from hushpoll_server.dashboard.axis import LEFT, SHARES, SPAN, Axis
from hushpoll_server.dashboard.histogram import BOX_HEIGHT, BOX_WIDTH, HEIGHT, Steps
from hushpoll_server.estimate.intervals import Interval
from hushpoll_server.paths import template_folder

FILE_WIDTH = 720
# Stroke widths by the number of intervals, from the inner one to the outer one, which is always the thinnest.
STROKES = {3: (16, 9, 4), 4: (16, 10, 6, 3)}
# From this many rows on they are drawn closer together.
DENSE_FROM_ROWS = 7

# Characters per line of a file, of a page on a phone even in a wide font, and of the legend.
_FILE_COLUMNS, _PAGE_COLUMNS, _LEGEND_COLUMNS = 84, 38, 105
# Characters that a value needs at the right end of a line; next to a longer label it gets a line of its own.
_VALUE_COLUMNS = 14
_LABEL_LINES, _LABEL_LINES_IF_DENSE, _HEADING_LINES = 3, 2, 2
_TITLE_HEIGHT, _AXIS_HEIGHT, _HEADING_HEIGHT, _LEGEND_LINE, _GAP = 42, 30, 30, 17, 12
# Characters that a text may hold and that XML cannot write at all.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, kw_only=True)
class ChartRow:
    """One estimate to draw; `intervals` go from the inner to the outer one, three or four of them or none.

    `sampling` is the interval without randomizing, `band` what made-up reports leave possible.
    """

    label: str
    value: str
    spoken: str
    estimate: float | None = None
    intervals: tuple[Interval, ...] = ()
    sampling: Interval | None = None
    band: Interval | None = None


@dataclass(frozen=True, kw_only=True)
class Section:
    """Rows on one axis, with the shape of a distribution above the axis if there is one."""

    rows: tuple[ChartRow, ...]
    axis: Axis = SHARES
    heading: str = ""
    steps: Steps | None = None

    @cached_property
    def sampled(self) -> bool:
        """Return whether rows need space below their marks; all get it, so that they are equally high."""
        return any(row.sampling for row in self.rows)

    @cached_property
    def banded(self) -> bool:
        """Return whether rows need space above their marks."""
        return any(row.band for row in self.rows)


@dataclass(frozen=True)
class _Density:
    """Heights in pixels, and the scale of the marks."""

    line: int = 20
    marks: int = 34
    side: int = 14
    gap: int = 12
    scale: float = 1.0


_LOOSE, _DENSE = _Density(), _Density(line=18, marks=20, side=8, gap=7, scale=0.65)


@dataclass(frozen=True)
class _Bar:
    """A part of the axis from one position to another, with its rank and stroke width."""

    start: float
    end: float
    rank: int = 0
    stroke: float = 1


@dataclass(frozen=True)
class _Drawn:
    """A row with its positions."""

    row: ChartRow
    label: tuple[str, ...]
    density: _Density
    top: int
    marks: int
    centre: int
    bars: tuple[_Bar, ...]
    dot: float | None
    arrows: tuple[str, ...]
    strays: bool
    sampling: _Bar | None
    band: _Bar | None
    bottom: int


@dataclass(frozen=True)
class _DrawnSection:
    """A section with its positions; its axis is at the bottom."""

    section: Section
    top: int
    heading: tuple[str, ...]
    rows: tuple[_Drawn, ...]
    steps_top: int
    bottom: int


def draw_chart(
    sections: Sequence[Section], *, prefix: str, title: str, legend: tuple[str, ...] = (), file: bool = False
) -> Markup:
    """Draw the sections; with `file`, as a document of its own that contains title and legend."""
    columns = _FILE_COLUMNS if file else _PAGE_COLUMNS
    drawn = _stack(sections, columns, _TITLE_HEIGHT if file else 0)
    lines = [part for line in legend for part in wrap(writable(line), columns=_LEGEND_COLUMNS)]
    bottom = drawn[-1].bottom + _AXIS_HEIGHT
    text = svg_template("dashboard/chart.svg").render(
        sections=drawn,
        prefix=prefix,
        title=writable(title),
        headings=wrap(writable(title), columns=columns - _VALUE_COLUMNS, lines=1) if file else (),
        description=writable(" ".join(_spoken(section) for section in sections)),
        legend=lines,
        file=file,
        width=FILE_WIDTH,
        left=LEFT,
        span=SPAN,
        box=(BOX_WIDTH, BOX_HEIGHT, HEIGHT),
        bottom=bottom,
        height=bottom + _LEGEND_LINE * len(lines) + (_GAP if file else 0),
    )
    return Markup(text)  # noqa: S704 (rendered by a template that escapes every text)


def writable(text: str) -> str:
    """Replace the characters that XML cannot hold."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def wrap(text: str, *, columns: int, lines: int = _LABEL_LINES) -> tuple[str, ...]:
    """Break a text into a few lines; a longer one ends in an ellipsis."""
    width = max(10, columns * len(text) // _width(text)) if text else columns
    return tuple(textwrap.wrap(text, width=width, max_lines=lines, placeholder=" …"))


def _width(text: str) -> int:
    # Chinese, Japanese and Korean characters and emoji are twice as wide as Latin letters.
    return len(text) + sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)


def _spoken(section: Section) -> str:
    heading = [f"{section.heading}:"] if section.heading else []
    return " ".join([*heading, *(row.spoken for row in section.rows)])


def _stack(sections: Sequence[Section], columns: int, top: int) -> list[_DrawnSection]:
    drawn: list[_DrawnSection] = []
    for section in sections:
        start = drawn[-1].bottom + _AXIS_HEIGHT + _GAP if drawn else top
        drawn.append(_draw_section(section, columns, start))
    return drawn


def _draw_section(section: Section, columns: int, top: int) -> _DrawnSection:
    heading = wrap(writable(section.heading), columns=columns, lines=_HEADING_LINES)
    density = _DENSE if len(section.rows) >= DENSE_FROM_ROWS else _LOOSE
    rows: list[_Drawn] = []
    bottom = top + (_HEADING_HEIGHT + density.line * (len(heading) - 1) if heading else 0)
    for row in section.rows:
        rows.append(_draw(row, section, density, columns, bottom))
        bottom = rows[-1].bottom
    return _DrawnSection(section, top, heading, tuple(rows), bottom, bottom + (HEIGHT if section.steps else 0))


def _draw(row: ChartRow, section: Section, density: _Density, columns: int, top: int) -> _Drawn:
    axis = section.axis
    label = _label(row, density, columns)
    marks = top + density.line * max(len(label), bool(row.value)) + (density.side if section.banded else 0)
    outside = row.estimate is not None and not axis.holds(row.estimate)
    return _Drawn(
        row=row,
        label=label,
        density=density,
        top=top,
        marks=marks,
        centre=marks + density.marks // 2,
        bars=_bars(row, axis, density),
        dot=axis.place(row.estimate) if row.estimate is not None and not outside else None,
        arrows=_arrows(row, axis),
        strays=outside,
        sampling=_bar(row.sampling, axis) if row.sampling else None,
        band=_bar(row.band, axis) if row.band else None,
        bottom=marks + density.marks + (density.side if section.sampled else 0) + density.gap,
    )


def _label(row: ChartRow, density: _Density, columns: int) -> tuple[str, ...]:
    """Break a label into lines; add an empty line for the value if it does not fit at the end of the last one."""
    lines = wrap(
        writable(row.label), columns=columns, lines=_LABEL_LINES if density is _LOOSE else _LABEL_LINES_IF_DENSE
    )
    if not lines or not row.value or _width(lines[-1]) <= columns - _VALUE_COLUMNS:
        return lines
    return (*lines, "")


def _bars(row: ChartRow, axis: Axis, density: _Density) -> tuple[_Bar, ...]:
    strokes = STROKES.get(len(row.intervals), ())
    bars = [_bar(each, axis, rank, round(density.scale * strokes[rank], 1)) for rank, each in enumerate(row.intervals)]
    # The outer interval is drawn first, so that the inner ones cover it.
    return tuple(bar for bar in reversed(bars) if bar.start < bar.end)


def _bar(interval: Interval, axis: Axis, rank: int = 0, stroke: float = 1) -> _Bar:
    return _Bar(axis.place(interval.low), axis.place(interval.high), rank, stroke)


def _arrows(row: ChartRow, axis: Axis) -> tuple[str, ...]:
    """Return the edges beyond which the estimate or its widest interval reaches."""
    reach = [*row.intervals[-1:], *([] if row.estimate is None else [Interval(row.estimate, row.estimate)])]
    left = ("left",) if any(each.low < axis.low for each in reach) else ()
    return left + (("right",) if any(each.high > axis.high for each in reach) else ())


@cache
def svg_template(name: str) -> Template:
    """Return the template of a picture, in which every text is escaped."""
    environment = Environment(
        loader=FileSystemLoader(template_folder()),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)
