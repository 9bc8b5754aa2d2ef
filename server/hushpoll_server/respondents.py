"""Simulated respondents: a real client program that reads answers and writes reports, one JSON object a line.

The server never randomizes by itself. Whoever wants to see what a survey would look like runs a client, ours by
default, in a process of its own; any other program that speaks the same lines will do.
"""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import IO

from hushpoll_shared.errors import HushpollError, InvalidValue
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.randomness import SPAN

OUR_CLIENT = (sys.executable, "-m", "hushpoll_client", "randomize")

Answers = dict[str, bool]


class ClientFailed(HushpollError):
    """Say that the client program did not do its work."""


def read_truth(text: str, manifest: Manifest) -> dict[str, Fraction]:
    """Read the true share of yes for every question of a survey."""
    try:
        shares = json.loads(text, parse_float=Fraction, parse_int=Fraction)
    except (ValueError, RecursionError):
        raise InvalidValue('the truth must be JSON such as {"cheated": 0.3}') from None
    wanted = {question.id for question in manifest.questions}
    if not isinstance(shares, dict) or shares.keys() != wanted:
        raise InvalidValue(f"the truth must give a share for each of these, and no other: {', '.join(sorted(wanted))}")
    if not all(isinstance(share, Fraction) and 0 <= share <= 1 for share in shares.values()):
        raise InvalidValue("the truth must be shares between 0 and 1")
    return shares


def draw_answers(truth: Mapping[str, Fraction], respondents: int) -> Iterator[Answers]:
    """Invent respondents whose answers are independent and have the true shares."""
    for _ in range(respondents):
        yield {question: secrets.randbelow(SPAN) < share * SPAN for question, share in truth.items()}


def randomize(envelope: bytes, answers: Iterable[Answers], client: Sequence[str] = OUR_CLIENT) -> Iterator[bytes]:
    """Let the client randomize the answers; give its reports as they come."""
    with tempfile.TemporaryDirectory(prefix="hushpoll-") as folder:
        manifest = Path(folder) / "manifest.json"
        manifest.write_bytes(envelope)
        yield from _run([*client, "--manifest", str(manifest)], answers)


def _run(command: Sequence[str], answers: Iterable[Answers]) -> Iterator[bytes]:
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 (our own choice)
    assert process.stdin
    assert process.stdout
    feeder = threading.Thread(target=_feed, args=(process.stdin, answers), daemon=True)
    feeder.start()
    with process.stdout as reports:
        for line in reports:
            yield line.rstrip(b"\n")
    feeder.join()
    if process.wait() != 0:
        raise ClientFailed(f"the client ended with exit code {process.returncode}: its own message is above")


def _feed(stdin: IO[bytes], answers: Iterable[Answers]) -> None:
    # A client that ends early closes the pipe; its exit code then tells the story.
    try:
        with stdin:
            for answer in answers:
                stdin.write(json.dumps(answer).encode() + b"\n")
    except BrokenPipeError:
        pass
