"""A progress bar is shown in a terminal after a while, and nowhere else."""

from __future__ import annotations

import io
import sys
import time

import pytest

from hushpoll_server.commands import progress
from hushpoll_server.commands.progress import progress_bar


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, *, quiet: float, waits: float = 0) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "QUIET_SECONDS", quiet)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar("backup", 10) as advance:
        advance(5)
        time.sleep(waits)
        advance(5)
    return stream.getvalue()


def test_it_appears_for_somebody_who_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "backup" in shown(monkeypatch, Terminal(), quiet=0, waits=0.3)


def test_it_does_not_appear_for_what_is_done_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, Terminal(), quiet=60) == ""


def test_it_does_not_appear_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, io.StringIO(), quiet=0, waits=0.3) == ""
