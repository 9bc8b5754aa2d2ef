"""The contract of a state, in a file, in memory and in a row of a store; what is special about the file."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.client.stores import MemoryRows

from hushpoll_client import Entry, EpsilonCapExceeded, KeyValueState, SQLiteState, State, StateFailed
from hushpoll_shared.epsilon import Epsilon

BODY = b'{"draws": "only"}'


def entry(survey: str = "campus", **changes: Any) -> Entry:
    fields = {"key": "ed25519:k", "manifest": "m" * 64, "epsilon": Epsilon.parse("1.5"), "report": "a" * 32}
    return Entry(**{**fields, "survey": survey, "body": BODY, **changes})


@pytest.fixture(params=["file", "memory", "row"])
def state(request: pytest.FixtureRequest, state_file: Path) -> Iterator[State]:
    make: dict[str, Callable[[], State]] = {
        "file": lambda: SQLiteState(state_file),
        "memory": SQLiteState,
        "row": lambda: KeyValueState(MemoryRows(), "ada"),
    }
    with closing(make[request.param]()) as state:
        yield state


def test_an_entry_that_was_claimed_is_found_and_queued(state: State) -> None:
    assert state.find("ed25519:k", "campus") is None
    assert state.claim(entry(), most=None) == entry()
    assert state.find("ed25519:k", "campus") == entry()
    assert state.queued("ed25519:k") == [entry()]


def test_the_first_entry_of_a_survey_stands_for_ever(state: State) -> None:
    state.claim(entry(), most=None)
    assert state.claim(entry(report="b" * 32, body=b"other"), most=None) == entry()
    taken = state.settle(entry(), status="accepted", problem=None, not_before=0.0)
    assert state.claim(entry(report="b" * 32, body=b"other"), most=None) == taken


def test_surveys_of_two_publishers_with_one_name_are_two_surveys(state: State) -> None:
    other = entry(key="ed25519:other", report="b" * 32, manifest="n" * 64)
    state.claim(entry(), most=None)
    assert state.claim(other, most=None) == other
    assert state.queued("ed25519:k") == [entry()]


def test_the_identical_manifest_under_another_key_is_the_same_survey(state: State) -> None:
    state.claim(entry(), most=None)
    assert state.claim(entry(key="ed25519:other", report="b" * 32), most=None) == entry()
    assert state.find("ed25519:other", "campus", "m" * 64) == entry()
    assert state.find("ed25519:other", "campus", "n" * 64) is None


def test_what_is_spent_is_the_exact_sum(state: State) -> None:
    tiny = Epsilon(1)
    for number in range(3):
        state.claim(entry(f"s{number}", epsilon=Epsilon.parse("30") + tiny), most=None)
    assert str(state.spent()) == "90.00000000000000000003"


def test_a_total_is_kept_to_the_last_unit(state: State) -> None:
    state.claim(entry("first"), most=Epsilon.parse("3"))
    with pytest.raises(EpsilonCapExceeded, match=r"costs up to epsilon 1.50000000000000000001 and up to 1.5 is spent"):
        state.claim(entry("second", epsilon=Epsilon.parse("1.5") + Epsilon(1)), most=Epsilon.parse("3"))
    assert state.find("ed25519:k", "second") is None
    state.claim(entry("second"), most=Epsilon.parse("3"))
    assert str(state.spent()) == "3"


def test_an_entry_that_stands_is_given_back_even_above_the_total(state: State) -> None:
    state.claim(entry(), most=None)
    assert state.claim(entry(), most=Epsilon(0)) == entry()


@pytest.mark.parametrize("status", ["accepted", "duplicate", "rejected"])
def test_a_settled_entry_leaves_the_queue_without_its_bytes_but_stays_in_the_ledger(state: State, status: Any) -> None:
    state.claim(entry(), most=None)
    settled = state.settle(entry(), status=status, problem="p", not_before=0.0)
    assert settled == entry(status=status, problem="p", body=None)
    assert state.queued("ed25519:k") == []
    assert state.find("ed25519:k", "campus") == settled
    assert str(state.spent()) == "1.5"


def test_an_entry_that_stays_queued_keeps_its_bytes(state: State) -> None:
    state.claim(entry(), most=None)
    waiting = state.settle(entry(), status="queued", problem="later", not_before=12.5)
    assert waiting == entry(problem="later", not_before=12.5)
    assert state.queued("ed25519:k") == [waiting]


def test_the_first_answer_of_a_server_stands(state: State) -> None:
    state.claim(entry(), most=None)
    first = state.settle(entry(), status="accepted", problem=None, not_before=0.0)
    assert state.settle(entry(), status="queued", problem="late", not_before=9.0) == first


def test_envelopes_are_kept_by_publisher_and_survey(state: State) -> None:
    assert state.find_envelope("k", "campus") is None
    for envelope in (b"old", b"new", b"new"):
        state.keep_envelope("k", "campus", envelope)
    assert state.find_envelope("k", "campus") == b"new"
    assert state.find_envelope("other", "campus") is None


def test_one_of_many_threads_claims_a_survey(state: State) -> None:
    entries = [entry(report=f"{number:032x}") for number in range(32)]
    with ThreadPoolExecutor(8) as threads:
        standing = set(threads.map(lambda mine: state.claim(mine, most=None).report, entries))
    assert len(standing) == 1


@pytest.mark.parametrize("is_file", [True, False])
def test_a_closed_state_says_so(state_file: Path, is_file: bool) -> None:
    state = SQLiteState(state_file if is_file else None)
    state.close()
    with pytest.raises(StateFailed, match="cannot be used"):
        state.spent()


def test_a_file_is_there_again_after_it_was_closed(state_file: Path) -> None:
    with closing(SQLiteState(state_file)) as state:
        state.claim(entry(), most=None)
    with closing(SQLiteState(str(state_file))) as state:
        assert state.queued("ed25519:k") == [entry()]


def test_only_the_owner_can_read_the_file(state_file: Path) -> None:
    with closing(SQLiteState(state_file)):
        assert stat.S_IMODE(state_file.stat().st_mode) == 0o600


def test_every_commit_survives_a_power_failure(state_file: Path) -> None:
    with closing(SQLiteState(state_file)) as state:
        [(synchronous,)] = state._run("PRAGMA synchronous")
    extra = 3
    assert synchronous == extra


def test_deleted_bytes_are_gone_from_the_file(state_file: Path) -> None:
    with closing(SQLiteState(state_file)) as state:
        state.claim(entry(), most=None)
        assert BODY in state_file.read_bytes()
        state.settle(entry(), status="accepted", problem=None, not_before=0.0)
        assert BODY not in state_file.read_bytes()


@pytest.mark.parametrize(
    "statement", ["PRAGMA user_version = 4", "CREATE TABLE other (x)", "PRAGMA user_version = 1"], ids=lambda text: text
)
def test_a_file_of_another_version_or_program_is_refused_and_left_alone(state_file: Path, statement: str) -> None:
    with closing(sqlite3.connect(state_file)) as connection:
        connection.execute(statement)
        connection.commit()
    before = state_file.read_bytes()
    with pytest.raises(StateFailed, match="not one that this version knows"):
        SQLiteState(state_file)
    assert state_file.read_bytes() == before


def test_a_file_that_is_no_database_is_refused_and_left_alone(state_file: Path) -> None:
    state_file.write_bytes(b"These are my notes. " * 100)
    with pytest.raises(StateFailed, match="file is not a database"):
        SQLiteState(state_file)
    assert state_file.read_bytes() == b"These are my notes. " * 100


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StateFailed, match="nowhere"):
        SQLiteState(tmp_path / "nowhere" / "state.sqlite")


def test_processes_share_a_file(state_file: Path) -> None:
    script = """
import sys
from hushpoll_client import Entry, SQLiteState
from hushpoll_shared.epsilon import Epsilon
state = SQLiteState(sys.argv[1])
for number in range(20):
    state.claim(Entry("k", f"s{number}", "m", Epsilon(1), sys.argv[2], b"{}"), most=None)
"""
    command = [sys.executable, "-c", script, str(state_file)]
    processes = [subprocess.Popen([*command, f"process {number}"]) for number in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    with closing(SQLiteState(state_file)) as state:
        assert len(state.queued("k")) == 20
        assert state.spent() == Epsilon(20)


def test_a_forked_child_is_told_to_open_its_own(state_file: Path) -> None:
    script = """
import os, sys
from hushpoll_client import SQLiteState, StateFailed
state = SQLiteState(sys.argv[1])
if child := os.fork():
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
try:
    state.spent()
except StateFailed as error:
    os._exit(0 if "before a fork" in str(error) else 2)
os._exit(3)
"""
    assert subprocess.run([sys.executable, "-c", script, str(state_file)], check=False).returncode == 0


def test_a_state_over_a_file_that_others_could_read_is_closed_to_them(state_file: Path) -> None:
    state_file.touch()
    state_file.chmod(0o644)
    with closing(SQLiteState(state_file)) as state:
        state.claim(entry(), most=None)
    assert stat.S_IMODE(state_file.stat().st_mode) == 0o600


@pytest.mark.parametrize("plant", [Path.symlink_to, Path.hardlink_to])
def test_a_state_is_not_kept_through_a_planted_link(state_file: Path, plant: Any) -> None:
    victim = state_file.with_name("victim")
    victim.write_bytes(b"")
    plant(state_file, victim)
    with pytest.raises(StateFailed, match="link"):
        SQLiteState(state_file)
    assert victim.read_bytes() == b""
