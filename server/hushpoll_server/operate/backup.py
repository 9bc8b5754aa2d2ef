"""Write a backup while the server goes on accepting reports, and fill an empty instance from one.

The rules here: a backup is one state of the database, so it contains whatever was acknowledged before it began, with
its counters. Rows are written in the order of their keys, which says nothing about their arrival. A file that has its
final name is complete. An instance with data is never overwritten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from itertools import groupby, islice
from pathlib import Path

from sqlalchemy import Table
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session, func, insert, select

from hushpoll_server.operate.backup_file import TABLES, BackupWriter, BadBackup, Row, read_rows
from hushpoll_server.store import Store
from hushpoll_server.store.files import FileThere, whole_file
from hushpoll_server.surveys.models import CrossTableRow, SurveyRow
from hushpoll_shared.errors import HushpollError, InvalidValue, ManifestRefused
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.signing import verify

# The most rows that are held in memory at once.
PART_ROWS = 2_000
NOTHING_RESTORED = "nothing was restored: check the database, and take another copy of the file"

Progress = Callable[[int], None]


class NotEmpty(HushpollError):
    """An instance that already holds data."""


def rows_of(store: Store) -> int:
    """Return how many rows a backup would have now."""
    with store.reading() as session:
        return _count(session)


def backup(store: Store, path: Path, *, force: bool, progress: Progress) -> int:
    """Write one state of the database to a new file; return the number of rows."""
    if path.exists() and not force:
        raise FileThere(f"{path} already exists: choose another name, or add --force to replace it")
    if not path.parent.is_dir():
        raise InvalidValue(f"there is no folder {path.parent}: make it first, or choose another")
    with whole_file(path, replace=force) as file, store.reading() as session:
        writer = BackupWriter(file)
        for table in TABLES.values():
            _write_table(session, writer, table, progress)
        writer.end()
    return writer.rows


def restore(store: Store, path: Path, *, progress: Progress) -> int:
    """Fill an empty instance and return the number of rows; nothing is stored unless the file proves complete."""
    with store.transaction() as session:
        if _count(session):
            raise NotEmpty("this instance holds data: restore into an empty one (another HUSHPOLL_DB or --db)")
        try:
            rows = _fill(session, path, progress)
        except (SQLAlchemyError, ValueError) as error:
            raise BadBackup(
                f"the database did not accept this backup ({type(error).__name__}), {NOTHING_RESTORED}"
            ) from None
        _check_surveys(session)
    return rows


def _write_table(session: Session, writer: BackupWriter, table: Table, progress: Progress) -> None:
    writer.table(table)
    query = table.select().order_by(*table.primary_key).execution_options(yield_per=PART_ROWS)
    for part in session.connection().execute(query).partitions():
        for row in part:
            writer.row(tuple(row))
        progress(len(part))


def _fill(session: Session, path: Path, progress: Progress) -> int:
    total = 0
    # Closed here, also when the database refuses a row: otherwise the file stays open until it is garbage collected.
    with closing(read_rows(path)) as all_rows:
        for name, rows in groupby(all_rows, key=lambda item: item[0]):
            for part in _parts(row for _, row in rows):
                session.connection().execute(insert(TABLES[name]), part)
                progress(len(part))
                total += len(part)
    return total


def _parts(rows: Iterable[Row]) -> Iterator[list[Row]]:
    remaining = iter(rows)
    while part := list(islice(remaining, PART_ROWS)):
        yield part


def _check_surveys(session: Session) -> None:
    # The hash finds damage but not tampering; the signatures must still match.
    for name, envelope in session.exec(select(SurveyRow.name, SurveyRow.envelope)).all():
        manifest = _signed(envelope)
        if manifest is None or manifest.survey != name:
            raise BadBackup(f"the signature of the survey {name} is not valid, {NOTHING_RESTORED}")
        asked = {question.id for question in manifest.questions}
        pairs = session.exec(select(CrossTableRow).where(CrossTableRow.survey == name))
        if not all({pair.first, pair.second} <= asked for pair in pairs):
            raise BadBackup(f"the survey {name} crosses questions that it does not ask, {NOTHING_RESTORED}")


def _signed(envelope: bytes) -> Manifest | None:
    try:
        return verify(envelope)
    except ManifestRefused:
        return None


def _count(session: Session) -> int:
    counts = (select(func.count()).select_from(table) for table in TABLES.values())
    return sum(session.exec(count).one() for count in counts)
