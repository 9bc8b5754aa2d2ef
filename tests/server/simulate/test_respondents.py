"""Simulated respondents: the answers they give, and client programs that work, fail, stop or are slow."""

from __future__ import annotations

import json
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.samples.surveys import KEY, two_questions
from tests.vectors.surveys import every_type

from hushpoll_server.simulate.respondents import Answers, ClientFailed, draw_answers, randomize, read_truth
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.report import decode
from hushpoll_shared.signing import sign

MANIFEST = two_questions()
ENVELOPE = sign(MANIFEST, KEY)
TRUTH = read_truth(b'{"cheated": 0.3, "helped": 0.5}', MANIFEST)
EVERYTHING = {
    "cheated": 0.3,
    "asked": {"yes": 0.2, "decline": 0.1},
    "way": {"1": 0.5, "car": 0.3, "decline": 0.2},
    "code": {"c1": 0.9, "c2099": 0.1},
    "stress": [0.1, 0.2, 0.3, 0.2, 0.1, 0.1],
    "pain": {"mean": 1.2},
    "ways": {"1": 0.4, "car": 0.7, "decline": 0.1},
    "few": {"1": 0.5, "0": 0.5, "car": 0.5},
    "hours": {"low": 5, "high": 15.5},
    "height": {"values": [0, 1, 2]},
    "noise": {"mean": 0.25},
    "smokes": 0.4,
    "colour": {"red": 0.5, "blue": 0.5},
}


def program(tmp_path: Path, text: str) -> list[str]:
    """Return the command of a client program in Python; `answers` are its lines."""
    file = tmp_path / "client.py"
    file.write_text("import sys, time\nanswers = sys.stdin\n" + textwrap.dedent(text))
    return [sys.executable, "-I", "-S", str(file)]


def ask(client: list[str], respondents: int) -> list[bytes]:
    return list(randomize(ENVELOPE, draw_answers(TRUTH, respondents), client))


def test_invented_answers_have_the_true_shares() -> None:
    truth = read_truth(b'{"cheated": 0.3, "helped": 1}', MANIFEST)
    answers = list(draw_answers(truth, 4000))
    assert all(answer["helped"] is True for answer in answers)
    # Five standard errors: one false alarm in 1.7 million runs.
    assert abs(sum(answer["cheated"] is True for answer in answers) / 4000 - 0.3) < 5 * (0.21 / 4000) ** 0.5


def test_every_question_of_a_survey_of_every_type_is_answered() -> None:
    questions = tuple(question for question in every_type() if set(question.answer_ids) <= EVERYTHING.keys())
    manifest = Manifest("everything", "Everything", "Please.", questions)
    truth = read_truth(json.dumps(EVERYTHING).encode(), manifest)
    reports = list(randomize(sign(manifest, KEY), draw_answers(truth, 50)))
    assert len({decode(report, manifest).id for report in reports}) == 50


def test_our_own_client_gives_a_valid_report_for_each_answer() -> None:
    reports = list(randomize(ENVELOPE, draw_answers(TRUTH, 500)))
    assert len({decode(report, MANIFEST).id for report in reports}) == 500


def test_reports_are_given_as_they_come(tmp_path: Path) -> None:
    client = program(tmp_path, "for line in answers: print('report', flush=True)")
    gate = threading.Event()

    def answers() -> Iterator[Answers]:
        for _ in range(4001):
            yield {"cheated": True, "helped": True}
        assert gate.wait(30)

    reports = randomize(ENVELOPE, answers(), client)
    assert next(reports) == b"report"
    gate.set()
    assert len(list(reports)) == 4000


def test_a_slow_client_is_waited_for(tmp_path: Path) -> None:
    client = program(
        tmp_path,
        """
        for number, line in enumerate(answers):
            if number % 1000 == 0: time.sleep(0.05)
            print("report")
        """,
    )
    assert len(ask(client, 5000)) == 5000


def test_a_client_that_reads_everything_before_it_writes_does_no_harm(tmp_path: Path) -> None:
    client = program(tmp_path, "for line in answers.readlines(): print('x' * 100)")
    assert len(ask(client, 5000)) == 5000


def test_a_client_that_fails_is_reported_with_its_exit_code(tmp_path: Path) -> None:
    with pytest.raises(ClientFailed, match="exit code 3"):
        ask(program(tmp_path, "answers.readline(); sys.exit(3)"), 10)


def test_a_client_that_stops_in_the_middle_of_many_answers_is_reported(tmp_path: Path) -> None:
    client = program(tmp_path, "print(answers.readline(), end=''); sys.exit(0)")
    with pytest.raises(ClientFailed, match="gave 1 reports, not one for each answer"):
        ask(client, 20_000)


@pytest.mark.parametrize("text", ["sys.exit(0)", "answers.read()", "for line in answers: print(1); print(2)"])
def test_a_client_that_does_not_answer_every_line_once_is_reported(text: str, tmp_path: Path) -> None:
    with pytest.raises(ClientFailed, match="not one for each answer"):
        ask(program(tmp_path, text), 10)


def test_a_client_that_is_not_there_is_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        ask([str(tmp_path / "nowhere")], 1)


def test_who_stops_listening_leaves_no_client_behind(tmp_path: Path) -> None:
    client = program(tmp_path, "print('report', flush=True); time.sleep(60)")
    before = set(threading.enumerate())
    reports = randomize(ENVELOPE, draw_answers(TRUTH, 100_000), client)
    assert next(reports) == b"report"
    began = time.monotonic()
    reports.close()
    assert time.monotonic() - began < 20
    assert set(threading.enumerate()) == before
