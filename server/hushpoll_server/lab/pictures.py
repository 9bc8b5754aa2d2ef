"""Pictures of the attacks as SVG: lines of theory, dots of what was measured.

Positions along the width are percentages, so a picture fits any width and its text keeps its size. The rule here:
every mark carries its colours and dashes as attributes, so no inline style is needed, and lines differ by more than
their colour.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from hushpoll_server.lab.result import Picture, Scale, Series
from hushpoll_server.paths import template_folder

FILE_WIDTH = 720
# The plot's edges in percent of the width, and in pixels from the top.
LEFT, RIGHT, TOP, BOTTOM = 11.0, 95.0, 30, 270
_AXIS_HEIGHT, _LEGEND_LINE = 48, 20
# Paths cannot use percentages: they are drawn in a box of their own that is stretched over the plot.
BOX = 1000
_COLOURS = ("#0f5c66", "#a65a00", "#5b2a86", "#a3241f", "#3d6b1f", "#13242a")
_DASHES = ("", "7 4", "2 3", "10 3 2 3", "4 2", "12 3")


@dataclass(frozen=True)
class _Drawn:
    """A series with its path in the box, or the positions of its dots."""

    series: Series
    place: int
    colour: str
    dash: str
    path: str
    dots: tuple[tuple[float, float], ...]


def draw_picture(picture: Picture, *, prefix: str, file: bool = False) -> Markup:
    """Draw a picture; with `file`, as a document of its own."""
    legend_top = BOTTOM + _AXIS_HEIGHT
    text = _template().render(
        picture=picture,
        prefix=prefix,
        file=file,
        width=FILE_WIDTH,
        height=legend_top + _LEGEND_LINE * len(picture.series),
        edges={"left": LEFT, "span": RIGHT - LEFT, "top": TOP, "bottom": BOTTOM},
        box=BOX,
        legend_top=legend_top,
        line=_LEGEND_LINE,
        series=_draw_all(picture),
        x_ticks=[(round(LEFT + (RIGHT - LEFT) * part(picture.x, x), 3), f"{x:g}") for x in picture.x.ticks],
        y_ticks=[(round(BOTTOM - (BOTTOM - TOP) * part(picture.y, y), 2), f"{y:g}") for y in picture.y.ticks],
        marks=[(round(LEFT + (RIGHT - LEFT) * part(picture.x, x), 3), name) for x, name in picture.marks],
    )
    return Markup(text)  # noqa: S704 (rendered by a template that escapes every text)


def part(scale: Scale, value: float) -> float:
    """Return where a value lies between the ends of a scale, from 0 to 1; one beyond them lies at the nearer end."""
    low, high, inside = scale.low, scale.high, min(scale.high, max(scale.low, value))
    if scale.logarithmic:
        low, high, inside = math.log(low), math.log(high), math.log(inside)
    return (inside - low) / (high - low)


def _draw_all(picture: Picture) -> list[_Drawn]:
    """Return the series; the dots of the n-th measured one have the colour of the n-th line."""
    seen = {True: 0, False: 0}
    drawn = []
    for series in picture.series:
        place = seen[series.dots] % len(_COLOURS)
        seen[series.dots] += 1
        drawn.append(_draw(series, picture, place))
    return drawn


def _draw(series: Series, picture: Picture, place: int) -> _Drawn:
    look = place, _COLOURS[place], _DASHES[place]
    places = [(part(picture.x, x), 1 - part(picture.y, y)) for x, y in series.points]
    if series.dots:
        dots = [(round(LEFT + (RIGHT - LEFT) * x, 3), round(TOP + (BOTTOM - TOP) * y, 2)) for x, y in places]
        return _Drawn(series, *look, "", tuple(dots))
    path = "L".join(f"{BOX * x:.5g} {BOX * y:.5g}" for x, y in places)
    return _Drawn(series, *look, f"M{path}", ())


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(template_folder()),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("lab/plot.svg")
