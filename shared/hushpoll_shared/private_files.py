"""Files that only their owner may read, from their first byte on, and that nobody else has put there.

The law here: no descriptor of an existing file is opened and closed. That would release the locks that SQLite holds on
it elsewhere in the process. Windows has neither owners nor modes of this kind; there the checks of both are left out.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from hushpoll_shared.errors import InvalidValue

PRIVATE = 0o600
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
# What SQLite keeps beside a database, with the database's mode if it makes them itself.
_COMPANIONS = ("-wal", "-shm", "-journal")


def claim_database(path: Path) -> None:
    """Make the file of a SQLite database for its owner only, or check the one that is there and what lies beside it."""
    try:
        os.close(create_private(path))
    except FileExistsError:
        _close_to_others(path)
    for companion in _COMPANIONS:
        with suppress(FileNotFoundError):
            _close_to_others(path.with_name(path.name + companion))


def create_private(path: Path) -> int:
    """Return the descriptor of a new file that only its owner may read; whatever has the name already is an error."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), PRIVATE)


def _close_to_others(path: Path) -> None:
    about = path.lstat()
    if not stat.S_ISREG(about.st_mode):
        raise InvalidValue(f"{path} is a link or not a plain file: name the file itself, or remove it")
    if about.st_nlink > 1:
        raise InvalidValue(f"{path} has a second name elsewhere (a hard link): copy it, and remove both names")
    if hasattr(os, "geteuid") and os.geteuid() not in (0, about.st_uid):
        raise InvalidValue(f"{path} belongs to another user: run this as that user, or choose another file")
    if about.st_mode & _OTHERS and os.name == "posix":
        path.chmod(PRIVATE)
