"""The command as a separate program: exit codes, one sentence on stderr, never a traceback."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Program = Callable[..., subprocess.CompletedProcess[str]]


def test_done_is_0_and_results_stand_alone_on_stdout(program: Program) -> None:
    result = program("estimate", "--design", "warner", "--odds", "3:1", "--yes", 400, "--n", 1000, "--json")
    assert (result.returncode, result.stderr) == (0, "")
    assert json.loads(result.stdout)["cells"][0]["estimate"] == pytest.approx(0.3)


def test_a_wrong_call_is_2(program: Program) -> None:
    result = program("estimate", "--colour", "red")
    assert (result.returncode, result.stdout) == (2, "")
    assert "--colour" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["survey", "lint", "nowhere.yaml"], "nowhere.yaml: No such file or directory"),
        (["survey", "list", "--db", "postgresql:///x?host=/nowhere"], "the database cannot be opened"),
        (["survey", "list", "--db", "sqlite:///poll.yaml"], "the database cannot be opened"),
    ],
)
def test_what_cannot_be_done_is_1_with_one_sentence(
    program: Program, survey_file: Path, words: list[str], says: str
) -> None:
    result = program(*words)
    assert (result.returncode, result.stdout) == (1, "")
    [line] = result.stderr.splitlines()
    assert says in line


@pytest.mark.loopback
@pytest.mark.parametrize("command", ["serve", "demo"])
def test_a_port_in_use_is_said_before_anything_is_set_up(program: Program, command: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = program(command, "--port", port)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == (
        f"cannot listen on 127.0.0.1:{port} (Address already in use): choose another port or host\n"
    )
    assert not (tmp_path / "home").exists()
