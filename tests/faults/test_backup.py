"""Fault 14: a backup that is taken under load and restored knows every report acknowledged before it began."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.faults.exactly_once import Figures, other_errors, publish, services_of
from tests.faults.load import TRY_LATER, Respondents
from tests.running.server_process import ServerProcess
from tests.samples.surveys import make_report

from hushpoll_server.collect.batch import Stored
from hushpoll_server.operate.backup import backup, restore
from hushpoll_server.operate.reconcile import check
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import CONFLICT
from hushpoll_shared.report import Report


def ignore(_: int) -> None:
    """Ignore progress."""


def check_backups(
    server: ServerProcess, note: Callable[[Figures], None], folder: Path, *, backups: int, seconds: float
) -> None:
    """Take backups while respondents answer; restore each and compare it with what was promised."""
    manifest = publish(server)
    server.start()
    promised: list[set[str]] = []
    with services_of(server) as services:
        with Respondents(manifest, server.port) as respondents:
            for number in range(backups):
                respondents.recovery(time.monotonic())
                time.sleep(seconds)
                promised.append(set(respondents.acknowledged))
                backup(services.store, folder / f"{number}.backup", force=False, progress=ignore)
            # The server goes on: somebody is acknowledged after the last backup began.
            respondents.recovery(time.monotonic())
        server.stop()
        sent = {report.id: report for report in services.collect.reports(manifest.survey)}
    doubled, lost = 0, 0
    for number, before in enumerate(promised):
        counted, stored = check_restored(folder, number, manifest, sent)
        doubled += abs(counted - len(stored))
        lost += len(before - stored)
    note(
        Figures(
            fault="backup under load, restored",
            engine=server.engine,
            times=backups,
            inputs=respondents.statuses.total(),
            acknowledged=len(promised[-1]),
            lost=lost,
            doubled=doubled,
            try_later=respondents.statuses[TRY_LATER],
            other_5xx=other_errors(respondents.statuses),
        )
    )
    assert len(promised[0]) > 0
    assert lost == doubled == 0
    assert not respondents.unexpected


def check_restored(folder: Path, number: int, manifest: Manifest, sent: dict[str, Report]) -> tuple[int, set[str]]:
    """Restore a backup and send all of its reports again; return how many it counts and which it has."""
    copy = ServerProcess(folder / "restored", f"sqlite:///{folder / f'{number}.db'}")
    with services_of(copy) as restored:
        restore(restored.store, folder / f"{number}.backup", progress=ignore)
        stored = {report.id for report in restored.collect.reports(manifest.survey)}
        known = [sent[report_id].encode() for report_id in sorted(stored)]
        assert set(restored.collect.take(manifest.survey, known)) == {Stored.DUPLICATE}
        first = sent[min(stored)]
        other = make_report(manifest, *(1 - int(draw) for draw in first.draws.values()), report_id=first.id)
        assert restored.collect.take(manifest.survey, [other.encode()]) == [CONFLICT]
        found = check(restored.store, restored.surveys.rules(manifest.survey))
    assert found.is_right
    return found.reports, stored


def test_a_backup_under_load_holds_what_was_acknowledged_and_protects_against_replay(
    server: ServerProcess, note: Callable[[Figures], None], tmp_path: Path
) -> None:
    check_backups(server, note, tmp_path, backups=1, seconds=0.3)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_twenty_backups_under_load(server: ServerProcess, note: Callable[[Figures], None], tmp_path: Path) -> None:
    check_backups(server, note, tmp_path, backups=20, seconds=1)
