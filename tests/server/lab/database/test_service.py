"""The database answers what was paid for, remembers it, and locks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.server.lab.database.tables import PEOPLE, SCHEMA, opened, write

from hushpoll_server.lab import database as room
from hushpoll_server.lab.database import BudgetSpent, Database, QueryRefused, Spent
from hushpoll_server.lab.noise.streams import SeededBytes
from hushpoll_shared.errors import InvalidValue

COUNT = "SELECT COUNT(*) WHERE age > 18"


def test_the_same_question_again_is_the_same_answer_and_free(tmp_path: Path) -> None:
    with opened(tmp_path) as database:
        first = database.ask(COUNT, spend="0.5")
    with opened(tmp_path) as database:
        again = database.ask("select count(*)  from data where age>18;", spend="1/2", level="0.5")
        assert (first.remembered, again.remembered) == (False, True)
        assert first.figures[0].estimate == again.figures[0].estimate
        assert first.figures[0].low < again.figures[0].low
        assert database.spent.sum == 0.5


@pytest.mark.parametrize(
    "options",
    [
        {"analyst": "bo"},
        {"schema": room.Schema({**SCHEMA.kinds, "age": room.Schema.of(bounds={"age": "0:99"}).kinds["age"]})},
        {"missing": "drop"},
    ],
    ids=["analyst", "bounds", "missing"],
)
def test_an_answer_is_repeated_to_its_analyst_under_the_same_declarations_only(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    with opened(tmp_path, total="2") as database:
        database.ask(COUNT, spend="0.5")
    with opened(tmp_path, total="2", **options) as database:
        assert not database.ask(COUNT, spend="0.5").remembered


def test_another_epsilon_or_a_fresh_draw_is_paid_for(tmp_path: Path) -> None:
    with opened(tmp_path) as database:
        database.ask(COUNT, spend="0.2")
        database.ask(COUNT, spend="0.3")
        database.ask(COUNT, spend="0.2", remember=False)
        assert float(database.spent.sum) == pytest.approx(0.7)


def test_it_locks_and_still_repeats_what_it_said(tmp_path: Path) -> None:
    with opened(tmp_path) as database:
        answer = database.ask(COUNT, spend="1")
        for spend in ("0.00000000000000000001", "0.000000001", "100"):
            with pytest.raises(BudgetSpent):
                database.ask("SELECT COUNT(*)", spend=spend)
        assert database.ask(COUNT, spend="1").figures == answer.figures


def test_what_is_refused_costs_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as database:
        for query in ("SELECT MAX(age)", "SELECT SUM(name)", "SELECT COUNT(*) WHERE nothing = 1"):
            with pytest.raises(QueryRefused):
                database.ask(query, spend="0.1")
        for spend in ("0", "0.000000000000000000009", "-1", "x", "nan"):
            with pytest.raises(InvalidValue, match=r"spend|costs at least"):
                database.ask(COUNT, spend=spend)
        for level in ("0", "1", "1.5", "x"):
            with pytest.raises(InvalidValue, match="level"):
                database.ask(COUNT, spend="0.1", level=level)
        assert database.spent == Spent()


def test_whether_a_query_is_refused_does_not_depend_on_a_row(tmp_path: Path) -> None:
    queries = ["SELECT SUM(age) WHERE name = 'nobody'", "SELECT AVG(debt) WHERE age > 1000", "SELECT MOST COMMON city"]
    header = PEOPLE.splitlines()[0]
    for place, text in enumerate((PEOPLE, header)):
        with opened(tmp_path, text, ledger=tmp_path / f"ledger-{place}") as database:
            for query in queries:
                database.ask(query, spend="0.1")


def test_answers_can_be_repeated_from_a_seed_and_say_what_they_are(tmp_path: Path) -> None:
    queries, answers = (COUNT, "SELECT MOST COMMON city"), []
    for name in ("first", "second"):
        with opened(tmp_path, ledger=tmp_path / name, source=SeededBytes(3)) as database:
            answers.append([database.ask(query, spend="0.25").as_json() for query in queries])
    assert answers[0] == answers[1]
    count, city = answers[0]
    assert count["mechanism"] == "discrete Laplace noise"
    assert (count["epsilon"], count["level"], count["sensitivity"]) == ("0.25", 0.95, 1)
    assert (city["mechanism"], city["figures"], city["margin"]) == ("permute-and-flip", [], 11)
    assert city["category"] in ("Aachen", "Bonn", "Köln")


def test_an_analyst_has_a_name(tmp_path: Path) -> None:
    for name in ("", "\u200b", "x" * 101):
        with pytest.raises(InvalidValue, match="needs a name"):
            opened(tmp_path, analyst=name)
    with opened(tmp_path, analyst=" Ana\u200b ") as database:
        assert database.analyst == "Ana"


def test_its_page_shows_a_call_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "income,city\n60000,Bonn\n70000,Aachen\n")
    example = [line[4:] for line in (room.__doc__ or "").splitlines() if line.startswith("    ")]
    exec("\n".join(example), {})
    with Database.open("people.csv", room.Schema(), epsilon="1", ledger="ledger.sqlite") as database:
        assert float(database.spent.sum) == 0.1
