"""Files that only their owner may read, from the first byte on, and that nobody else has put there.

The rule here: an existing file is never opened and closed, because closing it would release the locks that SQLite holds
on it elsewhere in the process. Windows has no such owners and modes, so both checks are skipped there.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from hushpoll_shared.errors import InvalidValue

PRIVATE = 0o600
_GROUP_AND_OTHERS = stat.S_IRWXG | stat.S_IRWXO
# The files that SQLite keeps beside a database. Those that it creates itself have the database's mode.
_COMPANION_SUFFIXES = ("-wal", "-shm", "-journal")


def claim_database(path: Path) -> None:
    """Create the file of a SQLite database for its owner only, or check an existing one and its companion files."""
    try:
        os.close(create_private(path))
    except FileExistsError:
        _restrict_to_owner(path)
    for suffix in _COMPANION_SUFFIXES:
        with suppress(FileNotFoundError):
            _restrict_to_owner(path.with_name(path.name + suffix))


def create_private(path: Path) -> int:
    """Return the descriptor of a new file that only its owner may read; it is an error if the path exists."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), PRIVATE)


def _restrict_to_owner(path: Path) -> None:
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise InvalidValue(f"{path} is a link or not a plain file: name the file itself, or remove it")
    if status.st_nlink > 1:
        raise InvalidValue(f"{path} has a second name elsewhere (a hard link): copy it, and remove both names")
    if hasattr(os, "geteuid") and os.geteuid() not in (0, status.st_uid):
        raise InvalidValue(f"{path} belongs to another user: run this as that user, or choose another file")
    if status.st_mode & _GROUP_AND_OTHERS and os.name == "posix":
        path.chmod(PRIVATE)
