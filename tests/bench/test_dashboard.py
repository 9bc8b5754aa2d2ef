"""`hushpoll bench dashboard`: what is compared with what."""

from __future__ import annotations

import pytest
from bench import dashboard
from bench.instance import SQLITE


def point(stored: int, rounds: list[tuple[float, float, float]], *, counting: float) -> dashboard.Point:
    return dashboard.Point(stored, [dashboard.Round(*each) for each in rounds], grouped=counting, scanned=10 * counting)


def test_sizes_are_compared_in_units_of_an_empty_answer() -> None:
    # The machine is half as fast the second time; the page has become slower by itself.
    few = point(10_000, [(0.001, 0.010, 0.020)], counting=0.1)
    many = point(1_000_000, [(0.002, 0.020, 0.080)], counting=10.0)
    estimates, page, *_ = dashboard.figures(SQLITE, [few, many])
    assert (round(estimates.value, 9), estimates.verdict) == (1.0, "ok")
    assert (round(page.value, 9), page.verdict) == (2.0, "missed")


def test_at_each_size_reading_is_compared_with_counting() -> None:
    few = point(10_000, [(0.001, 0.010, 0.020), (0.001, 0.030, 0.020), (0.001, 0.020, 0.020)], counting=0.1)
    values = {figure.what: figure.value for figure in dashboard.figures(SQLITE, [few])}
    assert values["SQLite, n = 10,000: estimates"] == pytest.approx(20.0)
    assert values["SQLite, n = 10,000: dashboard page / an empty 204"] == pytest.approx(20.0)
    assert values["SQLite, n = 10,000: SQL GROUP BY / estimates"] == pytest.approx(5.0)
    assert values["SQLite, n = 10,000: ORM scan / estimates"] == pytest.approx(50.0)
