"""`hushpoll bench dashboard`: what is compared with what."""

from __future__ import annotations

import pytest
from bench import dashboard, fifty
from bench.instance import SQLITE


def point(stored: int, rounds: list[tuple[float, float, float]], *, counting: float) -> dashboard.Point:
    seconds = [dashboard.Round(empty, {"estimates": estimates, "page": page}) for empty, estimates, page in rounds]
    tables = {"two choices": {"by_columns": 2.0, "one_by_one": 30.0}}
    return dashboard.Point(stored, seconds, grouped=counting, scanned=10 * counting, tables=tables)


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
    assert values["SQLite, n = 10,000: SQL GROUP BY / estimates"] == pytest.approx(5.0)
    assert values["SQLite, n = 10,000: ORM scan / estimates"] == pytest.approx(50.0)
    assert values["SQLite, n = 10,000: page / an empty 204"] == pytest.approx(20.0)


def test_tables_from_all_reports_are_told_in_seconds_and_compared_with_reading_every_report() -> None:
    few = point(10_000, [(0.001, 0.010, 0.020)], counting=0.1)
    values = {figure.what: figure.value for figure in dashboard.figures(SQLITE, [few])}
    what = "SQLite, n = 10,000: two choices from all reports"
    assert values[what] == 2.0
    assert values[f"{what}, of one report"] == pytest.approx(200.0)
    assert values[f"{what}, reports one by one / by columns"] == 15.0


def test_a_survey_of_fifty_questions_has_fifty_of_its_type_and_a_mixed_one_has_every_type() -> None:
    for name in fifty.names():
        asked = [question for question in fifty._questions(name) if "privacy" in question]
        assert len(asked) == fifty.QUESTIONS
    kinds = {question.get("type", "pair") for question in fifty._questions(fifty.MIXED) if "privacy" in question}
    assert kinds == {"yes_no", "single_choice", "multi_choice", "scale", "number", "pair"}
