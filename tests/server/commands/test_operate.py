"""hushpoll reconcile, backup, restore, migrate and purge, as an operator types them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlmodel import col, update
from tests.samples.surveys import make_report

from hushpoll_client.cli import main
from hushpoll_server.collect.batch import Stored
from hushpoll_server.collect.models import CounterRow
from hushpoll_server.services import Services
from hushpoll_server.settings import load_settings
from hushpoll_server.store import Store

Command = Callable[..., Result]
Ask = Callable[..., Any]


@pytest.fixture
def campus(ask: Ask, survey_file: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Publish a survey with twelve reports on each engine; return the body of one."""
    monkeypatch.setenv("HUSHPOLL_DB", database_url)
    ask("survey", "publish", survey_file)
    services = Services(load_settings())
    reports = [make_report(services.surveys.manifest("campus"), 1, 0) for _ in range(12)]
    assert set(services.collect.take("campus", [report.encode() for report in reports])) == {Stored.ACCEPTED}
    services.close()
    return reports[0].encode().decode()


def spoil(count: int) -> None:
    store = Store(load_settings().database_url)
    where = (col(CounterRow.question) == "cheated", col(CounterRow.name) == "1")
    with store.transaction() as session:
        session.exec(update(CounterRow).where(*where).values(count=count))
    store.close()


@pytest.mark.usefixtures("campus")
def test_reconcile_says_that_all_is_right(hushpoll: Command, ask: Ask) -> None:
    result = hushpoll("reconcile")
    assert (result.exit_code, result.stdout) == (0, "campus  12 reports  right\n")
    [found] = ask("reconcile", "campus")["surveys"]
    assert (found["right"], found["reports"], found["differences"]) == (True, 12, [])


@pytest.mark.usefixtures("campus")
def test_reconcile_names_what_differs_and_repairs_only_when_told(hushpoll: Command) -> None:
    spoil(40)
    line = "  question cheated, counter 1: stored 40, recounted 12\n"
    for _ in range(2):
        result = hushpoll("reconcile")
        assert (result.exit_code, result.stdout) == (1, f"campus  12 reports  DIFFERENT\n{line}")
    different = json.loads(hushpoll("reconcile", "--json").stdout)["surveys"][0]
    assert different["differences"] == [{"question": "cheated", "cell": "1", "stored": 40, "recounted": 12}]
    result = hushpoll("reconcile", "--repair")
    assert result.exit_code == 0
    assert result.stdout == "campus  12 reports  REPAIRED\n  question cheated, counter 1: 40 → 12\n"
    assert hushpoll("reconcile").exit_code == 0


@pytest.mark.usefixtures("campus")
def test_reconcile_refuses_a_survey_that_is_not_there(hushpoll: Command) -> None:
    result = hushpoll("reconcile", "nobody")
    assert result.exit_code == 1
    assert "there is no such survey" in result.stderr


@pytest.mark.usefixtures("campus")
def test_a_backup_is_restored_into_another_database(hushpoll: Command, ask: Ask, tmp_path: Path) -> None:
    result = hushpoll("backup", "all.backup")
    assert result.exit_code == 0
    size = (tmp_path / "all.backup").stat().st_size
    assert result.stdout == f"wrote all.backup: 17 rows, {size:,} bytes\n"
    assert "The signing key is not in it" in result.stderr
    other = f"sqlite:///{tmp_path / 'other.db'}"
    result = hushpoll("restore", "all.backup", "--db", other)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "restored 17 rows (surveys: 1, reports: 12)",
        "The counters equal a recount of the reports.",
    ]
    assert ask("survey", "list", "--db", other) == ask("survey", "list")


@pytest.mark.usefixtures("campus")
def test_backup_and_restore_speak_json(ask: Ask, tmp_path: Path) -> None:
    written = ask("backup", "all.backup")
    assert written == {"file": "all.backup", "rows": 17, "bytes": (tmp_path / "all.backup").stat().st_size}
    other = f"sqlite:///{tmp_path / 'other.db'}"
    assert ask("restore", "all.backup", "--db", other) == {"rows": 17, "surveys": ["campus"], "different": []}


@pytest.mark.usefixtures("campus")
def test_a_backup_with_wrong_counters_is_restored_and_says_so(hushpoll: Command, tmp_path: Path) -> None:
    spoil(40)
    hushpoll("backup", "all.backup")
    result = hushpoll("restore", "all.backup", "--db", f"sqlite:///{tmp_path / 'other.db'}")
    assert result.exit_code == 1
    assert result.stdout.endswith("hushpoll reconcile campus\n")


@pytest.mark.usefixtures("campus")
def test_a_damaged_backup_leaves_no_database_behind(hushpoll: Command, tmp_path: Path) -> None:
    hushpoll("backup", "all.backup")
    file = tmp_path / "all.backup"
    file.write_bytes(file.read_bytes()[:-30])
    result = hushpoll("restore", file, "--db", f"sqlite:///{tmp_path / 'other.db'}")
    assert result.exit_code == 1
    assert "damaged or incomplete" in result.stderr
    assert not (tmp_path / "other.db").exists()


@pytest.mark.usefixtures("campus")
def test_a_backup_does_not_replace_a_file(hushpoll: Command) -> None:
    Path("all.backup").write_text("precious", encoding="utf-8")
    result = hushpoll("backup", "all.backup")
    assert result.exit_code == 1
    assert "add --force" in result.stderr
    assert hushpoll("backup", "all.backup", "--force").exit_code == 0


def test_migrate_tells_what_it_did_and_then_has_nothing_to_do(
    hushpoll: Command, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUSHPOLL_DB", database_url)
    result = hushpoll("migrate", "--check")
    assert result.exit_code == 1
    missing = result.stdout.splitlines()
    assert (
        missing[0]
        == "missing  hushpoll_0001  Make the first tables: surveys, reports, counters, researchers, gateways."
    )
    assert missing[-1] == "The schema is not up to date: run hushpoll migrate."
    result = hushpoll("migrate")
    assert result.exit_code == 0
    done = result.stdout.splitlines()
    assert [line.removeprefix("done") for line in done[:-1]] == [line.removeprefix("missing") for line in missing[:-1]]
    for options in ([], ["--check"]):
        result = hushpoll("migrate", *options)
        assert (result.exit_code, result.stdout.splitlines()) == (0, done[-1:])


def test_migrate_speaks_json(ask: Ask, hushpoll: Command) -> None:
    result = hushpoll("migrate", "--check", "--json")
    missing = json.loads(result.stdout)["missing"]
    assert result.exit_code == 1
    assert ask("migrate")["done"] == missing
    assert ask("migrate", "--check")["missing"] == []


def test_a_check_makes_no_database(hushpoll: Command, tmp_path: Path) -> None:
    assert hushpoll("migrate", "--check").exit_code == 1
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("options", [[], ["--check"]])
def test_migrate_leaves_the_database_of_another_program_alone(
    hushpoll: Command, tmp_path: Path, options: list[str]
) -> None:
    other = sqlite3.connect(tmp_path / "invoices.db")
    other.execute("CREATE TABLE invoices (number INTEGER)")
    other.commit()
    result = hushpoll("migrate", *options, "--db", f"sqlite:///{tmp_path / 'invoices.db'}")
    assert result.exit_code == 1
    assert result.stderr == "the database holds tables of another program: give Hushpoll a database of its own\n"
    assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("invoices",)]
    other.close()


def answer(text: str) -> Result:
    return CliRunner().invoke(main, ["purge", "campus"], input=text, catch_exceptions=False)


@pytest.mark.usefixtures("campus")
def test_purge_says_what_is_lost_and_asks(hushpoll: Command) -> None:
    result = answer("n\n")
    assert result.exit_code == 1
    assert "Lost: the export of reports (ndjson)" in result.stderr
    assert "Kept until the survey ends: the reports' random ids" in result.stderr
    assert hushpoll("export", "campus", "--format", "ndjson", "--out", "before.ndjson").exit_code == 0
    result = answer("y\n")
    assert result.exit_code == 0
    assert result.stdout.endswith("deleted the draws of 12 reports and 0 ids\n")


def test_after_a_purge_reports_are_not_exported_and_everything_else_works(
    hushpoll: Command, ask: Ask, campus: str
) -> None:
    hushpoll("export", "campus", "--format", "csv", "--out", "before.csv")
    assert ask("purge", "campus", "--yes") == {"survey": "campus", "reports": 12, "ids": 0, "cleaned": True}
    result = hushpoll("export", "campus", "--format", "ndjson", "--out", "after.ndjson")
    assert result.exit_code == 1
    assert "the draws of 12 reports to campus were purged" in result.stderr
    assert not Path("after.ndjson").exists()
    hushpoll("export", "campus", "--format", "csv", "--out", "after.csv")
    assert Path("after.csv").read_bytes() == Path("before.csv").read_bytes()
    [listed] = ask("survey", "list")["surveys"]
    assert listed["reports"] == 12
    result = hushpoll("reconcile")
    assert result.exit_code == 0
    assert "The draws of 12 reports were purged. What can still be checked" in result.stdout
    services = Services(load_settings())
    assert services.collect.take("campus", [campus.encode()]) == [Stored.DUPLICATE]
    services.close()


@pytest.mark.usefixtures("campus")
def test_after_a_purge_a_repair_is_refused(hushpoll: Command) -> None:
    hushpoll("purge", "campus", "--yes")
    spoil(40)
    result = hushpoll("reconcile", "--repair")
    assert result.exit_code == 1
    assert "  question cheated, counter 1: stored 40, recounted 0\n" in result.stdout
    assert result.stdout.endswith("Not repaired: a recount does not see every report. Restore a backup.\n")


@pytest.mark.usefixtures("campus")
def test_a_survey_that_has_ended_loses_its_ids_and_is_closed(hushpoll: Command, ask: Ask) -> None:
    result = hushpoll("purge", "campus", "--ended", "--yes")
    assert result.stdout == "deleted the draws of 12 reports and 12 ids\n"
    assert "Lost, too: the reports' random ids" in result.stderr
    assert ask("survey", "list")["surveys"][0]["phase"] == "closed"
    assert hushpoll("reconcile").exit_code == 0
