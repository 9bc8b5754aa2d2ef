"""Reports as files: a row for each, in memory that does not grow with their number."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.samples.exported import bodies_of, everything
from tests.samples.surveys import make_report, two_questions
from tests.vectors.surveys import surveys

from hushpoll_server.export import reports as room
from hushpoll_server.export.columns import names_of
from hushpoll_server.export.parquet import parquet_parts
from hushpoll_server.export.reports import report_columns, report_lines, report_rows, with_new_ids
from hushpoll_server.export.spreadsheet import csv_parts
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.report import Report, decode

FORMATS = ("csv", "parquet", "ndjson", "new ids")


def test_a_row_has_the_id_the_labels_and_the_draws() -> None:
    manifest = everything()
    reports = [decode(body, manifest) for body in bodies_of(manifest, 10)]
    names, rows = names_of(report_columns(manifest)), list(report_rows(manifest, reports))
    assert names == ("id", "faculty", "years", *(question.id for question in manifest.questions))
    assert [tuple(row) for row in rows] == [names] * 10
    assert (rows[0]["faculty"], rows[0]["years"], rows[9]["faculty"]) == ("arts", "young", None)
    assert rows[3]["cheated"] == reports[3].draws["cheated"]


def test_what_a_device_was_not_asked_is_empty() -> None:
    manifest, _ = surveys()["some"]
    blanks = {question.id: question.design.blank for question in manifest.questions}
    report = Report(manifest.survey, manifest.id, "0" * 32, {**blanks, "hours": "0"})
    [row] = report_rows(manifest, [report])
    assert row == {"id": "0" * 32, "asked": None, "ways": None, "hours": "0"}


def test_no_two_columns_have_the_same_name() -> None:
    first, second = two_questions().questions
    manifest = two_questions(questions=(replace(first, id="id"), replace(second, id="report_id")))
    assert names_of(report_columns(manifest)) == ("report_report_id", "id", "report_id")


def test_new_ids_in_a_new_order_keep_every_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "SORTED_AT_A_TIME", 7)
    manifest = two_questions()
    reports = [make_report(manifest) for _ in range(40)]
    renamed = list(with_new_ids(manifest, iter(reports)))
    ids = [report.id for report in renamed]
    assert ids == sorted(ids)
    assert set(ids).isdisjoint(report.id for report in reports)
    draws = [sorted(tuple(report.draws.values()) for report in each) for each in (reports, renamed)]
    assert draws[0] == draws[1]


def invented(manifest: Manifest, number: int) -> Iterator[Report]:
    return (
        Report("campus", manifest.id, f"{place:032x}", {"cheated": str(place % 2), "helped": str(place % 3 % 2)})
        for place in range(number)
    )


def peak(kind: str, number: int) -> int:
    """Return the most bytes that Python held while this many reports were written."""
    manifest = two_questions()
    tracemalloc.start()
    reports = invented(manifest, number)
    if kind == "new ids":
        reports = with_new_ids(manifest, reports)
    columns, rows = report_columns(manifest), report_rows(manifest, reports)
    parts = {"parquet": parquet_parts, "ndjson": lambda *_: report_lines(reports)}.get(kind, csv_parts)(columns, rows)
    length = sum(map(len, parts))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert length > number
    return most


@pytest.mark.parametrize("kind", FORMATS[:3])
def test_the_memory_does_not_grow_with_the_number_of_reports(kind: str) -> None:
    peak(kind, 10)
    assert peak(kind, 30_000) < 1.3 * peak(kind, 10_000)


@pytest.mark.slow
@pytest.mark.parametrize("kind", FORMATS)
def test_ten_times_as_many_reports_need_the_same_memory(kind: str) -> None:
    peak(kind, 10)
    small, large = peak(kind, 20_000), peak(kind, 200_000)
    print(f"{kind}: {small:,} bytes at 20,000 reports, {large:,} at 200,000, ratio {large / small:.2f}")
    assert large < 1.3 * small
