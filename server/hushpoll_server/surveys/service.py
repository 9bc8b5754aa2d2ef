"""Publish, find and close surveys.

The law here: a manifest never changes after publication. Publishing the same file again is no change; publishing
another one under the same name is refused. Nor do the cross tables that are counted beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlmodel import Session, select

from hushpoll_server.collect.origins import DISK
from hushpoll_server.collect.tally import Crossed
from hushpoll_server.store import Store
from hushpoll_server.store.statements import insert_new
from hushpoll_server.surveys.models import CrossTableRow, DiskFormRow, SurveyRow
from hushpoll_shared import problems
from hushpoll_shared.checks import is_name
from hushpoll_shared.errors import HushpollError
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import ProblemError
from hushpoll_shared.signing import SigningKey, key_of, sign, verify

Phase = Literal["not-open", "open", "closed"]


class NameTaken(HushpollError):
    """Say that another survey was published under this name."""


def phase(manifest: Manifest, now: datetime, *, closed: bool) -> Phase:
    """Tell whether a survey takes reports at this time."""
    if closed or (manifest.closes and now >= manifest.closes):
        return "closed"
    if manifest.opens and now < manifest.opens:
        return "not-open"
    return "open"


@dataclass(frozen=True)
class PublishedSurvey:
    """A survey that respondents can find."""

    name: str
    manifest: Manifest
    envelope: bytes
    key: str
    closed: bool

    def phase(self, now: datetime) -> Phase:
        """Tell whether reports are taken at this time."""
        return phase(self.manifest, now, closed=self.closed)


@dataclass(frozen=True)
class Rules:
    """What the reports of a survey are checked against, and what is counted of them."""

    manifest: Manifest
    crossed: tuple[Crossed, ...] = ()
    from_disk: bool = False

    @property
    def origins(self) -> frozenset[str]:
        """Return the origins of other servers' pages that may send reports."""
        return frozenset([*self.manifest.hosts, *([DISK] if self.from_disk else [])])


class SurveyService:
    """The surveys of one instance."""

    def __init__(self, store: Store) -> None:
        """Work on this database."""
        self._store = store
        # Manifests never change, so what was verified once stays verified.
        self._manifests: dict[str, Manifest] = {}
        self._crossed: dict[str, tuple[Crossed, ...]] = {}
        self._from_disk: dict[str, bool] = {}

    def publish(
        self, manifest: Manifest, key: SigningKey, crossed: Sequence[Crossed] = (), *, from_disk: bool = False
    ) -> PublishedSurvey:
        """Sign and store a survey; the same one again is no error."""
        return self.publish_signed(sign(manifest, key), crossed, from_disk=from_disk)

    def publish_signed(
        self, envelope: bytes, crossed: Sequence[Crossed] = (), *, from_disk: bool = False
    ) -> PublishedSurvey:
        """Store a survey that its publisher has signed, here or elsewhere; the same one again is no error."""
        # What a client would refuse must not be stored: it could never be taken back.
        manifest, key = verify(envelope), key_of(envelope)
        row = (manifest.survey, manifest.id, envelope, key, False)
        with self._store.writing() as connection:
            if insert_new(connection, SurveyRow, [row]):
                insert_new(connection, CrossTableRow, [(manifest.survey, *pair) for pair in crossed])
                insert_new(connection, DiskFormRow, [(manifest.survey,)] if from_disk else [])
        published = self.get(manifest.survey)
        if published.manifest.id != manifest.id:
            raise NameTaken(
                f"a different survey is published as {manifest.survey}: a survey never changes, choose another name"
            )
        if set(self.crossed(manifest.survey)) != set(crossed):
            raise NameTaken(
                f"{manifest.survey} is published with other cross tables, which are counted from the first report on: "
                "keep them, or choose another name. hushpoll estimate --cross makes any table from exported reports"
            )
        if self.allows_disk(manifest.survey) != from_disk:
            raise NameTaken(
                f"{manifest.survey} is published with another from_disk, which files that people kept rely on: leave "
                "it as it was, or choose another name"
            )
        return published

    def get(self, name: str) -> PublishedSurvey:
        """Find a survey by its name."""
        row = self._row(name)
        if row is None:
            raise ProblemError(problems.UNKNOWN_SURVEY)
        return self._published(row)

    def manifest(self, name: str) -> Manifest:
        """Find a survey's manifest, from memory when it was found before."""
        return self._manifests.get(name) or self.get(name).manifest

    def rules(self, name: str) -> Rules:
        """Find what the reports of a survey are checked against."""
        return Rules(self.manifest(name), self.crossed(name), self.allows_disk(name))

    def allows_disk(self, name: str) -> bool:
        """Tell whether a survey takes reports from a form that was opened from a disk."""
        if name not in self._from_disk:
            self.manifest(name)
            with self._store.reading() as session:
                self._from_disk[name] = session.get(DiskFormRow, name) is not None
        return self._from_disk[name]

    def crossed(self, name: str) -> tuple[Crossed, ...]:
        """Find the questions that a survey crosses, in the manifest's order, from memory when found before."""
        if name not in self._crossed:
            order = [question.id for question in self.manifest(name).questions]
            with self._store.reading() as session:
                found = _crossed(session, name)
            self._crossed[name] = tuple(sorted(found, key=lambda pair: tuple(map(order.index, pair))))
        return self._crossed[name]

    def list(self) -> list[PublishedSurvey]:
        """Give all surveys, by name."""
        with self._store.reading() as session:
            rows = session.exec(select(SurveyRow).order_by(SurveyRow.name)).all()
        return [self._published(row) for row in rows]

    def close(self, name: str) -> None:
        """Stop taking reports for good."""
        self.get(name)
        with self._store.transaction() as session:
            session.get_one(SurveyRow, name, with_for_update=True).closed = True

    def _row(self, name: str) -> SurveyRow | None:
        # A name that no survey can have must not reach the database, which may refuse its letters.
        if not is_name(name):
            return None
        with self._store.reading() as session:
            return session.get(SurveyRow, name)

    def _published(self, row: SurveyRow) -> PublishedSurvey:
        if row.name not in self._manifests:
            self._manifests[row.name] = verify(row.envelope)
        manifest = self._manifests[row.name]
        return PublishedSurvey(row.name, manifest, row.envelope, row.key, row.closed)


def _crossed(session: Session, name: str) -> list[Crossed]:
    query = select(CrossTableRow.first, CrossTableRow.second).where(CrossTableRow.survey == name)
    return [(first, second) for first, second in session.exec(query)]
