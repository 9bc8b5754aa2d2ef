"""Files of SQLite for their owner only: what was there before, and what somebody else has planted."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.private_files import claim_database, create_private


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_database_is_closed_to_others_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        claim_database(tmp_path / "new")
    finally:
        os.umask(before)
    assert mode(tmp_path / "new") == 0o600


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", "-journal"])
def test_a_database_that_others_could_read_is_closed_to_them_with_what_lies_beside_it(
    tmp_path: Path, suffix: str
) -> None:
    file = tmp_path / f"db{suffix}"
    file.write_bytes(b"")
    file.chmod(0o644)
    claim_database(tmp_path / "db")
    assert mode(file) == 0o600


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", "-journal"])
@pytest.mark.parametrize("plant", [Path.symlink_to, Path.hardlink_to])
def test_a_planted_link_to_somebody_elses_file_is_refused_and_the_file_is_left_alone(
    tmp_path: Path, suffix: str, plant: object
) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    victim.chmod(0o644)
    assert callable(plant)
    plant(tmp_path / f"db{suffix}", victim)
    with pytest.raises(InvalidValue, match="link"):
        claim_database(tmp_path / "db")
    assert (victim.read_bytes(), mode(victim)) == (b"precious", 0o644)


def test_a_link_to_a_file_that_is_not_there_makes_none(tmp_path: Path) -> None:
    (tmp_path / "db").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InvalidValue, match="link"):
        claim_database(tmp_path / "db")
    with pytest.raises(FileExistsError):
        create_private(tmp_path / "db")
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claim_database(tmp_path / "db")
    monkeypatch.setattr(os, "geteuid", lambda: (tmp_path / "db").stat().st_uid + 1)
    with pytest.raises(InvalidValue, match="another user"):
        claim_database(tmp_path / "db")


def test_checking_a_database_does_not_release_the_locks_that_this_process_holds_on_it(tmp_path: Path) -> None:
    path = tmp_path / "db"
    claim_database(path)
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    claim_database(path)
    other = f"import sqlite3; sqlite3.connect({str(path)!r}, timeout=0).execute('BEGIN IMMEDIATE')"
    found = subprocess.run([sys.executable, "-c", other], capture_output=True, text=True, check=False)
    writer.close()
    assert "database is locked" in found.stderr
