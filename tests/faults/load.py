"""Respondents who send report after report, each until it is acknowledged: the load of the fault tests."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter
from http.client import HTTPConnection, HTTPException

from tests.samples.surveys import make_report

from hushpoll_shared.manifest import Manifest
from hushpoll_shared.report import Report

AT_ONCE = 8
TRY_LATER = 503
# Long enough that those who wait leave the processor to the server that starts.
PAUSE = 0.1
# A server that does not come back within this time does not come back by itself.
LONGEST_RECOVERY = 30


class Respondents:
    """Threads that each send one report after the other, every one until it is acknowledged, to any of the nodes."""

    def __init__(self, manifest: Manifest, *ports: int, at_once: int = AT_ONCE) -> None:
        self._manifest, self._ports = manifest, ports
        self._stop, self._lock = threading.Event(), threading.Lock()
        self.sent: set[str] = set()
        self.acknowledged: set[str] = set()
        self.statuses: Counter[int] = Counter()
        # When the latest of the acknowledged reports was sent.
        self.latest = 0.0
        self._threads = [threading.Thread(target=self._run) for _ in range(at_once)]

    def __enter__(self) -> Respondents:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    @property
    def unexpected(self) -> set[int]:
        """Return the statuses that must never be the answer to an honest report: only "try later" may be."""
        return {status for status in self.statuses if status >= 400 and status != TRY_LATER}

    def recovery(self, since: float) -> float:
        """Wait for the acknowledgement of a report that was sent after a moment; return the seconds from it to now."""
        while self.latest < since:
            assert time.monotonic() - since < LONGEST_RECOVERY, f"nothing is acknowledged: {self.statuses}"
            time.sleep(0.005)
        return time.monotonic() - since

    def wait_for_refusal(self) -> None:
        """Wait until somebody is told to try later."""
        seen, deadline = self.statuses[TRY_LATER], time.monotonic() + LONGEST_RECOVERY
        while self.statuses[TRY_LATER] == seen:
            assert time.monotonic() < deadline, f"nobody is told to try later: {self.statuses}"
            time.sleep(0.005)

    def _run(self) -> None:
        while not self._stop.is_set():
            report = make_report(self._manifest)
            self.sent.add(report.id)
            # The last report of a thread may stay unacknowledged: then nothing is promised about it.
            while not self._stop.is_set() and not self._is_acknowledged(report):
                time.sleep(PAUSE)

    def _is_acknowledged(self, report: Report) -> bool:
        started = time.monotonic()
        status = send(random.choice(self._ports), report)
        with self._lock:
            self.statuses[status] += 1
            if status not in (200, 201):
                return False
            self.acknowledged.add(report.id)
            self.latest = max(self.latest, started)
        return True


def send(port: int, report: Report) -> int:
    """Send a report and return the status, or 0 if there is no whole answer."""
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("POST", path_of(report.survey), report.encode(), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        # An answer that is cut short acknowledges nothing.
        json.loads(answer.read())
    except (OSError, HTTPException, ValueError):
        return 0
    finally:
        connection.close()
    return answer.status


def path_of(survey: str) -> str:
    """Return the path where a survey takes reports."""
    return f"/api/v1/surveys/{survey}/reports"
