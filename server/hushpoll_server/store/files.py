"""Files that commands write: completely or not at all, and readable only by their owner from the first byte on.

The rule here: a file is written under a name that nobody can guess and gets its final name when all of it is on the
disk. So nothing is ever written through a link that somebody has put there.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from hushpoll_shared.errors import HushpollError, InvalidValue
from hushpoll_shared.private_files import create_private


class FileThere(HushpollError):
    """A file that would be overwritten."""


def make_folder(folder: Path) -> None:
    """Make a folder for its owner only; refuse one in which everybody may replace files."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if os.name == "posix" and folder.stat().st_mode & stat.S_IWOTH:
        raise InvalidValue(f"everybody may write to the folder {folder}: run chmod o-w on it, or choose another")


def write_file(path: Path, data: bytes) -> None:
    """Write a whole file, replacing an existing one; a device or a pipe is written to directly."""
    with replaced_file(path) as file:
        file.write(data)


@contextmanager
def replaced_file(path: Path) -> Iterator[IO[bytes]]:
    """Open what `write_file` writes, for content that is written part by part."""
    direct = path.exists() and not path.is_file()
    with path.open("wb") if direct else whole_file(path, replace=True) as file:
        yield file


@contextmanager
def whole_file(path: Path, *, replace: bool) -> Iterator[IO[bytes]]:
    """Open a file that gets its name when all of it is on the disk."""
    if path.is_symlink():
        raise InvalidValue(f"{path} is a link: name the file itself, or remove the link")
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(_create(draft, path), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _name(draft, path, replace=replace)
        _sync_folder(path.parent)
    finally:
        draft.unlink(missing_ok=True)


def _create(draft: Path, path: Path) -> int:
    try:
        return create_private(draft)
    except OSError as error:
        # The caller does not know the name of the draft.
        error.filename = str(path)
        raise


def _name(draft: Path, path: Path, *, replace: bool) -> None:
    if replace:
        draft.replace(path)
        return
    try:
        # Unlike a rename, a link never replaces a file that was created in the meantime.
        path.hardlink_to(draft)
    except FileExistsError:
        raise FileThere(f"{path} was written by somebody else in the meantime: choose another name") from None


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
