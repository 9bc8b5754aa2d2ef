"""hushpoll lab database: what is asked is answered with noise, paid for, or refused in a sentence with the cure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.server.commands.conftest import Command, Program

from hushpoll_client.cli import main

PEOPLE = "income,city\n" + "".join(f"{1000 * place},{city}\n" for place in range(100) for city in ("Bonn", "Aachen"))
CALL = ("lab", "database", "people.csv", "--epsilon", "1")
DECLARED = ("--bounds", "income=0:100000", "--categories", "city=Aachen,Bonn")
COUNT = "SELECT COUNT(*) WHERE city = 'Bonn'"


@pytest.fixture(autouse=True)
def _people(_folder: None) -> None:
    Path("people.csv").write_text(PEOPLE, encoding="utf-8")


def piped(lines: str | bytes, *words: str) -> Result:
    return CliRunner().invoke(main, [*CALL, *words], input=lines, catch_exceptions=False, prog_name="hushpoll")


def test_answers_have_intervals_and_a_price(ask: Callable[..., Any]) -> None:
    queries = (COUNT, "SELECT SUM(income)", "SELECT AVG(income)", "SELECT HISTOGRAM(city)", "SELECT MOST COMMON city")
    printed = ask(*CALL, *DECLARED, *(word for query in queries for word in ("--query", query)), "--spend", "1/5")
    assert [answer["epsilon"] for answer in printed["answers"]] == ["0.2"] * 5
    for answer in printed["answers"][:4]:
        for figure in answer["figures"]:
            assert figure["low"] < figure["estimate"] < figure["high"]
    assert printed["answers"][4]["category"] in ("Aachen", "Bonn")
    budget = printed["budget"]
    assert budget["analyst"] == {"name": "analyst", "epsilon": "1", "delta": 0.0, "spent": "1", "left": "0"}
    assert budget["groups"][1] == {"people": 5, "epsilon": "5", "delta": 0.0}
    assert budget["neighbours"] == "one row added or removed"


def test_no_output_has_the_hash_of_the_table(hushpoll: Command) -> None:
    # It would confirm a guess at the one row that somebody does not know.
    for words in (("--query", COUNT), ("--query", COUNT, "--json"), ("--epsilon", "2", "--query", COUNT)):
        result = hushpoll(*CALL, *words)
        assert hashlib.sha256(PEOPLE.encode()).hexdigest()[:8] not in result.output


def test_words_say_the_same(hushpoll: Command) -> None:
    words = ("--query", COUNT, "--spend", "0.9", "--query", "SELECT AVG(income)", "--spend", "0.1")
    result = hushpoll(*CALL, *DECLARED, *words)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == f"{COUNT}   (ε 0.9)"
    assert lines[1].startswith("  count: ")
    assert lines[5] == "  mean of the values within 0 to 100000, in steps of 0.1"
    assert lines[6] == "analyst: ε 1 of 1 spent, 0 left for one more question"
    assert lines[8] == "neighbours: one row added or removed; for 2 people together ε is 2, 5 people together ε is 5"


def test_a_spent_budget_locks_and_what_was_paid_for_is_still_printed(hushpoll: Command) -> None:
    result = hushpoll(*CALL, "--query", "SELECT COUNT(*)", "--query", COUNT, "--spend", "0.6", "--json")
    assert result.exit_code == 1
    assert result.stderr == (
        "this question costs 0.6, and 0.4 of 1 is left of the budget of analyst: ask with a smaller --spend, or "
        "stop here\n"
    )
    assert len(json.loads(result.stdout)["answers"]) == 1
    assert hushpoll(*CALL, "--query", COUNT, "--spend", "0.5").exit_code == 1


def test_the_ledger_is_in_the_home_and_apart_from_the_instance(hushpoll: Command, tmp_path: Path) -> None:
    assert hushpoll(*CALL, "--query", COUNT).exit_code == 0
    assert [path.name for path in (tmp_path / "home").rglob("*") if path.is_file()] == ["ledger.sqlite"]
    assert hushpoll(*CALL, "--query", COUNT, "--ledger", "own.sqlite").exit_code == 0
    assert Path("own.sqlite").exists()


def test_analysts_share_a_total_and_delta_allows_more_small_questions(ask: Callable[..., Any]) -> None:
    words = ("--total", "1.5", "--delta", "1e-6", "--query", COUNT, "--spend", "0.01", "--fresh")
    printed = ask(*CALL, *words, *("--query", COUNT) * 3, "--analyst", "ana")
    assert printed["budget"]["all"] == {"epsilon": "1.5", "delta": 1e-06, "spent": "0.04", "left": "1.46"}
    assert ask(*CALL, *words, "--analyst", "bo")["budget"]["all"]["spent"] == "0.05"


def test_questions_are_read_from_a_pipe_one_a_line() -> None:
    lines = f"{COUNT}\nSELECT MAX(income)\n\nspend 1/4\n{COUNT}\nspend x\nbudget\nhelp\nquit\n{COUNT} AND city = 'x'\n"
    result = piped(lines)
    assert result.exit_code == 1
    assert result.stdout.count("count: ") == 2
    assert "(ε 0.25)" in result.stdout
    assert "analyst: ε 0.35 of 1 spent" in result.stdout
    assert "only this can be asked" in result.stderr
    assert "BETWEEN 2 AND 5" in result.stderr
    assert piped(f"{COUNT}\n").exit_code == 0


def test_a_pipe_can_have_json_lines_and_any_bytes() -> None:
    result = piped(COUNT.encode() + b"\nbudget\n\xff\x00'\n" + b"(" * 200_000, "--json")
    answer, budget = map(json.loads, result.stdout.splitlines())
    assert (answer["query"], budget["analyst"]["spent"]) == (COUNT, "0.1")
    assert result.exit_code == 1
    assert "not understood" in result.stderr
    assert "4000 characters" in result.stderr


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--query", "SELECT *"), "character 8 of the query: only this can be asked"),
        (("--query", "SELECT SUM(income)"), "declare them, such as --bounds income=0:200000"),
        (("--query", COUNT, "--spend", "0"), "a question costs at least"),
        (("--query", COUNT, "--spend", "1", "--spend", "1"), "one --spend for all"),
        (("--query", COUNT, "--level", "95"), "above 0 and below 1"),
        (("--total", "0.5"), "raise --total"),
        (("--delta", "0.5"), "delta may be at most"),
        (("--bounds", "income"), "--bounds income=0:200000"),
        (("--bounds", "income=9:1"), "column income: the lower bound"),
        (("--categories", "city="), "--bounds income=0:200000"),
        (("--missing", "guess"), "--missing"),
        (("--analyst", ""), "needs a name"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(hushpoll: Command, words: tuple[str, ...], reason: str) -> None:
    result = hushpoll(*CALL, *words)
    assert result.exit_code == 2
    assert reason in " ".join(result.stderr.split())
    assert not Path("home").exists() or not list(Path("home").rglob("*.sqlite")) or "--query" in words


@pytest.mark.parametrize(
    ("text", "words", "reason"),
    [
        ("income,city\n1,\n", (), "people.csv: line 2: the cell of column city is missing: fill it in"),
        ("income,city\n1\n", (), "people.csv: line 2: there are 1 cells for 2 columns"),
        ("a,a\n1,2\n", (), "two columns have the same name"),
        ("income\nmuch\n", ("--bounds", "income=0:9"), "line 2: the cell of column income is not a number"),
        (PEOPLE, ("--schema", "none.yaml"), "none.yaml: No such file"),
        (PEOPLE, ("--bounds", "wage=0:9"), "there is no column wage as declared: the columns are income, city"),
        (PEOPLE, ("--ledger", "no/such/folder.sqlite"), "the ledger cannot be used"),
    ],
)
def test_a_file_that_cannot_be_used_ends_in_a_sentence(
    hushpoll: Command, text: str, words: tuple[str, ...], reason: str
) -> None:
    Path("people.csv").write_text(text, encoding="utf-8")
    result = hushpoll(*CALL, *words, "--query", "SELECT COUNT(*)")
    assert (result.exit_code, result.stdout) == (1, "")
    assert reason in result.stderr
    assert result.stderr.count("\n") == 1


def test_it_is_a_program(program: Program) -> None:
    done = program(*CALL, "--query", COUNT, "--level", "0.5", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["answers"][0]["level"] == 0.5
