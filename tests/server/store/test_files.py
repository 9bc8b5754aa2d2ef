"""What commands write: whole, for its owner only, never through a link."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from hushpoll_server.store.files import FileThere, make_folder, whole_file, write_file
from hushpoll_shared.errors import InvalidValue


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_is_closed_to_others_before_its_first_byte_is_written(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with whole_file(tmp_path / "out", replace=False) as file:
            [draft] = tmp_path.iterdir()
            assert mode(draft) == 0o600
            file.write(b"all of it")
    finally:
        os.umask(before)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert mode(tmp_path / "out") == 0o600


def test_a_file_that_others_could_read_is_replaced_by_one_that_they_cannot(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"old")
    out.chmod(0o666)
    with out.open("rb") as held_by_another:
        write_file(out, b"new")
        assert held_by_another.read() == b"old"
    assert (out.read_bytes(), mode(out)) == (b"new", 0o600)


def test_nothing_is_written_through_a_planted_symbolic_link(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    (tmp_path / "out").symlink_to(victim)
    with pytest.raises(InvalidValue, match="is a link"):
        write_file(tmp_path / "out", b"new")
    assert victim.read_bytes() == b"precious"


def test_nothing_is_written_through_a_planted_hard_link(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    (tmp_path / "out").hardlink_to(victim)
    write_file(tmp_path / "out", b"new")
    assert (victim.read_bytes(), (tmp_path / "out").read_bytes()) == (b"precious", b"new")


def test_what_fails_half_way_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"old")
    with pytest.raises(RuntimeError), whole_file(tmp_path / "out", replace=True) as file:
        file.write(b"ne")
        raise RuntimeError
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out").read_bytes() == b"old"


def test_a_file_that_came_meanwhile_is_not_replaced_unless_it_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(FileThere), whole_file(tmp_path / "out", replace=False):
        (tmp_path / "out").write_bytes(b"theirs")
    assert (tmp_path / "out").read_bytes() == b"theirs"


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_file(tmp_path / "pipe", b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("bits", [0o777, 0o1777])
def test_a_folder_in_which_everybody_may_exchange_files_is_refused(tmp_path: Path, bits: int) -> None:
    tmp_path.chmod(bits)
    with pytest.raises(InvalidValue, match="everybody may write"):
        make_folder(tmp_path)


def test_a_folder_that_others_may_only_look_into_is_taken_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    make_folder(tmp_path)
    assert mode(tmp_path) == 0o755
