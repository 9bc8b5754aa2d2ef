"""Counts that several processes keep together without waiting for each other: one small file for each process.

A process takes the first file that no other process holds, and adds to the numbers in it through mapped memory. The
file stays when the process ends, and the next process continues from its numbers, so a sum over all files never falls.
A file contains only numbers; one that was made for other names is started afresh.
"""

from __future__ import annotations

import hashlib
import mmap
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from hushpoll_server.store.files import make_folder
from hushpoll_shared.private_files import PRIVATE

Key = tuple[str, ...]

# Without following links that somebody may have put there.
_OPEN_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
_WORD_BYTES = 8
# Two words precede the counts: the layout's tag, and the process that holds the file.
_PROCESS_WORD, _HEADER_WORDS = 1, 2


@dataclass(frozen=True)
class CounterLayout:
    """The names of all counts, in the order of the file."""

    keys: tuple[Key, ...]

    @property
    def size(self) -> int:
        """Return the size of a file in bytes."""
        return _WORD_BYTES * (_HEADER_WORDS + len(self.keys))

    @property
    def tag(self) -> bytes:
        """Return the word that identifies files of this layout."""
        return hashlib.sha256(repr(self.keys).encode()).digest()[:_WORD_BYTES]


@dataclass(frozen=True)
class CounterReading:
    """The content of one file; the process is 0 if it has ended."""

    worker: str
    process: int
    counts: Sequence[int]


class CounterFile:
    """A file that this process holds until it ends."""

    def __init__(self, folder: Path, layout: CounterLayout) -> None:
        """Take the first file that no other process holds."""
        make_folder(folder)
        # Never closed: the lock is released when the process ends, for whatever reason.
        self._file = next(file for number in count() if (file := _take(folder / str(number))) is not None)
        _prepare(self._file, layout)
        self._words = memoryview(mmap.mmap(self._file, layout.size)).cast("Q")
        self._words[_PROCESS_WORD] = os.getpid()
        self.counts = self._words[_HEADER_WORDS:]


def read_counter_files(folder: Path, layout: CounterLayout) -> list[CounterReading]:
    """Return the contents of the files of all processes, including ended ones."""
    files = sorted(path for path in folder.glob("*") if path.name.isdecimal())
    return [reading for path in files if (reading := _read(path, layout)) is not None]


@contextmanager
def locked_counts(path: Path, layout: CounterLayout) -> Iterator[memoryview]:
    """Yield the counts that are stored in a file, under an exclusive lock."""
    file = os.open(path, _OPEN_FLAGS, PRIVATE)
    try:
        _lock(file, wait=True)
        _prepare(file, layout)
        with mmap.mmap(file, layout.size) as data, memoryview(data).cast("Q") as words, words[_HEADER_WORDS:] as counts:
            yield counts
    finally:
        os.close(file)


def _take(path: Path) -> int | None:
    file = os.open(path, _OPEN_FLAGS, PRIVATE)
    if _lock(file):
        return file
    os.close(file)
    return None


def _prepare(file: int, layout: CounterLayout) -> None:
    if os.pread(file, _WORD_BYTES, 0) != layout.tag or os.fstat(file).st_size != layout.size:
        os.ftruncate(file, 0)
        # Every byte is written once, so that a full disk is noticed here, and not when a count is changed.
        os.pwrite(file, layout.tag + bytes(layout.size - _WORD_BYTES), 0)


def _read(path: Path, layout: CounterLayout) -> CounterReading | None:
    file = os.open(path, os.O_RDONLY)
    try:
        ended, data = _lock(file, shared=True), os.pread(file, layout.size, 0)
    finally:
        os.close(file)
    if len(data) != layout.size or not data.startswith(layout.tag):
        return None
    words = memoryview(data).cast("Q")
    return CounterReading(path.name, 0 if ended else words[_PROCESS_WORD], words[_HEADER_WORDS:].tolist())


def _lock(file: int, *, shared: bool = False, wait: bool = False) -> bool:
    # Imported here because only metrics need it, and not every system has it.
    import fcntl

    mode = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        fcntl.flock(file, mode if wait else mode | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
