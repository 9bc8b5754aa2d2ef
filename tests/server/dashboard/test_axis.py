"""Axes: round ticks, both ends, and nothing beyond them."""

from __future__ import annotations

from itertools import pairwise

import pytest

from hushpoll_server.dashboard.axis import SHARES, range_axis, round_step, tick_name


@pytest.mark.parametrize(
    ("low", "high", "names"),
    [
        (0, 40, ["0", "10", "20", "30", "40"]),
        (1, 5, ["1", "2", "3", "4", "5"]),
        (0, 10, ["0", "2", "4", "6", "8", "10"]),
        (-1.5, 2.25, ["−1.5", "−1", "0", "1", "2.25"]),
        (0, 250_000, ["0", "100,000", "250,000"]),
        (0, 1, ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
    ],
)
def test_a_range_has_both_ends_and_round_numbers_between_them(low: float, high: float, names: list[str]) -> None:
    assert [name for _, name in range_axis(low, high).ticks] == names


@pytest.mark.parametrize("ends", [(0, 40), (-1e9, 1e9), (0, 1e-12), (-999999999999999, 999999999999999), (3, 1003)])
def test_ticks_rise_and_leave_room_for_their_names(ends: tuple[float, float]) -> None:
    places = [place for place, _ in range_axis(*ends).marks]
    assert (places[0], places[-1]) == (4.0, 96.0)
    assert 2 <= len(places) <= 7
    assert all(right - left > 9 for left, right in pairwise(places))


@pytest.mark.parametrize(("least", "step"), [(1, 1), (1.1, 2), (2.1, 2.5), (2.6, 5), (7, 10), (0.03, 0.05), (2e6, 2e6)])
def test_steps_are_round(least: float, step: float) -> None:
    assert round_step(least) == pytest.approx(step)


def test_the_ends_hold_what_lies_beyond_them() -> None:
    assert (SHARES.place(-3), SHARES.place(7)) == (SHARES.place(0), SHARES.place(1))
    assert SHARES.holds(0)
    assert SHARES.holds(1)
    assert not SHARES.holds(1.0001)


@pytest.mark.parametrize(
    ("value", "name"),
    [(0, "0"), (0.25, "0.25"), (-1.5, "\u22121.5"), (12500, "12,500"), (4_000_000, "4,000,000"), (1e9, "1e+09")],
)
def test_a_tick_is_named_as_people_write_numbers(value: float, name: str) -> None:
    assert tick_name(value) == name
