"""The ledger: nothing is answered that it did not pay for, whatever is killed, raced or broken."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from tests.server.lab.database.tables import PEOPLE, opened, write

from hushpoll_server.lab.database import Budget, BudgetSpent, LedgerFailed, Spent
from hushpoll_server.lab.database.engine import Engine
from hushpoll_server.lab.database.ledger import Ledger, Limits
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import InvalidValue

ONE, HALF = Epsilon.parse("1"), Epsilon.parse("0.5")
LIMITS = Limits(Budget(ONE), Budget(ONE))
COUNT = "SELECT COUNT(*)"
# Asks for counts until it is refused; prints a line for each answer that it got.
ASK = """
import sys
from hushpoll_server.lab.database import BudgetSpent, Database
database = Database.open("people.csv", epsilon="1", total=sys.argv[2], ledger="ledger.sqlite", analyst=sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
try:
    while True:
        print(database.ask("SELECT COUNT(*)", spend=sys.argv[3], remember=False).figures[0].estimate, flush=True)
except BudgetSpent:
    print("refused", flush=True)
"""


def ledger(folder: Path, **options: object) -> Ledger:
    return Ledger(folder / "ledger.sqlite", **({"data": "hash", "limits": LIMITS} | options))  # type: ignore[arg-type]


def asking(folder: Path, analyst: str, *, total: str, spend: str) -> subprocess.Popen[str]:
    """Start a process that waits for a line before it asks."""
    write(folder, PEOPLE)
    command = [sys.executable, "-c", ASK, analyst, total, spend]
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


def spent_in(folder: Path) -> Spent:
    with opened(folder, epsilon="1", total="1000") as database:
        return database.spent_by_all


def test_spending_is_kept_and_added_exactly(tmp_path: Path) -> None:
    tenth = Epsilon.parse("0.1")
    for _ in range(10):
        with ledger(tmp_path) as account:
            account.charge("ana", COUNT, tenth)
    with ledger(tmp_path) as account:
        assert account.spent() == account.spent("ana") == Spent(Fraction(1), Fraction(1, 10))
        with pytest.raises(BudgetSpent, match=r"costs 0\.0{19}1, and 0 of 1 is left of the budget of ana"):
            account.charge("ana", COUNT, Epsilon(1))
        assert account.spent() == Spent(Fraction(1), Fraction(1, 10))


def test_analysts_have_a_budget_each_and_one_together(tmp_path: Path) -> None:
    with ledger(tmp_path, limits=Limits(Budget(ONE), Budget(Epsilon.parse("1.5")))) as account:
        account.charge("ana", COUNT, ONE)
        account.charge("bo", COUNT, HALF)
        with pytest.raises(BudgetSpent, match=r"0 of 1\.5 is left of the budget of all analysts together"):
            account.charge("bo", COUNT, HALF)
        assert account.spent("bo").sum == Fraction(1, 2)


def test_another_table_has_another_account_in_the_same_file(tmp_path: Path) -> None:
    with ledger(tmp_path) as first, ledger(tmp_path, data="other") as second:
        first.charge("ana", COUNT, ONE)
        assert second.spent() == Spent()


def test_a_promise_stays(tmp_path: Path) -> None:
    ledger(tmp_path).close()
    for limits in (Limits(Budget(HALF), Budget(ONE)), Limits(Budget(ONE, Fraction(1, 10**6)), Budget(ONE))):
        changed = Limits(limits.each, Budget(ONE, limits.each.delta))
        with pytest.raises(InvalidValue, match="was opened with --epsilon 1 --total 1 --delta 0, and a promise stays"):
            ledger(tmp_path, limits=changed)
    with pytest.raises(InvalidValue, match="raise --total"):
        Limits(Budget(ONE), Budget(HALF))


def test_a_copy_under_another_name_has_the_same_budget(tmp_path: Path) -> None:
    with opened(tmp_path) as database:
        database.ask(COUNT, spend="1")
    write(tmp_path, PEOPLE, "copy.csv")
    (tmp_path / "people.csv").unlink()
    with opened(tmp_path) as database, pytest.raises(BudgetSpent):
        database.ask("SELECT COUNT(*) WHERE age > 3", spend="0.1")


@pytest.mark.parametrize("analysts", [("ana", "ana"), ("ana", "bo")], ids=" and ".join)
def test_of_two_processes_that_want_the_last_epsilon_one_gets_it(tmp_path: Path, analysts: tuple[str, str]) -> None:
    processes = [asking(tmp_path, analyst, total="1", spend="1") for analyst in analysts]
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    outputs = sorted(process.communicate()[0].count("\n") for process in processes)
    # A refusal alone, and an answer with a refusal.
    assert outputs == [1, 2]


def test_what_was_answered_before_a_kill_was_paid_for(tmp_path: Path) -> None:
    process = asking(tmp_path, "ana", total="1000", spend="0.001")
    assert process.stdin
    assert process.stdout
    process.stdin.write("go\n")
    process.stdin.flush()
    answers = [process.stdout.readline() for _ in range(5)]
    process.send_signal(signal.SIGKILL)
    answers += process.communicate()[0].splitlines()
    spent = spent_in(tmp_path)
    # One more may have been charged whose answer nobody saw.
    assert len(answers) <= spent.sum * 1000 <= len(answers) + 1


def test_a_crash_between_charge_and_answer_loses_the_answer_and_not_the_charge(tmp_path: Path) -> None:
    write(tmp_path, PEOPLE)
    script = """
import os, signal
from hushpoll_server.lab.database import Database, plans
plans.DiscreteLaplace.draw = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
Database.open("people.csv", epsilon="1", ledger="ledger.sqlite").ask("SELECT COUNT(*)", spend="1")
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=False)
    assert done.returncode == -signal.SIGKILL
    with opened(tmp_path) as database:
        assert database.spent.sum == 1
        with pytest.raises(BudgetSpent):
            database.ask(COUNT, spend="1")


def test_a_refused_question_computes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path) as database:
        monkeypatch.setattr(Engine, "count", lambda *_: pytest.fail("a row was looked at"))
        with pytest.raises(BudgetSpent):
            database.ask(COUNT, spend="1.1")
        assert database.spent == Spent()


def test_a_full_disk_answers_nothing(tmp_path: Path) -> None:
    write(tmp_path, PEOPLE)
    script = """
import resource
from hushpoll_server.lab.database import Database, LedgerFailed
database = Database.open("people.csv", epsilon="1", ledger="ledger.sqlite")
resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
try:
    print(database.ask("SELECT COUNT(*)", spend="0.1"))
except LedgerFailed as error:
    print("refused:", error)
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout.startswith("refused: the ledger cannot be used")
    with opened(tmp_path) as database:
        assert database.spent == Spent()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("UPDATE charges SET epsilon_units = 'x'", "cannot be used"),
        ("UPDATE charges SET epsilon_units = '-5'", "cannot be used"),
        ("UPDATE budgets SET delta = 'x'", "cannot be used"),
        ("DROP TABLE charges", "cannot be used"),
        ("PRAGMA user_version = 9", "not one that this version knows"),
    ],
)
def test_a_ledger_that_was_tampered_with_is_refused(tmp_path: Path, change: str, reason: str) -> None:
    with ledger(tmp_path) as account:
        account.charge("ana", COUNT, HALF)
    connection = sqlite3.connect(tmp_path / "ledger.sqlite")
    connection.execute(change)
    connection.commit()
    connection.close()
    with pytest.raises(LedgerFailed, match=reason), ledger(tmp_path) as account:
        account.charge("ana", COUNT, HALF)


def test_a_file_that_is_no_ledger_or_no_plain_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ledger.sqlite").write_bytes(b"this is not a database at all" * 100)
    with pytest.raises(LedgerFailed, match="cannot be used"):
        ledger(tmp_path)
    (tmp_path / "ledger.sqlite").unlink()
    (tmp_path / "elsewhere").write_bytes(b"")
    (tmp_path / "ledger.sqlite").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(LedgerFailed, match="is a link"):
        ledger(tmp_path)


def test_only_its_owner_may_read_it_and_it_holds_no_row(tmp_path: Path) -> None:
    with opened(tmp_path) as database:
        database.ask("SELECT HISTOGRAM(city)", spend="1/10")
    path = tmp_path / "ledger.sqlite"
    assert path.stat().st_mode & 0o777 == 0o600
    assert "Zoë".encode() not in path.read_bytes()
    connection = sqlite3.connect(path)
    [(question, draw)] = connection.execute("SELECT question, draw FROM charges").fetchall()
    connection.close()
    assert question.startswith("SELECT HISTOGRAM(city) [")
    assert len(json.loads(draw)) == 3


def test_a_forked_child_cannot_use_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ledger(tmp_path) as account:
        parent = os.getpid()
        monkeypatch.setattr(os, "getpid", lambda: parent + 1)
        with pytest.raises(LedgerFailed, match="before a fork"):
            account.charge("ana", COUNT, HALF)
