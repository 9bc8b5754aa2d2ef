"""hushpoll export: long and wide tables, public groups, tests, reports as tables."""

from __future__ import annotations

import csv
import importlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from sqlmodel import delete
from tests.samples.exported import CROSSED, SMALLEST, publish
from tests.samples.surveys import KEY

from hushpoll_server.analysis import analyse, read_manifest
from hushpoll_server.collect.models import DayRow
from hushpoll_server.export.scripts import script
from hushpoll_server.export.spreadsheet import guard
from hushpoll_server.services import Services
from hushpoll_server.settings import load_settings
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.report import Report
from hushpoll_shared.signing import sign

# By day, of 200 reports.
DAYS = {"unknown": 23, "2027-01-02": 40, "2026-11-16": 120}

Command = Callable[..., Result]
Ask = Callable[..., Any]
Rows = list[dict[str, str]]


@pytest.fixture
def manifest(tmp_path: Path) -> Manifest:
    """Publish a survey with every type of question and 200 reports; write its manifest."""
    manifest = publish()
    (tmp_path / "m.json").write_bytes(sign(manifest, KEY))
    return manifest


@pytest.fixture
def export(hushpoll: Command, tmp_path: Path) -> Callable[..., Path]:
    """Export the survey; return the file."""

    def call(kind: str, *words: object) -> Path:
        out = tmp_path / f"e.{kind}"
        result = hushpoll("export", "everything", "--format", kind, "--out", out, *words)
        assert result.exit_code == 0, result.output
        return out

    return call


Export = Callable[..., Path]


def rows_of(file: Path) -> Rows:
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def numbers_in(value: Any) -> Iterator[float]:
    """Return all numbers of a document."""
    if isinstance(value, dict):
        yield from (number for each in value.values() for number in numbers_in(each))
    elif isinstance(value, list):
        yield from (number for each in value for number in numbers_in(each))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)


def numbers_of(rows: Rows, **where: str) -> set[float]:
    """Return all numbers of the rows that have these cells."""
    cells = {cell for row in rows if where.items() <= row.items() for cell in row.values()}
    return {float(cell) for cell in cells if is_number(cell)}


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


OPTIONS = ("--level", "0.9", "--coverage", "simultaneous", "--beta", "0.02")


def test_every_figure_of_an_estimate_is_in_the_long_table_to_the_digit(
    manifest: Manifest, export: Export, ask: Ask
) -> None:
    export("ndjson")
    pairs = [word for pair in CROSSED for word in ("--cross", ",".join(pair))]
    figures = ask("estimate", "--manifest", "m.json", "--reports", "e.ndjson", *pairs, *OPTIONS)
    rows = rows_of(export("csv", *OPTIONS))
    for name, question in figures["questions"].items():
        assert set(numbers_in(question)) <= numbers_of(rows, question=name), name
    tests = rows_of(export("csv", "--what", "tests", "--level", "0.9", "--coverage", "simultaneous"))
    for table in figures["cross_tables"]:
        where = {"question": table["first"], "second": table["second"]}
        tested = numbers_of(tests, first=table["first"], second=table["second"])
        assert set(numbers_in(table)) <= numbers_of(rows, **where) | tested


def test_every_share_and_mean_of_the_long_table_is_in_the_wide_one(manifest: Manifest, export: Export) -> None:
    long, wide = rows_of(export("csv")), rows_of(export("csv", "--shape", "wide"))
    assert [row["question"] for row in wide] == [question.id for question in manifest.questions]
    of = {row["question"]: row for row in wide}
    for row in long:
        same = of[row["question"]]
        if row["kind"] == "cell":
            # The name of a column is guarded as a whole, and this part of it does not start it.
            answer = row["cell"].removeprefix("'")
            names = {name: f"{name}_{answer}" for name in ("estimate", "se", "low", "high", "tidy", "count")}
            assert all(same[column] == row[name] for name, column in names.items())
        if row["kind"] in ("mean", "sd"):
            assert (same[row["kind"]], same[f"{row['kind']}_low"]) == (row["estimate"], row["low"])
    assert of["cheated"]["estimate_yes"] == next(r["estimate"] for r in long if r["question"] == "cheated")
    assert of["height"]["quantile_25"] == next(r["estimate"] for r in long if r["cell"] == "25% below")
    assert of["hours"]["estimate_yes"] == ""


def test_a_wide_table_that_no_spreadsheet_opens_is_refused(
    manifest: Manifest, hushpoll: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("hushpoll_server.export.wide.MOST_COLUMNS", 100)
    result = hushpoll("export", "everything", "--format", "csv", "--out", "e.csv", "--shape", "wide")
    assert result.exit_code == 1
    assert "choose --shape long" in result.output
    assert not (tmp_path / "e.csv").exists()


def test_wide_and_long_are_the_same_in_parquet(manifest: Manifest, export: Export) -> None:
    parquet = importlib.import_module("pyarrow.parquet")
    for words in (("--shape", "wide"), ("--by", "faculty"), ("--what", "tests")):
        read = parquet.read_table(export("parquet", *words)).to_pylist()
        written = rows_of(export("csv", *words))
        assert [{guard(key): cell(value) for key, value in row.items()} for row in read] == written


def cell(value: object) -> str:
    return "" if value is None else str(guard(value))


def test_figures_by_group_are_those_of_compare_and_a_small_group_is_named_without_figures(
    manifest: Manifest, export: Export, ask: Ask
) -> None:
    rows, wide = rows_of(export("csv", "--by", "years")), rows_of(export("csv", "--by", "years", "--shape", "wide"))
    assert {row["dimension"] for row in rows} == {"years"}
    compared = ask("compare", "--survey", "everything", "--question", "cheated", "--by", "years")
    for group in compared["groups"]:
        of = [row for row in rows if row["group"] == group["name"] and row["question"] == "cheated"]
        if group["withheld"]:
            assert [(row["kind"], row["n"], row["estimate"], row["text"]) for row in of] == [
                ("withheld", "", "", "Have you?")
            ]
            continue
        estimates = [row for row in of if row["kind"] == "cell"]
        assert [float(row["low"]) for row in estimates] == [each["low"] for each in group["cells"]]
        assert {row["group_text"] for row in of} == {group["text"]}
    middle = [row for row in wide if row["group"] == "middle"]
    assert len(middle) == len(manifest.questions)
    assert all(row["withheld"] == "yes" and row["n"] == row["estimate_yes"] == "" for row in middle)
    document = json.loads(export("json", "--by", "years").read_text("utf-8"))
    assert [group["withheld"] for group in document["groups"]] == [False, True, False]
    assert "questions" not in document["groups"][1]


def test_figures_of_a_group_are_those_of_its_reports(manifest: Manifest, export: Export, ask: Ask) -> None:
    export("ndjson")
    figures = ask("estimate", "--manifest", "m.json", "--reports", "e.ndjson", "--group", "arts")["questions"]
    rows = rows_of(export("csv", "--group", "arts"))
    for name, question in figures.items():
        assert set(numbers_in(question)) <= numbers_of(rows, question=name)
    assert {(row["dimension"], row["group"], row["manifest"]) for row in rows} == {("faculty", "arts", manifest.id)}
    both = rows_of(export("csv", "--by", "faculty", "--group", "young"))
    assert {row["group"] for row in both} == {"arts,young", "engineering,young"}
    document = json.loads(export("json", "--group", "arts").read_text("utf-8"))
    assert (document["group"], document["questions"]["cheated"]["n"]) == ("arts", 100)


def test_a_group_that_is_named_and_too_small_is_refused(manifest: Manifest, hushpoll: Command, tmp_path: Path) -> None:
    for words in ((), ("--what", "tests"), ("--what", "reports")):
        result = hushpoll("export", "everything", "--format", "csv", "--out", "e.csv", "--group", "middle", *words)
        assert result.exit_code == 1
        assert f"fewer than {SMALLEST} reports in middle" in result.output
        assert not (tmp_path / "e.csv").exists()


def test_tests_are_those_of_crosstab_and_compare_to_the_digit(manifest: Manifest, export: Export, ask: Ask) -> None:
    rows = rows_of(export("csv", "--what", "tests"))
    pairs = [*CROSSED, ("smokes", "colour")]
    assert list(dict.fromkeys((row["first"], row["second"]) for row in rows)) == pairs
    for pair in pairs:
        table = ask("crosstab", "--survey", "everything", "--questions", ",".join(pair))
        covariances = [value for place, row in enumerate(table.pop("covariances")) for value in row[place:]]
        of = [row for row in rows if (row["first"], row["second"]) == pair]
        assert [float(row["estimate"]) for row in of if row["kind"] == "covariance"] == covariances
        assert set(numbers_in(table)) <= numbers_of(of)
    by = rows_of(export("csv", "--what", "tests", "--by", "faculty"))
    for question in manifest.questions:
        compared = ask("compare", "--survey", "everything", "--question", question.id, "--by", "faculty")
        figures = {"differences": compared["differences"], "overall": compared["overall"]}
        assert set(numbers_in(figures)) <= numbers_of(by, first=question.id)
    document = json.loads(export("json", "--what", "tests", "--by", "faculty").read_text("utf-8"))
    assert len(document["tables"]) == 2 * len(pairs)
    assert len(document["comparisons"]) == len(manifest.questions)


def read_rows(manifest: Manifest, rows: list[dict[str, Any]]) -> Iterator[Report]:
    """Return the reports of a table, as the codebook says that it is read."""
    for row in rows:
        assert manifest.groups is not None
        groups = manifest.groups.code(row[each.id] for each in manifest.groups.dimensions if row[each.id])
        draws = {each.id: (row[each.id] or each.design.blank).removeprefix("'") for each in manifest.questions}
        yield Report(manifest.survey, manifest.id, row["id"], draws, groups)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("new_ids", [(), ("--new-ids",)])
def test_a_table_of_reports_gives_the_same_figures(
    manifest: Manifest, export: Export, kind: str, new_ids: tuple[str, ...]
) -> None:
    stored = [json.loads(line) for line in export("ndjson").read_bytes().splitlines()]
    file = export(kind, "--what", "reports", *new_ids)
    rows = rows_of(file) if kind == "csv" else importlib.import_module("pyarrow.parquet").read_table(file).to_pylist()
    reports = list(read_rows(read_manifest("m.json"), rows))
    lines = [json.loads(report.encode()) for report in reports]
    if new_ids:
        assert {line["id"] for line in lines}.isdisjoint(line["id"] for line in stored)
        assert [line["id"] for line in lines] == sorted(line["id"] for line in lines)
    else:
        assert lines == stored
    original = [Report(manifest.survey, manifest.id, "", each["answers"], each["groups"]) for each in stored]
    assert analyse(manifest, reports) == analyse(manifest, original)


def test_reports_of_a_group_and_of_nobody(manifest: Manifest, export: Export) -> None:
    rows = rows_of(export("csv", "--what", "reports", "--group", "arts,young"))
    assert {(row["faculty"], row["years"]) for row in rows} == {("arts", "young")}
    assert len(rows) == 80
    ndjson = export("ndjson", "--group", "arts,young").read_bytes().splitlines()
    assert [json.loads(line)["id"] for line in ndjson] == [row["id"] for row in rows]


def test_a_draw_of_marks_is_guarded_in_csv_alone(manifest: Manifest, export: Export) -> None:
    stored = [json.loads(line)["answers"]["ways"] for line in export("ndjson").read_bytes().splitlines()]
    rows = rows_of(export("csv", "--what", "reports"))
    assert any(draw.startswith("-") for draw in stored)
    assert [row["ways"] for row in rows] == [guard(draw) for draw in stored]


def test_the_codebook_names_every_column_of_the_reports(manifest: Manifest, export: Export) -> None:
    book = json.loads(export("json", "--what", "codebook", "--level", "0.8").read_text("utf-8"))
    columns = list(rows_of(export("csv", "--what", "reports"))[0])
    assert [column["name"] for column in book["files"]["reports"]] == columns
    assert (book["manifest"], book["level"]) == (manifest.id, 0.8)


def test_days_add_up_to_all_reports_in_every_format(manifest: Manifest, export: Export) -> None:
    services = Services(load_settings())
    with services.store.transaction() as session:
        session.exec(delete(DayRow))
        session.add_all(DayRow(survey="everything", day=day, count=count) for day, count in DAYS.items())
    services.close()
    about = {"survey": "everything", "manifest": manifest.id}
    expected: list[dict[str, Any]] = [
        {**about, "kind": "day", "day": "2026-11-16", "reports": 120},
        {**about, "kind": "day", "day": "2027-01-02", "reports": 40},
        {**about, "kind": "waiting", "day": None, "reports": 17},
        {**about, "kind": "unknown", "day": None, "reports": 23},
    ]
    texts = [{**row, "day": row["day"] or "", "reports": str(row["reports"])} for row in expected]
    assert rows_of(export("csv", "--what", "days")) == texts
    table = importlib.import_module("pyarrow.parquet").read_table(export("parquet", "--what", "days"))
    assert table.to_pylist() == expected
    document = json.loads(export("json", "--what", "days").read_text("utf-8"))
    assert document["days"] == [{"day": "2026-11-16", "reports": 120}, {"day": "2027-01-02", "reports": 40}]
    names = ("reports", "waiting", "unknown", "population", "response_rate")
    assert [document[name] for name in names] == [200, 17, 23, None, None]


def test_the_document_of_days_has_the_response_rate_even_above_one(export: Export) -> None:
    publish(30, population=24, groups=None)
    document = json.loads(export("json", "--what", "days").read_text("utf-8"))
    assert (document["reports"], document["population"], document["response_rate"]) == (30, 24, 1.25)


@pytest.mark.parametrize("language", ["r", "stata", "notebook"])
def test_a_script_is_that_of_the_survey(manifest: Manifest, export: Export, language: str) -> None:
    content = export(language, "--level", "0.9", "--method", "wilson").read_bytes()
    assert content == script(manifest, language, level=0.9, method="wilson")
    assert manifest.id.encode() in content


@pytest.mark.parametrize(
    "words",
    [
        ("ndjson", "--what", "estimates"),
        ("ndjson", "--what", "tests"),
        ("json", "--what", "reports"),
        ("json", "--shape", "wide"),
        ("csv", "--what", "tests", "--shape", "wide"),
        ("csv", "--what", "reports", "--by", "faculty"),
        ("csv", "--what", "tests", "--beta", "0.1"),
        ("csv", "--what", "tests", "--new-ids"),
        ("ndjson", "--what", "days"),
        ("csv", "--what", "days", "--group", "arts"),
        ("csv", "--what", "days", "--by", "faculty"),
        ("csv", "--what", "codebook"),
        ("json", "--what", "codebook", "--group", "arts"),
        ("json", "--what", "codebook", "--by", "faculty"),
        ("r", "--what", "estimates"),
        ("csv", "--what", "script"),
        ("r", "--group", "arts"),
        ("stata", "--by", "faculty"),
        ("notebook", "--coverage", "anytime"),
        ("notebook", "--method", "wald"),
        ("notebook", "--beta", "0.1"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_written_is_refused_before_anything_is_read(
    hushpoll: Command, words: tuple[str, ...], tmp_path: Path
) -> None:
    result = hushpoll("export", "nobody", "--out", "e", "--format", *words)
    assert result.exit_code == 2
    assert not (tmp_path / "e").exists()


def test_without_reports_every_table_is_there_and_has_no_figures(export: Export, hushpoll: Command) -> None:
    publish(0, groups=None)
    assert {row["estimate"] for row in rows_of(export("csv"))} == {""}
    assert {row["n"] for row in rows_of(export("csv", "--shape", "wide"))} == {"0"}
    assert {row["estimate"] for row in rows_of(export("csv", "--what", "tests"))} <= {""}
    assert rows_of(export("csv", "--what", "reports")) == []
    assert importlib.import_module("pyarrow.parquet").read_table(export("parquet", "--what", "reports")).num_rows == 0
    result = hushpoll("export", "everything", "--format", "csv", "--out", "e", "--by", "faculty")
    assert "declares no groups" in result.output
