"""Answers in, reports out, one JSON object a line: what `hushpoll randomize` does with its two streams.

Input is taken as it comes and every complete line is answered before more is awaited: a program at the other end may
write one line and wait for one report. Memory stays flat. A message names the line, never what is in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import BinaryIO, Protocol

from hushpoll_client.errors import AnswerRefused
from hushpoll_client.survey import Survey
from hushpoll_shared import strict_json
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.randomness import ByteSource
from hushpoll_shared.report import Report

LONGEST_LINE = 64 * 1024
_CHUNK = 64 * 1024


class Input(Protocol):
    """A stream of bytes that hands over what is there without waiting for more."""

    def read1(self, size: int, /) -> bytes:
        """Give at least one byte, at most `size`; none at the end."""


def randomize_lines(survey: Survey, answers: Input, reports: BinaryIO, source: ByteSource) -> None:
    """Write one report for each line of answers; stop at the first line that cannot be answered.

    The reports to the lines before it are written: they were drawn and are valid.
    """
    numbers = count(1)
    for lines in _complete_lines(answers):
        try:
            reports.writelines(
                _answer(survey, line, number, source) for line, number in zip(lines, numbers, strict=False)
            )
        finally:
            reports.flush()


def _answer(survey: Survey, line: bytes, number: int, source: ByteSource) -> bytes:
    try:
        return _report(survey, line, source).encode() + b"\n" if line.strip() else b""
    except (AnswerRefused, InvalidValue) as error:
        raise AnswerRefused(f"line {number}: {error}") from None


def _report(survey: Survey, line: bytes, source: ByteSource) -> Report:
    if len(line) > LONGEST_LINE:
        raise AnswerRefused("it is too long for one respondent's answers: write one object a line")
    return survey.randomize(strict_json.loads_with_fractions(line), source=source)


def _complete_lines(stream: Input) -> Iterator[list[bytes]]:
    rest = b""
    while chunk := stream.read1(_CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        yield lines
        if len(rest) > LONGEST_LINE:
            break
    yield [rest]
