"""hushpoll export: tables, json and ndjson, all with the dashboard's figures."""

from __future__ import annotations

import csv
import importlib
import io
import json
import stat
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from hypothesis import given, strategies
from tests.samples.surveys import KEY, make_report
from tests.vectors.streams import FixedTestStream
from tests.vectors.surveys import surveys

from hushpoll_client.survey import Survey
from hushpoll_server.app import create_app
from hushpoll_server.collect.batch import Stored
from hushpoll_server.estimate.options import Options
from hushpoll_server.export.columns import names_of
from hushpoll_server.export.spreadsheet import guard
from hushpoll_server.export.tables import COLUMNS
from hushpoll_server.services import Services
from hushpoll_server.settings import load_settings
from hushpoll_shared.report import Report

Command = Callable[..., Result]
Ask = Callable[..., Any]


def fill(database_url: str | None, count: int) -> list[Report]:
    """Store reports to the survey `campus`."""
    services = Services(load_settings(db=database_url))
    manifest = services.surveys.get("campus").manifest
    reports = [make_report(manifest) for _ in range(count)]
    verdicts = services.collect.take("campus", [report.encode() for report in reports])
    services.close()
    assert set(verdicts) == {Stored.ACCEPTED}
    return reports


@pytest.fixture
def published(ask: Ask, survey_file: Path) -> dict[str, Any]:
    value: dict[str, Any] = ask("survey", "publish", survey_file)
    return value


def dashboard_figures(token: str) -> Any:
    """Return what the dashboard shows, from the API."""
    app = create_app(load_settings())
    response = app.test_client().get("/api/v1/surveys/campus/estimates", headers={"Authorization": f"Bearer {token}"})
    app.extensions["hushpoll"].close()
    assert response.status_code == 200
    return response.json


def test_the_stored_reports_give_the_dashboards_figures_to_the_digit(
    hushpoll: Command, ask: Ask, survey_file: Path, database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HUSHPOLL_DB", database_url)
    ask("survey", "publish", survey_file)
    sent = fill(None, 150)
    assert hushpoll("export", "campus", "--format", "ndjson", "--out", "r.ndjson").exit_code == 0
    assert hushpoll("survey", "compile", survey_file, "--out", "m.json").exit_code == 0
    ask("researcher", "add", "a@b.org")
    shown = dashboard_figures(ask("researcher", "token", "a@b.org")["token"])
    assert ask("estimate", "--manifest", "m.json", "--reports", "r.ndjson") == shown
    # As they were received, but not in the order of arrival: sorted by their random ids.
    lines = (tmp_path / "r.ndjson").read_bytes().splitlines()
    assert lines == sorted((report.encode() for report in sent), key=lambda line: json.loads(line)["id"])


def test_json_holds_the_figures_with_all_that_is_needed_to_check_them(
    hushpoll: Command, ask: Ask, published: dict[str, Any], tmp_path: Path
) -> None:
    fill(None, 120)
    assert hushpoll("export", "campus", "--format", "json", "--out", "e.json", "--level", "0.9").exit_code == 0
    exported = json.loads((tmp_path / "e.json").read_text("utf-8"))
    assert (exported["survey"], exported["manifest"], exported["key"]) == (
        "campus",
        published["manifest"],
        published["key"],
    )
    question = exported["questions"]["cheated"]
    assert (question["text"], question["mechanism"], question["p"], question["q"]) == (
        "Have you ever cheated?",
        "warner",
        0.75,
        0.25,
    )
    hushpoll("export", "campus", "--format", "ndjson", "--out", "r.ndjson")
    hushpoll("survey", "compile", "poll.yaml", "--out", "m.json")
    figures = ask("estimate", "--manifest", "m.json", "--reports", "r.ndjson", "--level", "0.9")["questions"]
    for name, values in figures.items():
        assert values.items() <= exported["questions"][name].items()


def test_csv_holds_the_same_numbers_and_no_formula(
    hushpoll: Command, published: dict[str, Any], tmp_path: Path
) -> None:
    fill(None, 30)
    for kind in ("csv", "json"):
        assert hushpoll("export", "campus", "--format", kind, "--out", f"e.{kind}").exit_code == 0
    exported = json.loads((tmp_path / "e.json").read_text("utf-8"))["questions"]
    with (tmp_path / "e.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["question"] for row in rows] == ["cheated", "helped"]
    for row in rows:
        [cell] = exported[row["question"]]["cells"]
        assert {name: float(row[name]) for name in ("estimate", "se", "low", "high", "tidy")} == {
            name: cell[name] for name in ("estimate", "se", "low", "high", "tidy")
        }
        assert (row["n"], row["cell"], row["count"]) == ("30", "yes", str(cell["count"]))
        assert row["manifest"] == published["manifest"]
        assert row["mechanism"] == "warner"
    assert rows[1]["text"].startswith("'=HYPERLINK(")


@pytest.fixture
def everything() -> dict[str, Any]:
    """Publish a survey of every type with forty reports; return the estimates."""
    manifest, answers = surveys()["everything"]
    services = Services(load_settings())
    services.surveys.publish(manifest, KEY)
    given = [(answers[number % 2], FixedTestStream(f"export-{number}")) for number in range(40)]
    bodies = [Survey(manifest).randomize(answer, source=source).encode() for answer, source in given]
    assert set(services.collect.take("everything", bodies)) == {Stored.ACCEPTED}
    results = services.results.results(services.results.read("everything"), Options(coverage="simultaneous", beta=0.05))
    services.close()
    return {name: result.to_json() for name, result in results.items()}


def holds(row: dict[str, str], figures: dict[str, Any], *names: str) -> bool:
    """Return whether a row has exactly these figures; what is not known is empty."""
    wanted = {name: figures.get(name) for name in names}
    return all(row[name] == "" if value is None else float(row[name]) == value for name, value in wanted.items())


def test_a_table_has_a_row_for_each_cell_each_bin_and_each_mean(
    hushpoll: Command, everything: dict[str, Any], tmp_path: Path
) -> None:
    options = ("--coverage", "simultaneous", "--beta", "0.05")
    assert hushpoll("export", "everything", "--format", "csv", "--out", "e.csv", *options).exit_code == 0
    with (tmp_path / "e.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    of = {(row["question"], row["kind"], row["cell"]): row for row in rows}
    for name, question in everything.items():
        for cell in question.get("cells", []):
            row = of[name, "cell", str(guard(cell["name"]))]
            assert holds(row, cell, "count", "estimate", "se", "low", "high", "tidy", "asked")
            assert (float(row["band_low"]), row["beta"], row["coverage"]) == (
                cell["band"]["low"],
                "0.05",
                "simultaneous",
            )
        if "mean" in question:
            assert holds(of[name, "mean", ""], question["mean"], "estimate", "se", "low", "high")
        for item in question.get("bins", []):
            row = of[name, "bin", str(guard(item["name"]))]
            assert holds(row, item, "from", "to", "estimate", "se", "low", "high")
            assert (row["low"], row["high"], row["price_of_privacy"]) == ("", "", "")
        for item in question.get("cumulative", []):
            assert holds(of[name, "below", f"below {item['below']:g}"], item, "estimate", "low", "high")
        for item in question.get("quantiles", []):
            assert holds(of[name, "quantile", f"{item['share']:.0%} below"], item, "estimate", "low", "high")
        if "sd" in question:
            assert holds(of[name, "sd", ""], question["sd"], "estimate", "se", "low", "high")
    lists = ("cells", "bins", "cumulative", "quantiles")
    # How the parts of the pair are related has rows of its own.
    related = {"row_margin": 3, "column_margin": 3, "independence": 1}
    assert Counter(row["kind"] for row in rows if row["kind"] in related) == related
    assert len(rows) - sum(related.values()) == sum(
        sum(len(question.get(each, [])) for each in lists) + ("mean" in question) + ("sd" in question)
        for question in everything.values()
    )


def test_the_design_of_every_type_is_in_the_table(
    hushpoll: Command, everything: dict[str, Any], tmp_path: Path
) -> None:
    assert hushpoll("export", "everything", "--format", "csv", "--out", "e.csv").exit_code == 0
    with (tmp_path / "e.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["question"]: row for row in csv.DictReader(file)}
    assert (rows["hours"]["type"], rows["hours"]["mechanism"], rows["hours"]["p"]) == ("number", "channel", "")
    assert (rows["way"]["type"], rows["way"]["mechanism"]) == ("single_choice", "subset")
    assert 0 < float(rows["way"]["q"]) < float(rows["way"]["p"]) < 1
    assert all(float(row["epsilon"]) > 0 for row in rows.values())
    assert {row["level"] for row in rows.values()} == {"0.95"}


def test_new_columns_stand_behind_the_old_ones() -> None:
    old = "survey manifest question text n cell count estimate se low high tidy level method population mechanism p q"
    names = names_of(COLUMNS)
    assert list(names[:19]) == [*old.split(), "epsilon"]
    assert names[28:33] == ("kind", "second", "second_cell", "constrained_low", "constrained_high")
    assert names[33:36] == ("dimension", "group", "group_text")
    assert len(set(names)) == len(names)


def test_parquet_without_its_package_names_the_extra(
    hushpoll: Command, published: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = hushpoll("export", "campus", "--format", "parquet", "--out", "e.parquet")
    assert result.exit_code == 1
    assert result.stderr == "parquet needs pyarrow: install the extra with pip install 'hushpoll[parquet]'\n"
    assert not (tmp_path / "e.parquet").exists()


def test_an_export_without_reports_has_empty_figures(
    hushpoll: Command, published: dict[str, Any], tmp_path: Path
) -> None:
    for kind in ("csv", "json", "ndjson"):
        assert hushpoll("export", "campus", "--format", kind, "--out", f"e.{kind}").exit_code == 0
    assert (tmp_path / "e.ndjson").read_bytes() == b""
    assert json.loads((tmp_path / "e.json").read_text("utf-8"))["questions"]["cheated"]["n"] == 0
    with (tmp_path / "e.csv").open(encoding="utf-8", newline="") as file:
        assert [row["estimate"] for row in csv.DictReader(file)] == ["", ""]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "  =1", "＝1", "\u00a0=1", "\ufeff=1"])
def test_a_text_that_a_spreadsheet_would_run_is_guarded(text: str) -> None:
    assert guard(text) == "'" + text


@pytest.mark.parametrize(
    ("text", "guarded"),
    [("\t=1", "'\t'=1"), ("a;=1", "a;'=1"), ('a; "-1', "a; \"'-1"), ("a\r\n@x", "a\r\n'@x"), ("a; b", "a; b")],
)
def test_a_part_of_a_text_that_becomes_a_cell_of_its_own_is_guarded(text: str, guarded: str) -> None:
    assert guard(text) == guarded


@pytest.mark.parametrize("value", ["Have you?", "a=b", "", -0.25, 3, None])
def test_other_texts_and_all_numbers_stay_as_they_are(value: object) -> None:
    assert guard(value) == value


def test_an_unknown_survey_writes_no_file(hushpoll: Command, tmp_path: Path) -> None:
    result = hushpoll("export", "nobody", "--format", "csv", "--out", "e.csv")
    assert result.exit_code == 1
    assert result.stderr == "there is no such survey in this database: hushpoll survey list shows all\n"
    assert not (tmp_path / "e.csv").exists()


def test_wrong_calls_and_places_that_cannot_be_written_to(
    hushpoll: Command, published: dict[str, Any], tmp_path: Path
) -> None:
    assert hushpoll("export", "campus", "--format", "xlsx", "--out", "e").exit_code == 2
    assert hushpoll("export", "campus", "--format", "csv").exit_code == 2
    assert hushpoll("export", "campus", "--format", "csv", "--out", tmp_path).exit_code == 2
    result = hushpoll("export", "campus", "--format", "csv", "--out", "nowhere/e.csv")
    assert (result.exit_code, result.stderr) == (1, "nowhere/e.csv: No such file or directory\n")


@pytest.mark.parametrize("kind", ["csv", "json", "ndjson"])
def test_an_export_cannot_be_read_by_others(
    hushpoll: Command, published: dict[str, Any], tmp_path: Path, kind: str
) -> None:
    (tmp_path / "e").touch(mode=0o644)
    assert hushpoll("export", "campus", "--format", kind, "--out", "e").exit_code == 0
    assert stat.S_IMODE((tmp_path / "e").stat().st_mode) == 0o600


def test_an_export_is_not_written_through_a_planted_link(
    hushpoll: Command, published: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "e.csv").symlink_to(tmp_path / "victim")
    result = hushpoll("export", "campus", "--format", "csv", "--out", "e.csv")
    assert (result.exit_code, (tmp_path / "victim").read_text()) == (1, "precious")


HARMFUL = "=+-@＝＋－＠"


def run_by_a_spreadsheet(content: str, delimiter: str) -> list[str]:
    """Return the cells that start a formula where columns are split at this character."""
    cells = [cell for row in csv.reader(io.StringIO(content, newline=""), delimiter=delimiter) for cell in row]
    return [cell for cell in cells if cell.lstrip(' \t\r\n"\u00a0')[:1] in tuple(HARMFUL)]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@given(text=strategies.text(alphabet=f"a;,\t\r\n\" '\u00a0{HARMFUL}", max_size=12))
def test_no_spreadsheet_runs_a_text_as_a_formula_wherever_it_splits_columns(delimiter: str, text: str) -> None:
    written = io.StringIO(newline="")
    csv.writer(written, quoting=csv.QUOTE_ALL).writerow(["campus", guard(text), "after"])
    assert run_by_a_spreadsheet(written.getvalue(), delimiter) == []


def test_a_formula_behind_a_semicolon_of_a_question_is_not_run_where_semicolons_split_columns(
    hushpoll: Command, survey_file: Path, tmp_path: Path
) -> None:
    survey_file.write_text(survey_file.read_text("utf-8").replace("Have you ever cheated?", "Ever?;=CMD()"), "utf-8")
    assert hushpoll("survey", "publish", survey_file).exit_code == 0
    fill(None, 30)
    assert hushpoll("export", "campus", "--format", "csv", "--out", "e.csv").exit_code == 0
    content = (tmp_path / "e.csv").read_bytes().decode("utf-8")
    assert run_by_a_spreadsheet(content, ";") == []
    assert all(line.startswith('"') and line.endswith('"') for line in content.splitlines())


def test_a_negative_estimate_stays_a_number_and_has_the_limits_that_are_possible(
    hushpoll: Command, published: dict[str, Any], tmp_path: Path
) -> None:
    services = Services(load_settings())
    manifest = services.surveys.get("campus").manifest
    reports = [replace(make_report(manifest), draws={"cheated": "0", "helped": "0"}) for _ in range(40)]
    services.collect.take("campus", [report.encode() for report in reports])
    services.close()
    for kind in ("csv", "json"):
        assert hushpoll("export", "campus", "--format", kind, "--out", f"e.{kind}").exit_code == 0
    questions = json.loads((tmp_path / "e.json").read_text("utf-8"))["questions"]
    with (tmp_path / "e.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["estimate"]) < 0 for row in rows] == [True, True]
    for row in rows:
        [cell] = questions[row["question"]]["cells"]
        assert (float(row["constrained_low"]), float(row["constrained_high"])) == tuple(cell["constrained"].values())


def test_no_receipt_finds_its_row_in_an_export_with_new_ids(
    hushpoll: Command, ask: Ask, published: dict[str, Any], survey_file: Path, tmp_path: Path
) -> None:
    sent = fill(None, 60)
    for out, options in (("old.ndjson", ()), ("new.ndjson", ("--new-ids",))):
        assert hushpoll("export", "campus", "--format", "ndjson", "--out", out, *options).exit_code == 0
    lines = [json.loads(line) for line in (tmp_path / "new.ndjson").read_bytes().splitlines()]
    ids = [line["id"] for line in lines]
    assert set(ids).isdisjoint(report.id for report in sent)
    # The order is that of the new ids, so it says nothing about the old ones.
    assert ids == sorted(set(ids))
    assert len(ids) == 60
    hushpoll("survey", "compile", survey_file, "--out", "m.json")
    old, new = (ask("estimate", "--manifest", "m.json", "--reports", name) for name in ("old.ndjson", "new.ndjson"))
    assert old == new


def test_new_ids_are_only_for_a_format_that_holds_ids(hushpoll: Command, published: dict[str, Any]) -> None:
    assert hushpoll("export", "campus", "--format", "csv", "--out", "e.csv", "--new-ids").exit_code == 2


def test_parquet_has_the_rows_and_the_figures_of_csv(
    hushpoll: Command, everything: dict[str, Any], tmp_path: Path
) -> None:
    for kind in ("csv", "parquet"):
        assert hushpoll("export", "everything", "--format", kind, "--out", f"e.{kind}").exit_code == 0
    rows = importlib.import_module("pyarrow.parquet").read_table(tmp_path / "e.parquet").to_pylist()
    with (tmp_path / "e.csv").open(encoding="utf-8", newline="") as file:
        written = list(csv.DictReader(file))
    assert [list(row) for row in rows] == [list(names_of(COLUMNS))] * len(written)
    for row, same in zip(rows, written, strict=True):
        # Only CSV is opened by spreadsheets, which would run a text as a formula.
        assert {name: "" if value is None else str(guard(value)) for name, value in row.items()} == same
