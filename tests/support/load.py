"""Respondents who send report after report, each until it is acknowledged: the load of the fault tests."""

from __future__ import annotations

import json
import threading
import time
import urllib.error
import urllib.request

from tests.support.surveys import make_report

from hushpoll_shared.manifest import Manifest
from hushpoll_shared.report import Report

RESPONDENTS_AT_ONCE = 16


class Respondents:
    """Threads that each send one report after the other, every one until it is acknowledged."""

    def __init__(self, address: str, manifest: Manifest) -> None:
        self._address, self._manifest = address, manifest
        self._stop = threading.Event()
        self.sent: set[str] = set()
        self.acknowledged: set[str] = set()
        self.unexpected: set[int] = set()
        self._threads = [threading.Thread(target=self._run) for _ in range(RESPONDENTS_AT_ONCE)]

    def __enter__(self) -> Respondents:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            report = make_report(self._manifest)
            self.sent.add(report.id)
            # The last report of a thread may stay unacknowledged: then nothing is promised about it.
            while not self._stop.is_set() and not self._is_acknowledged(report):
                time.sleep(0.01)

    def _is_acknowledged(self, report: Report) -> bool:
        url = f"{self._address}/api/v1/surveys/{report.survey}/reports"
        request = urllib.request.Request(url, report.encode(), {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                assert json.load(answer)["status"] in ("accepted", "duplicate")
        except urllib.error.HTTPError as error:
            # Only "try later" may happen to an honest report.
            if error.code != 503:
                self.unexpected.add(error.code)
            return False
        except OSError:
            return False
        except ValueError:
            return False
        self.acknowledged.add(report.id)
        return True
