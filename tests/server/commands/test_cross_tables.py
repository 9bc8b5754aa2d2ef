"""Cross tables of questions asked apart: declared, counted, estimated, exported, checked, kept in a backup."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from sqlalchemy import text
from tests.server.collect.recount import recount
from tests.vectors.streams import FixedTestStream

from hushpoll_client.survey import Survey
from hushpoll_server.app import create_app
from hushpoll_server.collect.batch import Stored
from hushpoll_server.services import Services
from hushpoll_server.settings import load_settings
from hushpoll_shared.report import Report

Command = Callable[..., Result]
Ask = Callable[..., Any]

SURVEY = """\
survey: campus
title: Campus
consent: Taking part is voluntary.
respondents: 2000
cross_tables: [[cheated, helped], [cheated, mood], [ways, mood]]
questions:
  - {id: cheated, text: Cheated?, type: yes_no, privacy: {odds: "3:1"}}
  - {id: helped, text: Helped?, type: yes_no, privacy: {p: "1/4"}}
  - {id: ways, text: How?, type: single_choice, options: [a, b, c, d, e, f], privacy: {epsilon: "0.5"}}
  - {id: mood, text: Mood?, type: scale, min: 1, max: 3, decline: true, privacy: {epsilon: "2"}}
"""
CROSS = ("--cross", "cheated,helped", "--cross", "cheated,mood", "--cross", "ways,mood")
PEOPLE = ((True, True, "a", 3), (False, False, "b", 1), (False, True, "f", None), (True, True, "a", 2))


@pytest.fixture
def published(ask: Ask, tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Publish the survey, on each engine."""
    monkeypatch.setenv("HUSHPOLL_DB", database_url)
    file = tmp_path / "crossed.yaml"
    file.write_text(SURVEY, encoding="utf-8")
    ask("survey", "publish", file)
    return file


def answer(number: int = 200) -> list[Report]:
    """Let people answer, and half of their devices send twice."""
    services = Services(load_settings())
    survey, source = Survey(services.surveys.get("campus").manifest), FixedTestStream("crossed")
    names = ("cheated", "helped", "ways", "mood")
    people = (dict(zip(names, PEOPLE[i % len(PEOPLE)], strict=True)) for i in range(number))
    reports = [survey.randomize(each, source=source) for each in people]
    bodies = [report.encode() for report in (*reports, *reports[::2])]
    assert services.collect.take("campus", bodies).count(Stored.ACCEPTED) == number
    assert services.collect.counts("campus") == recount(services, "campus")
    services.close()
    return reports


def api_figures(token: str) -> Any:
    app = create_app(load_settings())
    response = app.test_client().get("/api/v1/surveys/campus/estimates", headers={"Authorization": f"Bearer {token}"})
    app.extensions["hushpoll"].close()
    assert response.status_code == 200
    return response.json


def test_the_counters_and_the_exported_reports_give_the_same_tables_to_the_digit(
    hushpoll: Command, ask: Ask, published: Path
) -> None:
    answer()
    ask("researcher", "add", "a@b.org")
    shown = api_figures(ask("researcher", "token", "a@b.org")["token"])
    assert hushpoll("export", "campus", "--format", "ndjson", "--out", "r.ndjson").exit_code == 0
    assert hushpoll("survey", "compile", published, "--out", "m.json").exit_code == 0
    assert ask("estimate", "--manifest", "m.json", "--reports", "r.ndjson", *CROSS) == shown
    tables = shown["cross_tables"]
    names = [(table["first"], table["second"]) for table in tables]
    assert names == [("cheated", "helped"), ("cheated", "mood"), ("ways", "mood")]
    assert [(table["n"], len(table["cells"])) for table in tables] == [(200, 4), (200, 8), (200, 24)]
    for table in tables:
        assert sum(cell["estimate"] for cell in table["cells"]) == pytest.approx(1)
        rows = [cell["estimate"] for cell in table["cells"] if cell["first"] == table["cells"][-1]["first"]]
        [alone] = [c for c in shown["questions"][table["first"]]["cells"] if c["name"] == table["cells"][-1]["first"]]
        assert sum(rows) == pytest.approx(alone["estimate"])
    # Without --cross, and without cross_tables, the output is what it always was.
    assert ask("estimate", "--manifest", "m.json", "--reports", "r.ndjson").keys() == {"questions"}


def test_people_read_the_table_and_the_test(hushpoll: Command, published: Path) -> None:
    answer()
    hushpoll("export", "campus", "--format", "ndjson", "--out", "r.ndjson")
    hushpoll("survey", "compile", published, "--out", "m.json")
    printed = hushpoll("estimate", "--manifest", "m.json", "--reports", "r.ndjson", "--cross", "ways, mood").stdout
    assert printed.count("ways × mood  ") == 25
    assert "ways × mood  a × 3: " in printed
    assert "ways × mood  independence: χ² = " in printed


def test_tables_and_json_hold_every_cell_behind_the_questions(
    hushpoll: Command, published: Path, tmp_path: Path
) -> None:
    answer(40)
    for kind in ("csv", "json"):
        assert hushpoll("export", "campus", "--format", kind, "--out", f"e.{kind}", "--beta", "0.05").exit_code == 0
    exported = json.loads((tmp_path / "e.json").read_text("utf-8"))
    cell = exported["cross_tables"][2]["cells"][-1]
    with (tmp_path / "e.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    crossed = [row for row in rows if row["kind"] == "cross"]
    kinds = [row["kind"] for row in rows]
    # Each table is followed by how its answers are related.
    related = {"cross", "row_margin", "column_margin", "independence", "odds_ratio"}
    assert set(kinds[kinds.index("cross") :]) <= related
    assert len(crossed) == 4 + 8 + 24
    last = crossed[-1]
    assert (last["question"], last["cell"], last["second"], last["second_cell"]) == ("ways", "f", "mood", "decline")
    assert (last["n"], last["type"]) == ("40", "single_choice")
    assert float(last["epsilon"]) == pytest.approx(2.5)
    for column in ("count", "estimate", "se", "low", "high", "tidy"):
        assert float(last[column]) == pytest.approx(cell[column], abs=1e-15)
    assert float(last["band_low"]) == cell["band"]["low"]
    assert {row["second"] for row in rows if row["kind"] not in related} == {""}


def test_reconcile_finds_and_repairs_a_joint_counter(hushpoll: Command, ask: Ask, published: Path) -> None:
    answer(30)
    assert hushpoll("reconcile").exit_code == 0
    services = Services(load_settings())
    with services.store.transaction() as session:
        wrong = "UPDATE counter SET count = count + 1 WHERE question = 'cheated,mood' AND name = '1,2'"
        assert session.connection().execute(text(wrong)).rowcount == 1
    services.close()
    found = hushpoll("reconcile")
    assert found.exit_code == 1
    assert "cheated,mood" in found.stdout + found.stderr
    hushpoll("reconcile", "--repair")
    assert hushpoll("reconcile").exit_code == 0


def test_a_backup_keeps_the_cross_tables_and_their_counters(
    hushpoll: Command, published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(30)
    before = Services(load_settings())
    counts, crossed = before.collect.counts("campus"), before.surveys.crossed("campus")
    before.close()
    assert hushpoll("backup", "copy.ndjson").exit_code == 0
    monkeypatch.setenv("HUSHPOLL_DB", f"sqlite:///{tmp_path / 'restored.sqlite'}")
    assert hushpoll("restore", "copy.ndjson").exit_code == 0
    after = Services(load_settings())
    assert after.surveys.crossed("campus") == crossed
    assert after.collect.counts("campus") == counts
    after.close()


@pytest.mark.parametrize(
    ("pair", "words", "code"),
    [
        ("cheated", "two questions with a comma between them", 2),
        ("cheated,helped,mood", "two questions with a comma between them", 2),
        ("cheated,nothing", "there is no question 'nothing'", 1),
        ("mood,mood", "'mood' is named twice", 1),
    ],
)
def test_what_cannot_be_crossed_is_said(hushpoll: Command, tmp_path: Path, pair: str, words: str, code: int) -> None:
    (tmp_path / "crossed.yaml").write_text(SURVEY, encoding="utf-8")
    hushpoll("survey", "compile", "crossed.yaml", "--out", "m.json")
    (tmp_path / "r.ndjson").write_bytes(b"")
    said = hushpoll("estimate", "--manifest", "m.json", "--reports", "r.ndjson", "--cross", pair)
    assert (said.exit_code, words in said.stderr) == (code, True)


def test_counts_alone_have_no_cross_table(hushpoll: Command) -> None:
    design = ("--design", "warner", "--odds", "3:1", "--yes", 4, "--n", 10)
    assert hushpoll("estimate", *design, "--cross", "a,b").exit_code == 2


def test_publishing_with_other_cross_tables_is_refused(hushpoll: Command, published: Path) -> None:
    published.write_text(SURVEY.replace(", [ways, mood]]", "]"), encoding="utf-8")
    refused = hushpoll("survey", "publish", published)
    assert refused.exit_code == 1
    assert "is published with other cross tables" in refused.stderr


def test_the_longest_names_and_the_most_answers_have_room_in_a_counter(
    ask: Ask, hushpoll: Command, tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUSHPOLL_DB", database_url)
    first, second = "a" * 64, "b" * 64
    question = "text: x, type: scale, min: 1"
    (tmp_path / "long.yaml").write_text(
        f"survey: campus\ntitle: x\nconsent: x\ncross_tables: [[{first}, {second}]]\nquestions:\n"
        f"  - {{id: {first}, {question}, max: 500, privacy: {{epsilon: 1}}}}\n"
        f"  - {{id: {second}, {question}, max: 2, privacy: {{epsilon: 1}}}}\n",
        encoding="utf-8",
    )
    ask("survey", "publish", "long.yaml")
    services = Services(load_settings())
    device = Survey(services.surveys.get("campus").manifest)
    body = device.randomize({first: 500, second: 2}, source=FixedTestStream("long")).encode()
    assert services.collect.take("campus", [body]) == [Stored.ACCEPTED]
    assert services.collect.counts("campus") == recount(services, "campus")
    services.close()
