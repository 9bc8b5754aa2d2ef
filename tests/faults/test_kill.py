"""kill -9 of the server under load: no acknowledged report is lost, none is counted twice.

The oracle is the unique id: every respondent has one; an acknowledged id that is missing is a loss, counters that
differ from a recount of the rows are a double count.
"""

from __future__ import annotations

import random
import time

import pytest
from tests.support.load import Respondents
from tests.support.server_process import ServerProcess
from tests.support.surveys import KEY, two_questions

from hushpoll_server.services import Services
from hushpoll_server.settings import Settings


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
