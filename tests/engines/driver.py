"""The seam between one set of sentences and the engines: what a driver of an engine can do.

Both engines speak W3C WebDriver, each over a line of its own, so that a command is a name with parameters here. The few
things that the standard leaves out (complaints, the question before a page is left) each driver does in its own way.
Nothing is fetched: the standard library and the system's own programs are enough.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

Value = TypeVar("Value")

PATIENCE_SECONDS = 20
# A browser that is started for the first time on a busy machine takes its time.
START_SECONDS = 60
PAUSE = 0.05
# The key under which the standard wraps a reference to an element.
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
MARK = "document.documentElement.dataset.marked = ''"
IS_MARKED = "return 'marked' in document.documentElement.dataset"


class CommandRefused(Exception):
    """The engine did not carry out a command; the message is the engine's own."""


class Driver(ABC):
    """One browser with a fresh profile and one window."""

    version: str

    @abstractmethod
    def call(self, command: str, **parameters: Any) -> Any:
        """Carry out a command of W3C WebDriver and return its value."""

    @abstractmethod
    def listen(self) -> None:
        """Begin to note complaints about the page that was just opened."""

    @abstractmethod
    def complaints(self) -> list[str]:
        """Return the errors of scripts and the violations of policies, as far as the engine tells."""

    @abstractmethod
    def leave(self, script: str) -> bool:
        """Leave the page by a script, and confirm it if need be; return whether a person would be asked first."""

    def evaluate(self, script: str) -> Any:
        """Return what a script in the page returns; a promise is waited for."""
        return self.call("ExecuteScript", script=script, args=[])

    def is_marked(self) -> bool:
        """Return whether the page is still the one that was marked; while it is exchanged nobody knows."""
        try:
            return bool(self.evaluate(IS_MARKED))
        except CommandRefused:
            return True


def wait_for(attempt: Callable[[], Value], what: str, *, seconds: float = PATIENCE_SECONDS) -> Value:
    """Return the first true result; refused commands are tried again, because screens are redrawn."""
    deadline = time.monotonic() + seconds
    refusal = ""
    while time.monotonic() < deadline:
        try:
            if result := attempt():
                return result
        except CommandRefused as error:
            refusal = f" ({error})"
        time.sleep(PAUSE)
    raise AssertionError(f"not within {seconds} s: {what}{refusal}")


@contextmanager
def running(command: list[str], log: Path, environment: Mapping[str, str] = os.environ) -> Iterator[None]:
    """Run a program, and end it with all that it has started."""
    with log.open("ab") as output:
        # A group of its own, so that the end reaches every process of a browser.
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment, start_new_session=True
        )
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
