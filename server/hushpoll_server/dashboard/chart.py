"""The chart of a survey's estimates: dots with graded intervals on an axis from 0 to 100 %, as SVG.

All positions along the axis are percentages of the picture's width: in a page the picture takes the width it gets and
its letters keep their size, and the file to download is the same picture with a width of its own. Every mark carries
its colours as attributes, which a style sheet overrides: no inline style, and right without a style sheet too.
The law here: the axis never leaves [0, 1]; what lies beyond it is an arrow at the edge, not a dot that feigns 0 or 1.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from dataclasses import dataclass
from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from hushpoll_server.estimate import Interval
from hushpoll_server.paths import template_folder

FILE_WIDTH = 720
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
# From the inner interval to the outer one; the outermost is always the thinnest.
STROKES = {3: (16, 9, 4), 4: (16, 10, 6, 3)}

_LEFT, _SPAN = 4.0, 92.0
# Leaves room for the value at the right end of the first line, in wide fonts too.
_LABEL_COLUMNS, _LABEL_LINES = 70, 3
_LINE_HEIGHT, _MARK_HEIGHT, _SAMPLING_HEIGHT, _GAP = 20, 34, 14, 12
_TITLE_HEIGHT, _AXIS_HEIGHT, _LEGEND_LINE = 42, 30, 17
# XML has no way at all to write these; a text may hold them.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, kw_only=True)
class Row:
    """One estimate to draw; `intervals` go from the inner to the outer one, three or four of them or none."""

    label: str
    value: str
    spoken: str
    estimate: float | None = None
    intervals: tuple[Interval, ...] = ()
    sampling: Interval | None = None


@dataclass(frozen=True)
class _Bar:
    """A part of the axis from one place to another, with its rank and stroke."""

    start: float
    end: float
    rank: int
    stroke: int


@dataclass(frozen=True)
class _Drawn:
    """A row in its place."""

    row: Row
    label: tuple[str, ...]
    top: int
    marks: int
    centre: int
    bars: tuple[_Bar, ...]
    dot: float | None
    arrows: tuple[str, ...]
    strays: bool
    sampling: _Bar | None
    bottom: int


def place(share: float) -> float:
    """Give the place of a share along the axis, in percent of the width; the ends hold what lies beyond them."""
    return round(_LEFT + _SPAN * min(1.0, max(0.0, share)), 3)


def draw_chart(rows: list[Row], *, prefix: str, title: str, legend: tuple[str, ...] = (), file: bool = False) -> Markup:
    """Draw the rows; with `file`, as a document that stands alone, with its title and legend inside."""
    top = _TITLE_HEIGHT if file else 0
    drawn = _stack(rows, top)
    bottom = drawn[-1].bottom if drawn else top
    text = _template().render(
        rows=drawn,
        prefix=prefix,
        title=writable(title),
        headings=wrap(writable(title), lines=1) if file else (),
        description=writable(" ".join(row.spoken for row in rows)),
        legend=legend,
        file=file,
        width=FILE_WIDTH,
        top=top,
        bottom=bottom,
        height=bottom + _AXIS_HEIGHT + _LEGEND_LINE * len(legend) + (_GAP if file else 0),
        ticks=[(place(tick), f"{100 * tick:.0f}") for tick in TICKS],
    )
    return Markup(text)  # noqa: S704 (rendered by a template that escapes every text)


def writable(text: str) -> str:
    """Replace the characters that XML cannot hold."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def wrap(text: str, *, columns: int = _LABEL_COLUMNS, lines: int = _LABEL_LINES) -> tuple[str, ...]:
    """Break a text into a few lines; one that is longer ends in an ellipsis."""
    # Chinese, Japanese, Korean letters and emoji are twice as wide as Latin ones.
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    room = max(10, columns * len(text) // (len(text) + wide)) if text else columns
    return tuple(textwrap.wrap(text, width=room, max_lines=lines, placeholder=" …"))


def _stack(rows: list[Row], top: int) -> list[_Drawn]:
    drawn: list[_Drawn] = []
    for row in rows:
        drawn.append(_draw(row, drawn[-1].bottom if drawn else top))
    return drawn


def _draw(row: Row, top: int) -> _Drawn:
    label = wrap(writable(row.label))
    marks = top + _LINE_HEIGHT * max(len(label), bool(row.value))
    strokes = STROKES.get(len(row.intervals), ())
    # The outer interval is drawn first, so that the inner ones lie on it.
    bars = [_bar(each, rank, strokes[rank]) for rank, each in enumerate(row.intervals)]
    sampled = row.sampling is not None
    return _Drawn(
        row=row,
        label=label,
        top=top,
        marks=marks,
        centre=marks + _MARK_HEIGHT // 2,
        bars=tuple(bar for bar in reversed(bars) if bar.start < bar.end),
        dot=place(row.estimate) if row.estimate is not None and 0 <= row.estimate <= 1 else None,
        arrows=_arrows(row),
        strays=row.estimate is not None and not 0 <= row.estimate <= 1,
        sampling=_bar(row.sampling, 0, 1) if row.sampling else None,
        bottom=marks + _MARK_HEIGHT + _SAMPLING_HEIGHT * sampled + _GAP,
    )


def _bar(interval: Interval, rank: int, stroke: int) -> _Bar:
    return _Bar(place(interval.low), place(interval.high), rank, stroke)


def _arrows(row: Row) -> tuple[str, ...]:
    """Name the edges beyond which the estimate or its widest interval reaches."""
    reach = [*row.intervals[-1:], *([] if row.estimate is None else [Interval(row.estimate, row.estimate)])]
    left = ("left",) if any(each.low < 0 for each in reach) else ()
    return left + (("right",) if any(each.high > 1 for each in reach) else ())


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(template_folder()),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("dashboard/chart.svg")
