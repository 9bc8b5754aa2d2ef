"""Several processes count together, and no sum goes back when one of them ends."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path
from typing import Any

import pytest

from hushpoll_server.watch.shared_counters import CounterFile, CounterLayout, locked_counts, read_counter_files

LAYOUT = CounterLayout((("a",), ("b",)))
ROUNDS = 20_000


def count_up(folder: Path, start: Any, leave: Any) -> None:
    slot = CounterFile(folder, LAYOUT)
    start.wait()
    for _ in range(ROUNDS):
        slot.counts[0] += 1
    start.wait()
    leave.wait()


def total(folder: Path) -> int:
    return sum(reading.counts[0] for reading in read_counter_files(folder, LAYOUT))


def test_processes_that_count_at_once_add_up_and_the_next_ones_go_on_where_they_stopped(tmp_path: Path) -> None:
    method = multiprocessing.get_context("forkserver")
    for expected in (3 * ROUNDS, 6 * ROUNDS):
        start, leave = method.Barrier(4), method.Event()
        processes = [method.Process(target=count_up, args=(tmp_path, start, leave)) for _ in range(3)]
        for process in processes:
            process.start()
        start.wait()
        start.wait()
        # Each has a file of its own, and all of them live.
        assert {each.process for each in read_counter_files(tmp_path, LAYOUT)} == {process.pid for process in processes}
        leave.set()
        for process in processes:
            process.join()
        assert total(tmp_path) == expected
        assert [each.process for each in read_counter_files(tmp_path, LAYOUT)] == [0, 0, 0]


def test_a_process_holds_its_file_alone(tmp_path: Path) -> None:
    one, other = CounterFile(tmp_path, LAYOUT), CounterFile(tmp_path, LAYOUT)
    one.counts[0], other.counts[0] = 3, 4
    assert [list(each.counts) for each in read_counter_files(tmp_path, LAYOUT)] == [[3, 0], [4, 0]]
    assert {each.process for each in read_counter_files(tmp_path, LAYOUT)} == {os.getpid()}


def test_a_file_of_other_names_is_not_read_and_starts_anew(tmp_path: Path) -> None:
    with locked_counts(tmp_path / "0", CounterLayout((("c",), ("d",)))) as counts:
        counts[0] = 7
    assert read_counter_files(tmp_path, LAYOUT) == []
    assert list(CounterFile(tmp_path, LAYOUT).counts) == [0, 0]


def test_the_files_are_for_their_owner_only(tmp_path: Path) -> None:
    CounterFile(tmp_path / "metrics", LAYOUT)
    assert (tmp_path / "metrics").stat().st_mode & 0o077 == 0
    assert (tmp_path / "metrics" / "0").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("content", [b"", b"x", b"x" * LAYOUT.size])
def test_a_damaged_file_is_not_read(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "0").write_bytes(content)
    assert read_counter_files(tmp_path, LAYOUT) == []
