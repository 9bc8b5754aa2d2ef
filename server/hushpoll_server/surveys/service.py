"""Publish, find and close surveys.

The rule here: a manifest never changes after publication, nor does what was published beside it. Publishing
the same survey again changes nothing; publishing another one under the same name is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlmodel import Session, select

from hushpoll_server.counting.crossed import Crossed
from hushpoll_server.estimate.options import FEWEST_REPORTS
from hushpoll_server.store import Store
from hushpoll_server.store.statements import insert_new
from hushpoll_server.surveys.models import CrossTableRow, SurveyRow
from hushpoll_server.web.origins import DISK
from hushpoll_shared import problems
from hushpoll_shared.checks import is_name
from hushpoll_shared.errors import HushpollError
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import ProblemError
from hushpoll_shared.signing import SigningKey, key_of, sign, verify

Phase = Literal["not-open", "open", "closed"]


class NameTaken(HushpollError):
    """A name under which a different survey was published."""


def phase(manifest: Manifest, now: datetime, *, closed: bool) -> Phase:
    """Return whether a survey accepts reports at this time."""
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
    from_disk: bool
    closed: bool
    minimum_reports: int = FEWEST_REPORTS


@dataclass(frozen=True)
class Rules:
    """What the reports of a survey are checked against, and what is counted from them."""

    manifest: Manifest
    crossed: tuple[Crossed, ...] = ()
    from_disk: bool = False

    @property
    def origins(self) -> frozenset[str]:
        """Return the origins of other servers' pages that may send reports."""
        return frozenset([*self.manifest.hosts, *([DISK] if self.from_disk else [])])


class SurveyService:
    """The surveys of one instance."""

    def __init__(self, store: Store, clock: Callable[[], datetime]) -> None:
        """Work on this database, by this clock."""
        self._store, self._clock = store, clock
        # Manifests never change, so what was verified once stays verified.
        self._manifests: dict[str, Manifest] = {}
        self._crossed: dict[str, tuple[Crossed, ...]] = {}

    def publish(
        self,
        manifest: Manifest,
        key: SigningKey,
        crossed: Sequence[Crossed] = (),
        *,
        from_disk: bool = False,
        minimum_reports: int = FEWEST_REPORTS,
    ) -> PublishedSurvey:
        """Sign and store a survey; publishing the same one again is not an error."""
        envelope = sign(manifest, key)
        return self.publish_signed(envelope, crossed, from_disk=from_disk, minimum_reports=minimum_reports)

    def publish_signed(
        self,
        envelope: bytes,
        crossed: Sequence[Crossed] = (),
        *,
        from_disk: bool = False,
        minimum_reports: int = FEWEST_REPORTS,
    ) -> PublishedSurvey:
        """Store a survey that its publisher has signed, here or elsewhere; the same one again is not an error."""
        # What a client would refuse must not be stored, because it could never be withdrawn.
        manifest, key = verify(envelope), key_of(envelope)
        row = (manifest.survey, manifest.id, envelope, key, from_disk, False, minimum_reports)
        with self._store.writing() as connection:
            if insert_new(connection, SurveyRow, [row]):
                insert_new(connection, CrossTableRow, [(manifest.survey, *pair) for pair in crossed])
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
        if published.from_disk != from_disk:
            raise NameTaken(
                f"{manifest.survey} is published with a different from_disk, on which saved forms rely: leave it as it "
                "was, or choose another name"
            )
        if published.minimum_reports != minimum_reports:
            raise NameTaken(
                f"{manifest.survey} is published with minimum_reports: {published.minimum_reports}, so that nobody can "
                "lower it after a look at the figures: leave it as it was, or choose another name"
            )
        return published

    def get(self, name: str) -> PublishedSurvey:
        """Return the survey of this name."""
        row = self._row(name)
        if row is None:
            raise ProblemError(problems.UNKNOWN_SURVEY)
        return self._published(row)

    def now(self) -> datetime:
        """Return the time by the clock of the instance."""
        return self._clock()

    def phase(self, survey: PublishedSurvey) -> Phase:
        """Return whether a survey accepts reports now."""
        return phase(survey.manifest, self._clock(), closed=survey.closed)

    def manifest(self, name: str) -> Manifest:
        """Return a survey's manifest, from memory if it was read before."""
        return self._manifests.get(name) or self.get(name).manifest

    def rules(self, name: str) -> Rules:
        """Return what the reports of a survey are checked against."""
        published = self.get(name)
        return Rules(published.manifest, self.crossed(name), published.from_disk)

    def crossed(self, name: str) -> tuple[Crossed, ...]:
        """Return the questions that a survey crosses, in the manifest's order, from memory if they were read before."""
        if name not in self._crossed:
            order = [question.id for question in self.manifest(name).questions]
            with self._store.reading() as session:
                pairs = _crossed(session, name)
            self._crossed[name] = tuple(sorted(pairs, key=lambda pair: tuple(map(order.index, pair))))
        return self._crossed[name]

    def list(self) -> list[PublishedSurvey]:
        """Return all surveys, by name."""
        with self._store.reading() as session:
            rows = session.exec(select(SurveyRow).order_by(SurveyRow.name)).all()
        return [self._published(row) for row in rows]

    def close(self, name: str) -> None:
        """Stop accepting reports for good."""
        self.get(name)
        with self._store.transaction() as session:
            session.get_one(SurveyRow, name, with_for_update=True).closed = True

    def _row(self, name: str) -> SurveyRow | None:
        # A name that no survey can have must not reach the database, which may refuse its characters.
        if not is_name(name):
            return None
        with self._store.reading() as session:
            return session.get(SurveyRow, name)

    def _published(self, row: SurveyRow) -> PublishedSurvey:
        if row.name not in self._manifests:
            self._manifests[row.name] = verify(row.envelope)
        manifest = self._manifests[row.name]
        return PublishedSurvey(
            row.name, manifest, row.envelope, row.key, row.from_disk, row.closed, row.minimum_reports
        )


def _crossed(session: Session, name: str) -> list[Crossed]:
    query = select(CrossTableRow.first, CrossTableRow.second).where(CrossTableRow.survey == name)
    return [(first, second) for first, second in session.exec(query)]
