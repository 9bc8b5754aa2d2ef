"""hushpoll simulate: invented respondents, a real client, the real estimates."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from tests.vectors.keys import KEY
from tests.vectors.surveys import every_type, surveys

from hushpoll_server.commands.simulate import describe
from hushpoll_server.simulate.respondents import read_truth
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.signing import sign

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


def test_people_read_the_truth_below_each_estimate(hushpoll: Command, words: list[object]) -> None:
    result = hushpoll(*words, "--n", 50, "--method", "wald", "--level", "0.8")
    assert result.exit_code == 0
    by_chance = ("warning", "constrained")
    lines = [line.split()[:2] for line in result.stdout.splitlines() if not any(word in line for word in by_chance)]
    assert lines == [["cheated", "yes:"], ["cheated", "truth:"], ["helped", "yes:"], ["helped", "truth:"]]
    assert "cheated  truth: yes 30.00%\n" in result.stdout
    assert "80% wald" in result.stdout
    assert result.stderr == ""


def test_shares_of_several_answers_stand_beside_their_truth(ask: Ask, hushpoll: Command, tmp_path: Path) -> None:
    (tmp_path / "panel.json").write_bytes(sign(surveys()["panel"][0], KEY))
    (tmp_path / "truth.json").write_text('{"mood": {"yes": 0.3, "decline": 0.2}, "sure": 0.5}')
    words = ["simulate", "--manifest", "panel.json", "--truth", "truth.json", "--n", 2000]
    mood = ask(*words)["questions"]["mood"]
    assert mood["truth"] == {"no": 0.5, "yes": 0.3, "decline": 0.2}
    for cell in mood["cells"]:
        # Six standard errors: a false alarm in 500 million runs.
        assert abs(cell["estimate"] - mood["truth"][cell["name"]]) < 6 * cell["se"]
    assert "mood  truth: no 50.00%, yes 30.00%, decline 20.00%\n" in hushpoll(*words).stdout


def truth_about(name: str, given: object) -> str:
    question = next(question for question in every_type() if question.id == name)
    manifest = Manifest("survey", "Survey", "Please.", (question,))
    return describe(read_truth(json.dumps({name: given}).encode(), manifest)[name])


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("cheated", 0.25, "yes 25.00%"),
        ("hours", {"mean": 12.25}, "mean 12.25"),
        ("age", {"mean": 12.25, "decline": 0.1}, "mean 12.25, decline 10.00%"),
        ("pain", [0.5, 0, 0.5], "mean 1"),
        ("stress", {"values": [4]}, "-1 0.00%, 0 0.00%, 1 0.00%, 2 0.00%, 3 0.00%, 4 100.00%"),
        ("few", {"1": 0.5}, "1 50.00%, 0 0.00%, car 0.00%, on foot 0.00%"),
    ],
)
def test_a_truth_is_described_in_one_line(name: str, given: object, words: str) -> None:
    assert truth_about(name, given) == words


def test_of_a_codebook_the_largest_shares_are_described() -> None:
    words = truth_about("code", {"c7": 0.75, "c9": 0.25})
    assert words.startswith("c7 75.00%, c9 25.00%, c0 0.00%, ")
    assert words.endswith(" and 2088 more")


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
