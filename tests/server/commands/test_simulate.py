"""hushpoll simulate: invented respondents, a real client, the real estimates."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Command = Callable[..., Result]
Ask = Callable[..., Any]

TRUE_SHARES = '{"cheated": 0.3, "helped": 0.55}'


@pytest.fixture
def words(manifest_file: Path, tmp_path: Path) -> list[object]:
    (tmp_path / "truth.json").write_text(TRUE_SHARES)
    return ["simulate", "--manifest", manifest_file, "--truth", "truth.json"]


def test_the_estimates_are_near_the_truth_that_stands_beside_them(ask: Ask, words: list[object]) -> None:
    questions = ask(*words, "--n", 2000)["questions"]
    assert list(questions) == ["cheated", "helped"]
    for name, truth in (("cheated", 0.3), ("helped", 0.55)):
        [cell] = questions[name]["cells"]
        assert questions[name]["truth"] == truth
        assert questions[name]["n"] == 2000
        # Six standard errors: a false alarm in 500 million runs.
        assert abs(cell["estimate"] - truth) < 6 * cell["se"]


def test_people_read_one_line_for_each_question_and_nothing_on_stderr(hushpoll: Command, words: list[object]) -> None:
    result = hushpoll(*words, "--n", 50, "--method", "wald", "--level", "0.8")
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines() if "warning" not in line] == ["cheated", "helped"]
    assert "80% wald" in result.stdout
    assert result.stderr == ""


def test_another_client_can_do_the_work(ask: Ask, words: list[object]) -> None:
    client = f"'{sys.executable}' -m hushpoll_client randomize"
    assert ask(*words, "--n", 20, "--client", client)["questions"]["cheated"]["n"] == 20


@pytest.mark.parametrize(
    ("client", "code", "says"),
    [
        ("false", 1, "the client ended with exit code 1"),
        ("true", 1, "the client gave 0 reports, not one for each answer"),
        ("echo no report", 1, "the client's report 1 is not valid: "),
        ("./nowhere", 1, "./nowhere: No such file or directory"),
        ("'", 2, "No closing quotation"),
        ("", 2, "name a program"),
    ],
)
def test_a_client_that_does_not_work_is_reported(
    hushpoll: Command, words: list[object], client: str, code: int, says: str
) -> None:
    result = hushpoll(*words, "--n", 20, "--client", client)
    assert (result.exit_code, result.stdout) == (code, "")
    assert says in result.stderr
    assert code == 2 or result.stderr.count("\n") == 1


def test_a_wrong_truth_is_refused(hushpoll: Command, words: list[object], tmp_path: Path) -> None:
    (tmp_path / "truth.json").write_bytes(b"\xff")
    result = hushpoll(*words, "--n", 20)
    assert result.exit_code == 1
    assert result.stderr.startswith("the truth must be JSON such as")
    (tmp_path / "truth.json").unlink()
    assert hushpoll(*words, "--n", 20).stderr == "truth.json: No such file or directory\n"


def test_nobody_is_too_few(hushpoll: Command, words: list[object]) -> None:
    assert hushpoll(*words, "--n", 0).exit_code == 2
    assert hushpoll(*words).exit_code == 2
