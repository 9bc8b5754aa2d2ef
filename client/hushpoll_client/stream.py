"""Answers in, reports out, one JSON object per line: what `hushpoll randomize` does with its two streams.

The report to every complete line is written before more input is awaited, because the program at the other end may
write one line and wait for its report. Memory use is constant. A message names the line, never what is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from typing import Any, BinaryIO, Protocol

from hushpoll_client.errors import AnswerRefused
from hushpoll_client.survey import Survey
from hushpoll_shared import strict_json
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.randomness import ByteSource
from hushpoll_shared.report import Report

LONGEST_LINE = 64 * 1024
_CHUNK_BYTES = 64 * 1024


# From the answers of one respondent to the report.
Randomize = Callable[[Any], Report]


class Input(Protocol):
    """A stream of bytes that returns what is available without waiting for more."""

    def read1(self, size: int, /) -> bytes:
        """Return at least one and at most `size` bytes; none at the end of the stream."""


def randomize_lines(
    survey: Survey, answers: Input, reports: BinaryIO, source: ByteSource, groups: Sequence[str] = ()
) -> None:
    """Write one report for each line of answers, all in these groups; stop at the first line that is refused.

    The reports to the lines before it are still written: they were drawn and are valid.
    """
    numbers, randomize = count(1), partial(survey.randomize, groups=groups, source=source)
    for lines in _complete_lines(answers):
        try:
            reports.writelines(
                _report_line(randomize, line, number) for line, number in zip(lines, numbers, strict=False)
            )
        finally:
            reports.flush()


def _report_line(randomize: Randomize, line: bytes, number: int) -> bytes:
    try:
        return _report(randomize, line).encode() + b"\n" if line.strip() else b""
    except AnswerRefused as error:
        raise AnswerRefused(f"line {number}: {error}", problems=error.problems) from None
    except InvalidValue as error:
        raise AnswerRefused(f"line {number}: {error}") from None


def _report(randomize: Randomize, line: bytes) -> Report:
    if len(line) > LONGEST_LINE:
        raise AnswerRefused("it is too long for one respondent's answers: write one object per line")
    return randomize(strict_json.loads_with_fractions(line))


def _complete_lines(stream: Input) -> Iterator[list[bytes]]:
    rest = b""
    while chunk := stream.read1(_CHUNK_BYTES):
        *lines, rest = (rest + chunk).split(b"\n")
        yield lines
        if len(rest) > LONGEST_LINE:
            break
    yield [rest]
