"""Simulated respondents: a real client program that reads answers and writes reports, one JSON object a line.

The server never randomizes by itself. Whoever wants to see what a survey would look like runs a client, ours by
default, in a process of its own; any other program that speaks the same lines will do. `read_truth` reads what they
think, `draw_answers` invents their answers, `randomize` gives their reports.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from hushpoll_server.answers import Answers
from hushpoll_server.truth import Truth
from hushpoll_server.truth_file import read_truth
from hushpoll_shared.errors import HushpollError

__all__ = ["OUR_CLIENT", "ClientFailed", "draw_answers", "randomize", "read_truth"]

OUR_CLIENT = (sys.executable, "-m", "hushpoll_client", "randomize")


class ClientFailed(HushpollError):
    """Say that the client program did not do its work."""


def draw_answers(truth: Mapping[str, Truth], respondents: int) -> Iterator[Answers]:
    """Invent respondents whose answers are independent, from question to question too, and have the true shares."""
    for _ in range(respondents):
        yield {name: answer for about in truth.values() for name, answer in about.draw().items()}


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
