"""Compare the counters with a recount of the stored reports, and put them right when told to.

The laws here: what is compared is one state of the database. Nothing is changed unless that was asked for; a repair
says every change, and while it counts no batch can be stored for that survey.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from sqlmodel import Session, delete, select

from hushpoll_server.collect.counters import read_counts
from hushpoll_server.collect.draws import read_draws
from hushpoll_server.collect.models import PURGED, CounterRow, PurgeRow, ReportRow
from hushpoll_server.collect.tally import TOTAL, Counts, number_of_reports, tally
from hushpoll_server.store import Store
from hushpoll_server.surveys.models import SurveyRow
from hushpoll_server.surveys.service import Rules
from hushpoll_shared.designs import Draw
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import ProblemError

# In the place of a question's id: no id has this letter.
ALL_QUESTIONS = "*"
# Reports that are held in memory at once.
PART = 10_000


@dataclass(frozen=True)
class Difference:
    """A counter that is not what the stored reports say."""

    question: str
    cell: str
    stored: int
    recounted: int

    def may_be_purged(self, reports: int) -> bool:
        """Tell whether so many purged reports can be the reason: each counted for a cell once at most."""
        return 0 <= self.stored - self.recounted <= reports


@dataclass(frozen=True)
class Checked:
    """What a survey's counters and rows say about each other."""

    survey: str
    reports: int
    rows: int
    purged: int
    unreadable: int
    differences: tuple[Difference, ...]

    @property
    def is_right(self) -> bool:
        """Tell whether nothing speaks against the counters."""
        return not self.differences and not self.unreadable

    @property
    def can_be_repaired(self) -> bool:
        """Tell whether a recount knows better: it must have seen every report."""
        return not self.purged and not self.unreadable


def check(store: Store, rules: Rules) -> Checked:
    """Compare the counters of a survey with its rows and change nothing."""
    with store.reading() as session:
        return _compare(session, rules)


def repair(store: Store, rules: Rules) -> Checked:
    """Set the counters to what the rows say; give what was changed, or what stood against it."""
    with store.transaction() as session:
        # A batch holds a shared lock on this row until it is committed.
        session.get_one(SurveyRow, rules.manifest.survey, with_for_update=True)
        checked = _compare(session, rules)
        if checked.can_be_repaired:
            for difference in checked.differences:
                _set(session, checked.survey, difference)
        return checked


def _set(session: Session, survey: str, difference: Difference) -> None:
    # Whatever the slots hold, one of them is enough from now on; a cell that no report supports has none.
    question, cell, count = difference.question, difference.cell, difference.recounted
    session.exec(delete(CounterRow).filter_by(survey=survey, question=question, cell=cell))
    if count:
        session.add(CounterRow(survey=survey, question=question, cell=cell, count=count))


def _compare(session: Session, rules: Rules) -> Checked:
    manifest = rules.manifest
    stored, found = read_counts(session, manifest.survey), _recount(session, rules)
    purge = session.get(PurgeRow, manifest.survey) or PurgeRow(survey=manifest.survey, reports=0, ids=0)
    n = number_of_reports(manifest, stored)
    different = [each for each in _differences(stored, found.counts) if not each.may_be_purged(purge.reports)]
    if purge.reports and n != found.rows + purge.ids:
        different.insert(0, Difference(ALL_QUESTIONS, TOTAL, n, found.rows + purge.ids))
    # A row without draws is right only if a purge is on record.
    unreadable = found.unreadable + max(0, found.without_draws - (purge.reports - purge.ids))
    return Checked(manifest.survey, n, found.rows, purge.reports, unreadable, tuple(different))


def _differences(stored: Counts, recounted: Counts) -> list[Difference]:
    keys = sorted(stored.keys() | recounted.keys())
    return [Difference(*key, stored[key], recounted[key]) for key in keys if stored[key] != recounted[key]]


@dataclass
class _Found:
    counts: Counts = field(default_factory=Counts)
    rows: int = 0
    without_draws: int = 0
    unreadable: int = 0


def _recount(session: Session, rules: Rules) -> _Found:
    found = _Found()
    draws = _readable(session, rules.manifest, found)
    while part := list(islice(draws, PART)):
        found.counts.update(tally(rules.manifest, part, rules.crossed))
    return found


def _readable(session: Session, manifest: Manifest, found: _Found) -> Iterator[Mapping[str, Draw]]:
    """Give the draws of each row that has some, and count the others."""
    query = select(ReportRow.draws).where(ReportRow.survey == manifest.survey).execution_options(yield_per=PART)
    for draws in session.exec(query):
        found.rows += 1
        if draws == PURGED:
            found.without_draws += 1
            continue
        try:
            yield read_draws(draws, manifest)
        except ProblemError:
            found.unreadable += 1
