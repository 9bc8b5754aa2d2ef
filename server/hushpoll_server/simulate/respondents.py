"""Simulated respondents: a real client program that reads answers and writes reports, one JSON object per line.

The server itself never randomizes. To see what a survey would look like, a client is run in a process of its own: ours
by default, or any other program that reads and writes the same lines. `read_truth` reads what respondents think,
`draw_answers` draws their answers, `randomize` yields their reports.
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

from hushpoll_server.simulate.population import Answers, Truth
from hushpoll_server.simulate.population_file import read_truth
from hushpoll_shared.errors import HushpollError

__all__ = ["OUR_CLIENT", "Answers", "ClientFailed", "draw_answers", "randomize", "read_truth"]

OUR_CLIENT = (sys.executable, "-m", "hushpoll_client", "randomize")


class ClientFailed(HushpollError):
    """The client program failed, or did not do what it must."""


def draw_answers(truth: Mapping[str, Truth], respondents: int) -> Iterator[Answers]:
    """Yield answers of invented respondents, independent between respondents and questions, with the true shares."""
    for _ in range(respondents):
        yield {name: answer for about in truth.values() for name, answer in about.draw().items()}


def randomize(
    envelope: bytes, answers: Iterable[Answers], client: Sequence[str] = OUR_CLIENT
) -> Generator[bytes, None, None]:
    """Yield the client's reports to the answers as they come; closing the generator ends the client."""
    with tempfile.TemporaryDirectory(prefix="hushpoll-") as folder:
        manifest = Path(folder) / "manifest.json"
        manifest.write_bytes(envelope)
        yield from _run([*client, "--manifest", str(manifest)], answers)


def _run(command: Sequence[str], answers: Iterable[Answers]) -> Generator[bytes, None, None]:
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 (the operator chose the command)
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
        # If the caller stops, by an error or by Ctrl-C, no client is left running.
        process.kill()
        process.wait()
        feeder.join()
    if process.returncode != 0:
        raise ClientFailed(f"the client ended with exit code {process.returncode}: its own message is above")
    if not feeder.finished or received != feeder.fed:
        raise ClientFailed(f"the client gave {received} reports, not one for each answer: it must answer every line")


class _Feeder(threading.Thread):
    """A thread that writes the answers to the client, one per line, while its reports are read."""

    def __init__(self, stdin: IO[bytes], answers: Iterable[Answers]) -> None:
        super().__init__(daemon=True)
        self._stdin, self._answers = stdin, answers
        self.fed, self.finished = 0, False

    def run(self) -> None:
        # A client that ends early closes the pipe; its exit code and the number of its reports then show that.
        with contextlib.suppress(BrokenPipeError), self._stdin:
            for answer in self._answers:
                self._stdin.write(json.dumps(answer).encode() + b"\n")
                self.fed += 1
            self._stdin.flush()
            self.finished = True
