"""A backup is one state, whole or not there; what is restored knows every report that was taken."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from sqlmodel import SQLModel, col, update
from tests.samples.surveys import KEY, make_report, two_questions

from hushpoll_server.collect.batch import Stored
from hushpoll_server.collect.models import CounterRow
from hushpoll_server.estimate.options import Options
from hushpoll_server.operate import backup as backup_module
from hushpoll_server.operate.backup import NotEmpty, backup, restore, rows_of
from hushpoll_server.operate.backup_file import LEFT_OUT, TABLES, column_types, count_rows
from hushpoll_server.operate.purge import purge
from hushpoll_server.operate.reconcile import check
from hushpoll_server.services import Services
from hushpoll_server.store.files import FileThere
from hushpoll_server.surveys.service import Rules
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.problems import CONFLICT
from hushpoll_shared.report import Report


def ignore(_: int) -> None:
    """Ignore progress."""


def test_every_table_is_in_a_backup_but_what_opens_pages() -> None:
    assert (
        set(SQLModel.metadata.tables) - set(TABLES) == {"sign_in_link", "researcher_session", "share_link"} == LEFT_OUT
    )


def test_a_restored_backup_revives_neither_a_link_nor_a_session(
    services: Services, blank: Services, tmp_path: Path
) -> None:
    services.researchers.add("ada@example.org")
    spent, unused = (services.researchers.new_link("ada@example.org") for _ in range(2))
    session = services.sessions.sign_in(spent)
    assert session is not None
    backup(services.store, tmp_path / "signed-in", force=False, progress=ignore)
    restore(blank.store, tmp_path / "signed-in", progress=ignore)
    assert blank.researchers.get("ada@example.org") == services.researchers.get("ada@example.org")
    assert blank.sessions.researcher_of(session.secret) is None
    assert [blank.sessions.sign_in(link) for link in (spent, unused)] == [None, None]


def test_every_column_of_a_backup_has_a_kind() -> None:
    kinds = {kind.name for table in TABLES.values() for kind in column_types(table).values()}
    assert kinds == {"bytes", "boolean", "integer", "text"}


def test_a_backup_fills_an_empty_instance_of_either_engine(
    services: Services, reports: list[Report], file: Path, empty: Services
) -> None:
    assert restore(empty.store, file, progress=ignore) == rows_of(services.store)
    assert empty.collect.reports("campus") == services.collect.reports("campus")
    assert empty.collect.counts("campus") == services.collect.counts("campus")
    assert empty.surveys.list() == services.surveys.list()
    assert empty.researchers.list() == services.researchers.list()
    assert empty.results.results(empty.results.read("campus"), Options()) == services.results.results(
        services.results.read("campus"), Options()
    )
    assert check(empty.store, Rules(two_questions())).is_right
    assert len(reports) == check(empty.store, Rules(two_questions())).reports


def test_cross_tables_and_their_counters_are_in_a_backup(
    services: Services, reports: list[Report], blank: Services, tmp_path: Path
) -> None:
    assert reports
    crossed = two_questions(survey="crossed")
    services.surveys.publish(crossed, KEY, [("cheated", "helped")])
    services.collect.take("crossed", [make_report(crossed, 1, 1).encode() for _ in range(3)])
    backup(services.store, tmp_path / "crossed", force=False, progress=ignore)
    restore(blank.store, tmp_path / "crossed", progress=ignore)
    assert blank.surveys.rules("crossed") == services.surveys.rules("crossed")
    assert blank.collect.counts("crossed")["cheated,helped"]["1,1"] == 3
    assert check(blank.store, blank.surveys.rules("crossed")).is_right


def test_a_second_backup_after_a_restore_holds_the_same_bytes(file: Path, empty: Services, tmp_path: Path) -> None:
    restore(empty.store, file, progress=ignore)
    backup(empty.store, tmp_path / "again", force=False, progress=ignore)
    assert (tmp_path / "again").read_bytes() == file.read_bytes()


def test_replay_protection_survives(reports: list[Report], file: Path, empty: Services) -> None:
    restore(empty.store, file, progress=ignore)
    first = reports[0]
    draws = [1 - int(draw) for draw in first.draws.values()]
    other = make_report(two_questions(), *draws, report_id=first.id)
    new = make_report(two_questions())
    bodies = [first.encode(), other.encode(), new.encode()]
    assert empty.collect.take("campus", bodies) == [Stored.DUPLICATE, CONFLICT, Stored.ACCEPTED]
    assert check(empty.store, Rules(two_questions())).is_right


def test_a_purge_survives(services: Services, reports: list[Report], blank: Services, tmp_path: Path) -> None:
    purge(services.store, two_questions(), services.clock(), ended=False, progress=ignore)
    backup(services.store, tmp_path / "purged", force=False, progress=ignore)
    restore(blank.store, tmp_path / "purged", progress=ignore)
    found = check(blank.store, Rules(two_questions()))
    assert found.is_right
    assert found.purged == len(reports)
    assert blank.collect.take("campus", [reports[0].encode()]) == [Stored.DUPLICATE]


def test_wrong_counters_are_kept_as_they_were(
    services: Services, reports: list[Report], blank: Services, tmp_path: Path
) -> None:
    assert reports
    with services.store.transaction() as session:
        session.exec(update(CounterRow).where(col(CounterRow.name) == "n").values(count=3))
    backup(services.store, tmp_path / "wrong", force=False, progress=ignore)
    restore(blank.store, tmp_path / "wrong", progress=ignore)
    assert blank.collect.counts("campus")["cheated"]["n"] == 3
    assert not check(blank.store, Rules(two_questions())).is_right


def test_what_is_stored_while_a_backup_is_written_is_wholly_in_it_or_not_at_all(
    services: Services, reports: list[Report], blank: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backup_module, "PART_ROWS", 5)

    def take_one(_: int) -> None:
        services.collect.take("campus", [make_report(two_questions()).encode()])

    backup(services.store, tmp_path / "busy", force=False, progress=take_one)
    restore(blank.store, tmp_path / "busy", progress=ignore)
    assert services.collect.number_of_reports("campus") > len(reports)
    assert {report.id for report in blank.collect.reports("campus")} == {report.id for report in reports}
    assert check(blank.store, Rules(two_questions())).is_right


def test_only_its_owner_can_read_a_backup(file: Path) -> None:
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_backup_holds_no_key(file: Path) -> None:
    assert KEY.to_pem() not in file.read_bytes()
    assert "PRIVATE" not in file.read_text()


def test_a_file_is_replaced_only_by_force(services: Services, file: Path) -> None:
    file.write_text("precious")
    with pytest.raises(FileThere, match="add --force"):
        backup(services.store, file, force=False, progress=ignore)
    assert file.read_text() == "precious"
    backup(services.store, file, force=True, progress=ignore)
    assert count_rows(file) == rows_of(services.store)


def test_a_folder_that_is_not_there_is_named(services: Services, tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match=r"there is no folder .*nowhere: make it first"):
        backup(services.store, tmp_path / "nowhere" / "file", force=False, progress=ignore)


def test_a_file_that_appears_meanwhile_is_not_replaced(
    services: Services, reports: list[Report], tmp_path: Path
) -> None:
    assert reports
    path = tmp_path / "late"
    with pytest.raises(FileThere, match="in the meantime"):
        backup(services.store, path, force=False, progress=lambda _: path.touch())
    assert path.read_bytes() == b""


def test_a_backup_that_fails_leaves_no_file(services: Services, reports: list[Report], tmp_path: Path) -> None:
    assert reports

    def fail(_: int) -> None:
        raise OSError(28, os.strerror(28))

    folder = tmp_path / "target"
    folder.mkdir()
    with pytest.raises(OSError, match="No space left"):
        backup(services.store, folder / "file", force=False, progress=fail)
    assert list(folder.iterdir()) == []


def test_an_instance_with_data_is_not_written_over(services: Services, file: Path) -> None:
    before = services.collect.counts("campus")
    with pytest.raises(NotEmpty, match="restore into an empty one"):
        restore(services.store, file, progress=ignore)
    assert services.collect.counts("campus") == before


def test_an_instance_with_a_researcher_and_no_survey_is_not_empty(file: Path, blank: Services) -> None:
    blank.researchers.add("bob@example.org")
    with pytest.raises(NotEmpty):
        restore(blank.store, file, progress=ignore)
