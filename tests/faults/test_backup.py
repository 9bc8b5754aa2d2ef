"""Fault 14: a backup that is taken under load and restored knows every report acknowledged before it began."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.support.load import Respondents
from tests.support.server_process import ServerProcess
from tests.support.surveys import KEY, make_report, two_questions

from hushpoll_server.collect.batch import Stored
from hushpoll_server.operate.backup import backup, restore
from hushpoll_server.operate.reconcile import check
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_shared.problems import CONFLICT


def ignore(_: int) -> None:
    """Hear of progress and do nothing."""


def check_backups(server: ServerProcess, folder: Path, *, backups: int, seconds: float) -> None:
    """Take backups while respondents answer; restore each and compare it with what was promised."""
    manifest = two_questions()
    services = Services(Settings(home=server.home, db=server.database_url))
    services.surveys.publish(manifest, KEY)
    server.start()
    promised: list[set[str]] = []
    with Respondents(server.address, manifest) as respondents:
        for number in range(backups):
            time.sleep(seconds)
            promised.append(set(respondents.acknowledged))
            backup(services.store, folder / f"{number}.backup", force=False, progress=ignore)
        # The server goes on: somebody is acknowledged after the last backup began.
        deadline = time.monotonic() + 10
        while respondents.acknowledged == promised[-1] and time.monotonic() < deadline:
            time.sleep(0.01)
        during = len(respondents.acknowledged)
    server.stop()
    sent = {report.id: report for report in services.collect.reports(manifest.survey)}
    services.close()
    lost = 0
    for number, before in enumerate(promised):
        restored = Services(Settings(home=folder / "restored", db=f"sqlite:///{folder / f'{number}.db'}"))
        restore(restored.store, folder / f"{number}.backup", progress=ignore)
        stored = {report.id for report in restored.collect.reports(manifest.survey)}
        lost += len(before - stored)
        known = [sent[report_id].encode() for report_id in sorted(stored)]
        assert set(restored.collect.take(manifest.survey, known)) == {Stored.DUPLICATE}
        first = sent[min(stored)]
        other = make_report(manifest, *(1 - int(draw) for draw in first.answers.values()), report_id=first.id)
        assert restored.collect.take(manifest.survey, [other.encode()]) == [CONFLICT]
        found = check(restored.store, manifest)
        restored.close()
        assert found.is_right
        assert found.reports == len(stored)
    engine = server.database_url.split(":")[0]
    print(
        f"{engine}: {backups} backups under load, {during} acknowledged, {len(promised[-1])} before the last began, "
        f"{lost} lost"
    )
    assert len(promised[0]) > 0
    assert during > len(promised[-1])
    assert lost == 0
    assert not respondents.unexpected


def test_a_backup_under_load_holds_what_was_acknowledged_and_protects_against_replay(
    server: ServerProcess, tmp_path: Path
) -> None:
    check_backups(server, tmp_path, backups=1, seconds=0.5)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_twenty_backups_under_load(server: ServerProcess, tmp_path: Path) -> None:
    check_backups(server, tmp_path, backups=20, seconds=1)
