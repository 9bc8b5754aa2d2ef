"""Lines of answers become lines of reports, as they come, in flat memory."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Iterable
from typing import Any

import pytest
from tests.vectors.read import vectors
from tests.vectors.streams import FixedTestStream

from hushpoll_client import AnswerRefused, Survey
from hushpoll_client.stream import LONGEST_LINE, randomize_lines
from hushpoll_shared.randomness import SecureBytes
from hushpoll_shared.report import decode
from hushpoll_shared.signing import verify

VECTORS = vectors("reports")
VECTOR_SURVEY = Survey(verify(VECTORS["envelope"].encode(), VECTORS["key"]))
LINE = b'{"cheated": true, "helped": false}\n'
CANARY = "XYZZYCANARY"


class Pieces:
    """A stream that arrives in given pieces."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = list(pieces)

    def read1(self, size: int, /) -> bytes:
        return self.pieces.pop(0) if self.pieces else b""


class Flushed(io.BytesIO):
    """A stream that writes down what was there at each flush."""

    def __init__(self) -> None:
        super().__init__()
        self.states: list[int] = []

    def flush(self) -> None:
        self.states.append(self.getvalue().count(b"\n"))


def reports_to(survey: Survey, *pieces: bytes) -> list[bytes]:
    output = io.BytesIO()
    randomize_lines(survey, Pieces(*pieces), output, SecureBytes())
    return output.getvalue().splitlines()


@pytest.mark.parametrize("case", VECTORS["good"], ids=lambda case: f"{case['seed']}-{case['answers']['cheated']}")
def test_a_line_gives_the_bytes_of_the_vectors(case: dict[str, str]) -> None:
    output = io.BytesIO()
    line = json.dumps(case["answers"]).encode()
    randomize_lines(VECTOR_SURVEY, Pieces(line), output, FixedTestStream(case["seed"]))
    assert output.getvalue() == case["body"].encode() + b"\n"


@pytest.mark.parametrize(
    "pieces",
    [
        [LINE * 3],
        [LINE, LINE, LINE],
        [LINE * 2 + LINE[:-1]],
        [bytes([byte]) for byte in LINE * 3],
        [b"\n" + LINE + b"\n \t\r\n" + LINE.replace(b"\n", b"\r\n") + LINE + b"\n\n"],
    ],
    ids=["at once", "line by line", "no newline at the end", "byte by byte", "blank lines"],
)
def test_lines_may_come_in_any_pieces(survey: Survey, pieces: list[bytes]) -> None:
    reports = reports_to(survey, *pieces)
    assert len(reports) == 3
    assert all(decode(report, survey.manifest).encode() == report for report in reports)


def test_no_answers_give_no_reports(survey: Survey) -> None:
    assert reports_to(survey) == []


def test_whatever_has_come_is_answered_before_more_is_awaited(survey: Survey) -> None:
    output = Flushed()
    randomize_lines(survey, Pieces(LINE, LINE[:5], LINE[5:] + LINE), output, SecureBytes())
    assert output.states == [1, 1, 3, 3]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"XYZZYCANARY", r"line 3: this is not JSON \(at character 1\)"),
        (b'{"cheated": true, "helped": XYZZYCANARY}', r"line 3: this is not JSON \(at character 29\)"),
        (b'{"cheated": true, "cheated": true}', "line 3: an object has the same key twice"),
        (b'{"cheated": NaN, "helped": true}', "line 3: NaN and Infinity are not JSON"),
        (b'{"cheated": "XYZZYCANARY", "helped": true}', "line 3: question cheated needs True or False"),
        (b'{"cheated": 1, "helped": true}', "line 3: question cheated needs True or False"),
        (b'{"cheated": null, "helped": true}', "line 3: question cheated has no answer"),
        (b'{"cheated": true}', "line 3: question helped has no answer"),
        (b'{"cheated": true, "helped": true, "XYZZYCANARY": 1}', "line 3: the answers contain a question"),
        (b'["XYZZYCANARY"]', "line 3: the answers must be a mapping"),
        (b"[" * 30_000, "line 3: the JSON is nested too deeply"),
        (b"\xff\xfe", "line 3: the text is not UTF-8"),
        (b'{"cheated": true, "helped": true}' + b" " * LONGEST_LINE, "line 3: it is too long"),
    ],
    ids=lambda value: str(value[:40]),
)
@pytest.mark.parametrize("end", [b"", b"\n", b"\n" + LINE], ids=["end", "newline", "more"])
def test_a_bad_line_is_named_and_the_reports_before_it_stand(
    survey: Survey, line: bytes, message: str, end: bytes
) -> None:
    output = io.BytesIO()
    with pytest.raises(AnswerRefused, match=message) as caught:
        randomize_lines(survey, Pieces(LINE + b"\n" + line + end), output, SecureBytes())
    assert CANARY not in str(caught.value)
    assert caught.value.__suppress_context__
    assert output.getvalue().count(b"\n") == 1
    decode(output.getvalue(), survey.manifest)


def test_a_line_without_end_does_not_fill_the_memory(survey: Survey) -> None:
    class Endless:
        read = 0

        def read1(self, size: int, /) -> bytes:
            self.read += size
            return b"x" * size

    stream = Endless()
    with pytest.raises(AnswerRefused, match="line 1: it is too long"):
        randomize_lines(survey, stream, io.BytesIO(), SecureBytes())
    assert stream.read <= 3 * LONGEST_LINE


def test_memory_stays_flat_however_much_comes(survey: Survey) -> None:
    class Nowhere(io.BytesIO):
        written = 0

        def writelines(self, lines: Iterable[Any]) -> None:
            self.written += sum(len(line) for line in lines)

    output = Nowhere()
    tracemalloc.start()
    randomize_lines(survey, Pieces(*[LINE * 100] * 60), output, SecureBytes())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert output.written > 1_000_000
    assert peak < 500_000
