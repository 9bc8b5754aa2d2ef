"""Counts that several processes keep together without waiting for each other: one small file for each process.

A process takes the first file that nobody holds, and adds to the numbers in it through memory. The file stays when the
process ends, and the next one goes on where it stopped, so a sum over all files never goes back. No file holds more
than numbers; a file that was made for other names is started anew.
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

from hushpoll_server.files import make_folder
from hushpoll_shared.private_files import PRIVATE

Key = tuple[str, ...]

# Never through a link that somebody has put there.
_OPEN = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
_WORD = 8
# Two words stand before the counts: the layout's tag, and the process that holds the file.
_PROCESS, _HEADER = 1, 2


@dataclass(frozen=True)
class Layout:
    """The names of all counts, in the order in which a file holds them."""

    keys: tuple[Key, ...]

    @property
    def size(self) -> int:
        """Give the bytes of a file."""
        return _WORD * (_HEADER + len(self.keys))

    @property
    def tag(self) -> bytes:
        """Give the word by which a file of this layout is known."""
        return hashlib.sha256(repr(self.keys).encode()).digest()[:_WORD]


@dataclass(frozen=True)
class Reading:
    """What one file held when it was read; the process is 0 if it has ended."""

    worker: str
    process: int
    counts: Sequence[int]


class Slot:
    """A file that this process holds until it ends."""

    def __init__(self, folder: Path, layout: Layout) -> None:
        """Take the first file that nobody holds."""
        make_folder(folder)
        # Never closed: the lock ends with the process, however it ends.
        self._file = next(file for number in count() if (file := _take(folder / str(number))) is not None)
        _prepare(self._file, layout)
        self._words = memoryview(mmap.mmap(self._file, layout.size)).cast("Q")
        self._words[_PROCESS] = os.getpid()
        self.counts = self._words[_HEADER:]


def read_slots(folder: Path, layout: Layout) -> list[Reading]:
    """Read the files of all processes, ended ones too."""
    files = sorted(path for path in folder.glob("*") if path.name.isdecimal())
    return [reading for path in files if (reading := _read(path, layout)) is not None]


@contextmanager
def kept(path: Path, layout: Layout) -> Iterator[memoryview]:
    """Lend counts that are kept in a file; nobody else has them meanwhile."""
    file = os.open(path, _OPEN, PRIVATE)
    try:
        _lock(file, wait=True)
        _prepare(file, layout)
        with mmap.mmap(file, layout.size) as data, memoryview(data).cast("Q") as words, words[_HEADER:] as counts:
            yield counts
    finally:
        os.close(file)


def _take(path: Path) -> int | None:
    file = os.open(path, _OPEN, PRIVATE)
    if _lock(file):
        return file
    os.close(file)
    return None


def _prepare(file: int, layout: Layout) -> None:
    if os.pread(file, _WORD, 0) != layout.tag or os.fstat(file).st_size != layout.size:
        os.ftruncate(file, 0)
        # Every byte is written once: a disk that is full says so here, and not when a count is touched.
        os.pwrite(file, layout.tag + bytes(layout.size - _WORD), 0)


def _read(path: Path, layout: Layout) -> Reading | None:
    file = os.open(path, os.O_RDONLY)
    try:
        ended, data = _lock(file, shared=True), os.pread(file, layout.size, 0)
    finally:
        os.close(file)
    if len(data) != layout.size or not data.startswith(layout.tag):
        return None
    words = memoryview(data).cast("Q")
    return Reading(path.name, 0 if ended else words[_PROCESS], words[_HEADER:].tolist())


def _lock(file: int, *, shared: bool = False, wait: bool = False) -> bool:
    # Imported here because only metrics need it, and not every system has it.
    import fcntl

    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        fcntl.flock(file, kind if wait else kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
