"""Scans: one at a time, shared by those who wait for the same, ended when nobody waits."""

from __future__ import annotations

import threading

import pytest

from hushpoll_server.results import scans as scans_module
from hushpoll_server.results.scans import Scan, Scans, ScanStopped

SECONDS = 20.0


class Held:
    """Work that reads in steps, each of which waits for the test."""

    def __init__(self) -> None:
        self.step, self.begun, self.runs = threading.Semaphore(0), threading.Event(), 0

    def __call__(self, scan: Scan[int]) -> int:
        with scan.turn():
            self.runs += 1
            self.begun.set()
            for _ in range(3):
                assert self.step.acquire(timeout=SECONDS)
                scan.advance(10)
        return scan.read


@pytest.fixture(autouse=True)
def _quick_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scans_module, "CHECK_SECONDS", 0.01)


def test_what_is_asked_twice_is_computed_once_and_told_to_both() -> None:
    scans, work = Scans(), Held()
    with scans.join("key", 30, work) as one, scans.join("key", 30, work) as other:
        assert one is other
        assert not one.wait(0.0)
        work.step.release(3)
        assert (one.result(), one.read, one.total, work.runs) == (30, 30, 30, 1)
        # While anybody stays, what came of it is known.
        with scans.join("key", 30, work) as late:
            assert (late.result(), work.runs) == (30, 1)


def test_one_scan_reads_at_a_time_and_the_next_one_waits_for_its_turn() -> None:
    scans, first, second = Scans(), Held(), Held()
    with scans.join("first", 30, first) as one, scans.join("second", 30, second) as other:
        assert first.begun.wait(SECONDS)
        second.step.release(3)
        assert not other.wait(0.1)
        assert (one.has_turn, other.has_turn) == (True, False)
        first.step.release(3)
        assert (one.result(), other.result()) == (30, 30)


def test_a_scan_ends_with_the_last_who_waits_and_another_one_begins_anew() -> None:
    scans, work = Scans(), Held()
    one, other = scans.join("key", 30, work), scans.join("key", 30, work)
    assert work.begun.wait(SECONDS)
    one.leave()
    work.step.release()
    assert not other.wait(0.1)
    other.leave()
    work.step.release()
    assert other.wait(SECONDS)
    with pytest.raises(ScanStopped, match="nobody waits"):
        other.result()
    work.step.release(3)
    with scans.join("key", 30, work) as again:
        assert (again.result(), work.runs) == (30, 2)


def test_one_that_waits_for_its_turn_ends_as_well_when_nobody_waits_for_it() -> None:
    scans, first, second = Scans(), Held(), Held()
    with scans.join("first", 30, first) as one:
        assert first.begun.wait(SECONDS)
        (other := scans.join("second", 30, second)).leave()
        assert other.wait(SECONDS)
        first.step.release(3)
        assert one.result() == 30
    assert second.runs == 0


def test_a_scan_that_takes_too_long_ends_with_the_command_that_takes_its_time() -> None:
    scans, work = Scans(most_seconds=0.0), Held()
    work.step.release(3)
    with scans.join("key", 30, work) as scan, pytest.raises(ScanStopped, match="0 seconds: use hushpoll crosstab"):
        scan.result()


def test_an_error_reaches_everybody_who_waits_and_is_not_kept() -> None:
    def fail(_: Scan[int]) -> int:
        raise ValueError("broken")

    scans = Scans()
    with scans.join("key", 1, fail) as one, scans.join("key", 1, fail) as other:
        for scan in (one, other):
            with pytest.raises(ValueError, match="broken"):
                scan.result()
    work = Held()
    work.step.release(3)
    with scans.join("key", 1, work) as again:
        assert again.result() == 30


def test_the_end_of_an_instance_ends_its_scans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scans_module, "CLOSE_SECONDS", 0.01)
    scans, work = Scans(), Held()
    with scans.join("key", 30, work) as scan:
        assert work.begun.wait(SECONDS)
        scans.close()
        work.step.release(3)
        with pytest.raises(ScanStopped):
            scan.result()
    assert work.step.acquire(blocking=False)
