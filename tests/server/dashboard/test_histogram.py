"""The shape of a distribution as paths."""

from __future__ import annotations

import re

from hushpoll_server.dashboard.histogram import BOX_HEIGHT, BOX_WIDTH, HEIGHT, Steps
from hushpoll_server.estimate.intervals import Interval


def corners(path: str) -> list[tuple[float, float]]:
    """Walk along a path of horizontal and vertical steps."""
    x, y = map(float, re.findall(r"^M(\S+) ([^HV]+)", path)[0])
    places = [(x, y)]
    for way, value in re.findall(r"([HV])([\d.e+-]+)", path):
        x, y = (float(value), y) if way == "H" else (x, float(value))
        places.append((x, y))
    return places


def steps(*shares: float, half: float = 0.1) -> Steps:
    return Steps(shares, (tuple(Interval(share - half, share + half) for share in shares),))


def test_the_line_has_a_step_for_each_bin_over_the_whole_width() -> None:
    line = corners(steps(0.2, 0.5, 0.3).line)
    assert [round(x) for x, _ in line] == [0, 333, 333, 667, 667, BOX_WIDTH]
    assert [y for _, y in line[::2]] == [y for _, y in line[1::2]]
    assert line[2][1] < line[4][1] < line[0][1]


def test_the_area_goes_along_the_upper_limits_and_back_along_the_lower_ones() -> None:
    [(rank, path)] = steps(0.4, 0.6).areas
    points = corners(path)
    assert rank == 0
    assert [x for x, _ in points] == [0, 500, 500, BOX_WIDTH, BOX_WIDTH, 500, 500, 0]
    assert path.endswith("Z")
    assert all(above < below for (_, above), (_, below) in zip(points[:4], reversed(points[4:]), strict=True))


def test_nothing_is_cut_off_at_the_top_and_what_is_below_nothing_ends_at_the_axis() -> None:
    [(_, path)] = steps(0.02, 0.9).areas
    heights = [y for _, y in corners(path)]
    assert min(heights) > 0
    assert max(heights) == BOX_HEIGHT


def test_ticks_are_in_percent_and_inside_the_picture() -> None:
    ticks = steps(0.01, 0.02, half=0.005).ticks
    assert [name for _, name in ticks] == ["0 %", "1 %", "2 %"]
    assert all(0 <= y <= HEIGHT for y, _ in ticks)


def test_a_thousand_bins_are_short_paths() -> None:
    shape = steps(*[0.001] * 1024)
    assert len(shape.line) + sum(len(path) for _, path in shape.areas) < 50_000
