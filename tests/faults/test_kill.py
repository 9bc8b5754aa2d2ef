"""kill -9 of the server under load: no acknowledged report is lost, none is counted twice.

The oracle is the unique id: every respondent has one; an acknowledged id that is missing is a loss, counters that
differ from a recount of the rows are a double count.
"""

from __future__ import annotations

import json
import random
import threading
import time
import urllib.error
import urllib.request

import pytest
from tests.support.server_process import ServerProcess
from tests.support.surveys import KEY, make_report, two_questions

from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
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


def check_kills(server: ServerProcess, kills: int) -> None:
    """Kill the server again and again under load and compare what was promised with what is there."""
    manifest = two_questions()
    services = Services(Settings(home=server.home, db=server.database_url))
    services.surveys.publish(manifest, KEY)
    server.start()
    moments = random.Random(20261116)
    with Respondents(server.address, manifest) as respondents:
        for _ in range(kills):
            time.sleep(moments.uniform(0.1, 0.8))
            server.kill()
            server.start()
        time.sleep(0.5)
    server.stop()
    stored = {report.id for report in services.collect.reports(manifest.survey)}
    counts, recount = services.collect.counts(manifest.survey), services.collect.recount(manifest.survey)
    services.close()
    lost = respondents.acknowledged - stored
    print(
        f"{server.database_url.split(':')[0]}: {kills} kills, {len(respondents.acknowledged)} acknowledged, "
        f"{len(lost)} lost, {len(stored)} stored, counters equal a recount: {counts == recount}"
    )
    assert len(respondents.acknowledged) > 10 * kills
    assert not lost
    assert stored <= respondents.sent
    assert counts == recount
    assert not respondents.unexpected


def test_no_acknowledged_report_is_lost_or_counted_twice_when_the_server_is_killed(server: ServerProcess) -> None:
    check_kills(server, kills=3)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_twenty_kills(server: ServerProcess) -> None:
    check_kills(server, kills=20)


def test_sigterm_drains_within_five_seconds_and_keeps_what_was_acknowledged(server: ServerProcess) -> None:
    manifest = two_questions()
    services = Services(Settings(home=server.home, db=server.database_url))
    services.surveys.publish(manifest, KEY)
    server.start()
    with Respondents(server.address, manifest) as respondents:
        time.sleep(0.5)
        seconds = server.stop()
    stored = {report.id for report in services.collect.reports(manifest.survey)}
    services.close()
    assert respondents.acknowledged
    assert respondents.acknowledged <= stored
    assert seconds < 5
