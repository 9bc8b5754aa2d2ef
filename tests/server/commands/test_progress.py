"""A progress bar is there for somebody who waits and watches, and for nobody else."""

from __future__ import annotations

import io
import sys

import pytest

from hushpoll_server.commands import progress
from hushpoll_server.commands.progress import progress_bar


class Terminal(io.StringIO):
    """A stream that says that somebody is looking at it."""

    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, *, patience: float) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "PATIENCE", patience)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar("backup", 10) as advance:
        advance(5)
        advance(5)
    return stream.getvalue()


def test_it_appears_for_somebody_who_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "backup" in shown(monkeypatch, Terminal(), patience=-1)


def test_it_does_not_appear_for_what_is_done_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, Terminal(), patience=60) == ""


def test_it_does_not_appear_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, io.StringIO(), patience=-1) == ""
