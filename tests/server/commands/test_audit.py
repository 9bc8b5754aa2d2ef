"""hushpoll audit: a real client, many runs, bounds and a verdict."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from tests.running.tools import load_tools
from tests.vectors.keys import KEY
from tests.vectors.surveys import surveys

from hushpoll_shared.signing import sign

Command = Callable[..., Result]
Ask = Callable[..., Any]

ROOT = Path(__file__).parents[3]
BROKEN = f"'{sys.executable}' '{ROOT / 'tests' / 'server' / 'audit' / 'broken_client.py'}'"
OURS = f"{sys.executable} -m hushpoll_client randomize"
NODE = f"'{load_tools().node}' '{ROOT / 'client' / 'js' / 'bin' / 'randomize.mjs'}'"
# An honest client is called violated or different in at most one audit of a million.
CALM = ("--level", "0.999999")


@pytest.fixture
def panel_file(tmp_path: Path) -> Path:
    file = tmp_path / "panel.json"
    file.write_bytes(sign(surveys()["panel"][0], KEY))
    return file


@pytest.fixture
def everything_file(tmp_path: Path) -> Path:
    file = tmp_path / "everything.json"
    file.write_bytes(sign(surveys()["everything"][0], KEY))
    return file


def test_our_client_is_consistent(ask: Ask, manifest_file: Path) -> None:
    printed = ask("audit", "--manifest", manifest_file, "--runs", 500, *CALM)
    assert printed["level"] == 0.999999
    assert list(printed["questions"]) == ["cheated", "helped"]
    for finding in printed["questions"].values():
        assert (finding["verdict"], finding["design"], finding["difference"]) == ("consistent", "stated", None)
        assert finding["runs"] == 500
        assert finding["lower"] < finding["claimed"] < finding["upper"]


@pytest.mark.parametrize("client", [None, NODE], ids=["python", "node"])
def test_clients_in_both_languages_are_consistent_for_every_type(
    ask: Ask, everything_file: Path, client: str | None
) -> None:
    words = ["--client", client] if client else []
    questions = ask("audit", "--manifest", everything_file, "--runs", 150, *CALM, *words)["questions"]
    assert questions.keys() == {question.id for question in surveys()["everything"][0].questions}
    assert {(finding["verdict"], finding["design"]) for finding in questions.values()} == {("consistent", "stated")}
    # 900 lines: every option of a question is tried, half as often where there are twice as many.
    assert (questions["cheated"]["runs"], questions["stress"]["runs"], questions["both"]["runs"]) == (450, 150, 100)


def test_a_client_that_keeps_the_truth_too_often_is_violated(hushpoll: Command, panel_file: Path) -> None:
    # In 10,000 runs of each input its lower bounds are 5 standard errors or more above the claims.
    result = hushpoll("audit", "--manifest", panel_file, "--client", BROKEN, "--json")
    assert result.exit_code == 1
    assert result.stderr == (
        "the client reveals more than the manifest claims: mood, sure; "
        "the client does not follow the stated design: mood, sure\n"
    )
    questions = json.loads(result.stdout)["questions"]
    assert all(finding["lower"] > finding["claimed"] for finding in questions.values())


def test_a_client_that_keeps_its_claim_but_not_its_design_is_refused(hushpoll: Command, manifest_file: Path) -> None:
    words = ("--client", f"{BROKEN} constant", "--runs", 500, *CALM, "--json")
    result = hushpoll("audit", "--manifest", manifest_file, *words)
    assert result.exit_code == 1
    assert result.stderr == "the client does not follow the stated design: cheated\n"
    cheated, helped = json.loads(result.stdout)["questions"].values()
    assert (cheated["verdict"], cheated["design"]) == ("consistent", "different")
    assert cheated["difference"] == "cheated is 0: 0 of 1000, not about 500"
    assert (helped["verdict"], helped["design"], helped["difference"]) == ("consistent", "stated", None)


def test_people_read_what_differs(hushpoll: Command, manifest_file: Path) -> None:
    result = hushpoll("audit", "--manifest", manifest_file, "--client", f"{BROKEN} constant", "--runs", 500)
    assert "  design different (cheated is 0: 0 of 1000, not about 500)  500 runs of 2 inputs\n" in result.stdout


def test_people_read_one_line_for_each_question_and_nothing_on_stderr(hushpoll: Command, panel_file: Path) -> None:
    result = hushpoll("audit", "--manifest", panel_file, "--runs", 50, "--one-at-a-time", *CALM)
    assert (result.exit_code, result.stderr) == (0, "")
    mood, sure = result.stdout.splitlines()
    assert mood.startswith("mood  consistent  claimed 1.0000 for one wave  lower ")
    assert mood.endswith("  design stated  50 runs of 3 inputs")
    assert sure.startswith("sure  consistent  claimed 0.5000  lower ")


@pytest.mark.parametrize(
    ("client", "code", "says"),
    [
        ("false", 1, "the client ended with exit code 1"),
        ("echo no report", 1, "the client's report 1 is not valid: "),
        ("./nowhere", 1, "./nowhere: No such file or directory"),
        ("'", 2, "No closing quotation"),
        (f"sh -c '{OURS} \"$@\"; exit 3' sh", 1, "the client ended with exit code 3"),
        (f"sh -c '{OURS} \"$@\" | sed p' sh", 1, "the client's report 2 has the id of another"),
    ],
)
def test_a_client_that_does_not_work_is_reported(
    hushpoll: Command, manifest_file: Path, client: str, code: int, says: str
) -> None:
    result = hushpoll("audit", "--manifest", manifest_file, "--runs", 10, "--client", client)
    assert (result.exit_code, result.stdout) == (code, "")
    assert says in result.stderr
    assert code == 2 or result.stderr.count("\n") == 1


def test_no_runs_are_too_few(hushpoll: Command, manifest_file: Path) -> None:
    assert hushpoll("audit", "--manifest", manifest_file, "--runs", 0).exit_code == 2
    assert hushpoll("audit").exit_code == 2
