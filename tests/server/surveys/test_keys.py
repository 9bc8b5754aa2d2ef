"""The secret of an instance: made once, whole, for its owner only."""

from __future__ import annotations

import multiprocessing
import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from hushpoll_server.surveys import keys
from hushpoll_shared.errors import InvalidValue


def read_in_another_process(path: Path, start: Any, found: Any) -> None:
    start.wait()
    found.put(keys.signing_key(path).public)


def test_a_key_is_made_once_and_found_again(tmp_path: Path) -> None:
    path = tmp_path / "key"
    assert keys.signing_key(path).public == keys.signing_key(path).public
    assert keys.signing_key(path).public != keys.signing_key(tmp_path / "other").public


def test_a_key_and_its_new_folder_are_for_their_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "new" / "home" / "key"
    keys.signing_key(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [file.name for file in path.parent.iterdir()] == ["key"]


def test_sixteen_threads_at_once_get_the_same_whole_key(tmp_path: Path) -> None:
    for attempt in range(5):
        path, found = tmp_path / str(attempt) / "key", list[str]()
        start = threading.Barrier(16)

        def read(path: Path = path, found: list[str] = found, start: threading.Barrier = start) -> None:
            start.wait()
            found.append(keys.signing_key(path).public)

        threads = [threading.Thread(target=read) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 16
        assert len(set(found)) == 1
        assert [file.name for file in path.parent.iterdir()] == ["key"]


def test_several_processes_at_once_get_the_same_key(tmp_path: Path) -> None:
    method = multiprocessing.get_context("forkserver")
    method.set_forkserver_preload(["hushpoll_server.surveys.keys"])
    start, found = method.Barrier(6), method.SimpleQueue()
    arguments = (tmp_path / "home" / "key", start, found)
    processes = [method.Process(target=read_in_another_process, args=arguments) for _ in range(6)]
    for process in processes:
        process.start()
    public = {found.get() for _ in processes}
    for process in processes:
        process.join()
    assert public == {keys.signing_key(tmp_path / "home" / "key").public}


def test_a_key_that_cannot_be_written_whole_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            keys.signing_key(tmp_path / "key")
    assert list(tmp_path.iterdir()) == []
    keys.signing_key(tmp_path / "key")


@pytest.mark.parametrize("content", [b"", b"hello", b"-----BEGIN PRIVATE KEY-----\n\n-----END PRIVATE KEY-----\n"])
def test_a_file_that_is_no_signing_key_is_refused_by_name_and_left_alone(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "signing-key.pem"
    path.write_bytes(content)
    with pytest.raises(InvalidValue, match=r"^[^\n]+$") as caught:
        keys.signing_key(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert path.read_bytes() == content


def test_a_key_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "key"
    keys.signing_key(path)
    path.chmod(0o644)
    keys.signing_key(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_no_key_is_made_through_a_planted_link(tmp_path: Path) -> None:
    (tmp_path / "key").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InvalidValue, match="is a link"):
        keys.signing_key(tmp_path / "key")
    assert not (tmp_path / "elsewhere").exists()
