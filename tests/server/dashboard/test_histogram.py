"""The shape of a distribution as paths."""

from __future__ import annotations

import re

from hushpoll_server.dashboard.histogram import BOX_HEIGHT, BOX_WIDTH, HEIGHT, Steps


def corners(path: str) -> list[tuple[float, float]]:
    """Walk along a path of horizontal and vertical steps."""
    x, y = map(float, re.findall(r"^M(\S+) ([^HV]+)", path)[0])
    places = [(x, y)]
    for way, value in re.findall(r"([HV])([\d.e+-]+)", path):
        x, y = (float(value), y) if way == "H" else (x, float(value))
        places.append((x, y))
    return places


def test_the_line_has_a_step_for_each_bin_over_the_whole_width() -> None:
    line = corners(Steps((0.2, 0.5, 0.3)).line)
    assert [round(x) for x, _ in line] == [0, 333, 333, 667, 667, BOX_WIDTH]
    assert [y for _, y in line[::2]] == [y for _, y in line[1::2]]
    assert line[2][1] < line[4][1] < line[0][1]


def test_the_area_goes_along_the_line_and_back_along_the_axis() -> None:
    shape = Steps((0.4, 0.6))
    points = corners(shape.area)
    assert points[:4] == corners(shape.line)
    assert points[4:] == [(BOX_WIDTH, BOX_HEIGHT), (0, BOX_HEIGHT)]
    assert shape.area.endswith("Z")


def test_nothing_is_cut_off_at_the_top() -> None:
    assert min(y for _, y in corners(Steps((0.02, 0.9)).area)) > 0


def test_ticks_are_in_percent_and_inside_the_picture() -> None:
    ticks = Steps((0.01, 0.02)).ticks
    assert [name for _, name in ticks] == ["0 %", "1 %", "2 %"]
    assert all(0 <= y <= HEIGHT for y, _ in ticks)


def test_a_thousand_bins_are_short_paths() -> None:
    shape = Steps((0.001,) * 1024)
    assert len(shape.line) + len(shape.area) < 50_000
