"""Simulated respondents: a real client program that reads answers and writes reports, one JSON object a line.

The server never randomizes by itself. Whoever wants to see what a survey would look like runs a client, ours by
default, in a process of its own; any other program that speaks the same lines will do.
"""

from __future__ import annotations

import contextlib
import json
import math
import secrets
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import IO

from hushpoll_shared import strict_json
from hushpoll_shared.errors import HushpollError, InvalidValue
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.randomness import SPAN

OUR_CLIENT = (sys.executable, "-m", "hushpoll_client", "randomize")

Answers = dict[str, bool]


class ClientFailed(HushpollError):
    """Say that the client program did not do its work."""


def read_truth(data: bytes, manifest: Manifest) -> dict[str, Fraction]:
    """Read the true share of yes for every question of a survey."""
    try:
        shares = strict_json.loads_with_fractions(data)
    except strict_json.StrictJSONError as error:
        raise InvalidValue(f'the truth must be JSON such as {{"cheated": 0.3}}: {error}') from None
    wanted = {question.id for question in manifest.questions}
    if not isinstance(shares, dict) or shares.keys() != wanted:
        raise InvalidValue(f"the truth must give a share for each of these, and no other: {', '.join(sorted(wanted))}")
    if not all(type(share) in (int, float) and 0 <= share <= 1 for share in shares.values()):
        raise InvalidValue("the truth must be shares between 0 and 1")
    return {question: Fraction(share) for question, share in shares.items()}


def draw_answers(truth: Mapping[str, Fraction], respondents: int) -> Iterator[Answers]:
    """Invent respondents whose answers are independent and have the true shares."""
    thresholds = {question: math.ceil(share * SPAN) for question, share in truth.items()}
    for _ in range(respondents):
        yield {question: secrets.randbelow(SPAN) < threshold for question, threshold in thresholds.items()}


def randomize(
    envelope: bytes, answers: Iterable[Answers], client: Sequence[str] = OUR_CLIENT
) -> Generator[bytes, None, None]:
    """Let the client randomize the answers; give its reports as they come. Whoever stops early closes it."""
    with tempfile.TemporaryDirectory(prefix="hushpoll-") as folder:
        manifest = Path(folder) / "manifest.json"
        manifest.write_bytes(envelope)
        yield from _run([*client, "--manifest", str(manifest)], answers)


def _run(command: Sequence[str], answers: Iterable[Answers]) -> Generator[bytes, None, None]:
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 (our own choice)
    assert process.stdin
    assert process.stdout
    feeder = _Feeder(process.stdin, answers)
    feeder.start()
    received = 0
    try:
        with process.stdout as reports:
            for received, line in enumerate(reports, start=1):  # noqa: B007 (counted for the check below)
                yield line.rstrip(b"\n")
        process.wait()
    finally:
        # Whoever stops listening, by an error or by Ctrl-C, leaves no client behind.
        process.kill()
        process.wait()
        feeder.join()
    if process.returncode != 0:
        raise ClientFailed(f"the client ended with exit code {process.returncode}: its own message is above")
    if not feeder.finished or received != feeder.fed:
        raise ClientFailed(f"the client gave {received} reports, not one for each answer: it must answer every line")


class _Feeder(threading.Thread):
    """Write the answers into the client, one a line, while its reports are read."""

    def __init__(self, stdin: IO[bytes], answers: Iterable[Answers]) -> None:
        super().__init__(daemon=True)
        self._stdin, self._answers = stdin, answers
        self.fed, self.finished = 0, False

    def run(self) -> None:
        # A client that ends early closes the pipe; its exit code and its reports then tell the story.
        with contextlib.suppress(BrokenPipeError), self._stdin:
            for answer in self._answers:
                self._stdin.write(json.dumps(answer).encode() + b"\n")
                self.fed += 1
            self._stdin.flush()
            self.finished = True
