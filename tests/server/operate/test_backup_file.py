"""The file of a backup is read strictly: what is damaged, cut off, foreign or altered restores nothing."""

from __future__ import annotations

import hashlib
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hushpoll_server.operate.backup import restore, rows_of
from hushpoll_server.operate.backup_file import BadBackup, count_rows
from hushpoll_server.services import Services

Change = Callable[[list[Any]], None]


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Take the backups from SQLite: the file is the same from both engines."""
    return sqlite_url


def rewrite(file: Path, change: Change) -> None:
    """Alter the lines before the last and return the file a last line that fits."""
    lines = [json.loads(line) for line in file.read_bytes().splitlines()[:-1]]
    change(lines)
    body = b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)
    rows = sum(isinstance(line, list) for line in lines)
    last = {"rows": rows, "sha256": hashlib.sha256(body).hexdigest()}
    file.write_bytes(body + json.dumps(last).encode() + b"\n")


@pytest.mark.parametrize("position", [0.1, 0.5, 0.9, 0.999])
def test_a_file_that_was_cut_off_or_damaged_is_refused_and_nothing_of_it_stays(
    file: Path, blank: Services, position: float
) -> None:
    whole = file.read_bytes()
    place = int(len(whole) * position)
    for damaged in (whole[:place], whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :], whole + b"{}\n"):
        file.write_bytes(damaged)
        with pytest.raises(BadBackup):
            restore(blank.store, file, progress=lambda _: None)
    assert rows_of(blank.store) == 0


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"[]", b"\xff" * 5000, b"[" * 5000, b'{"format":"hushpoll-backup-9"}\n']
)
def test_a_file_that_is_no_backup_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(BadBackup, match="not a backup of the format"):
        count_rows(tmp_path / "file")


def test_a_line_without_an_end_is_not_read_into_memory(file: Path) -> None:
    with file.open("ab") as more:
        more.truncate(file.stat().st_size - 10)
        more.write(b"x" * 100_000_000)
    tracemalloc.start()
    with pytest.raises(BadBackup, match="damaged"):
        count_rows(file)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60_000_000


def place_of(lines: list[Any], table: str) -> int:
    return next(place for place, line in enumerate(lines) if isinstance(line, dict) and line.get("table") == table)


def first_row(lines: list[Any], table: str) -> list[Any]:
    row = lines[place_of(lines, table) + 1]
    assert isinstance(row, list)
    return row


def forget_the_tables(lines: list[Any]) -> None:
    lines[:] = [lines[0], *(line for line in lines if isinstance(line, list))]


def add_a_table(lines: list[Any]) -> None:
    lines.append({"table": "sqlite_master", "columns": {}})


def shorten_a_row(lines: list[Any]) -> None:
    first_row(lines, "survey").pop()


def spoil_base64(lines: list[Any]) -> None:
    first_row(lines, "survey")[2] = "?"


def write_a_text_as_a_number(lines: list[Any]) -> None:
    first_row(lines, "survey")[0] = 7


def write_a_truth_as_a_number(lines: list[Any]) -> None:
    first_row(lines, "survey")[-2] = 0


def count_in_words(lines: list[Any]) -> None:
    first_row(lines, "counter")[-1] = "twelve"


def count_beyond_64_bits(lines: list[Any]) -> None:
    first_row(lines, "counter")[-1] = 2**63


def leave_a_value_out(lines: list[Any]) -> None:
    first_row(lines, "counter")[-1] = None


def age(lines: list[Any]) -> None:
    lines[0] = {**lines[0], "schema": "hushpoll_0000", "hushpoll": "0.0.9"}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (forget_the_tables, "a table that this version does not know"),
        (add_a_table, "a table that this version does not know"),
        (shorten_a_row, "damaged or incomplete"),
        (spoil_base64, "damaged or incomplete"),
        (write_a_text_as_a_number, "damaged or incomplete"),
        (write_a_truth_as_a_number, "damaged or incomplete"),
        (count_in_words, "damaged or incomplete"),
        (count_beyond_64_bits, "damaged or incomplete"),
        (leave_a_value_out, "damaged or incomplete"),
        (age, "was written by Hushpoll 0.0.9, .* restore it with that version, then update"),
    ],
)
def test_a_file_with_a_fitting_hash_is_still_read_strictly(file: Path, change: Change, sentence: str) -> None:
    rewrite(file, change)
    with pytest.raises(BadBackup, match=sentence):
        count_rows(file)


def double_a_report(lines: list[Any]) -> None:
    row = first_row(lines, "report")
    lines.insert(lines.index(row), row)


def write_half_a_letter(lines: list[Any]) -> None:
    first_row(lines, "survey")[3] = "\ud800"


def cross_what_is_not_asked(lines: list[Any]) -> None:
    lines.insert(place_of(lines, "cross_table") + 1, ["campus", "cheated", "slept"])


def rename_the_survey(lines: list[Any]) -> None:
    for line in lines:
        if isinstance(line, list) and line[0] == "campus":
            line[0] = "renamed"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (double_a_report, "did not accept this backup"),
        (write_half_a_letter, "did not accept this backup"),
        (rename_the_survey, "is not valid"),
        (cross_what_is_not_asked, "crosses questions that it does not ask"),
    ],
)
def test_a_file_that_somebody_altered_restores_nothing(
    file: Path, empty: Services, change: Change, sentence: str
) -> None:
    rewrite(file, change)
    with pytest.raises(BadBackup, match=f"{sentence}.*nothing was restored"):
        restore(empty.store, file, progress=lambda _: None)
    assert rows_of(empty.store) == 0
