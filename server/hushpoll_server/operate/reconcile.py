"""Compare the counters with a recount of the stored reports, and repair them on request.

The rules here: what is compared is one state of the database. Nothing is changed unless that was requested; a repair
reports every change, and while it counts, no batch can be stored for that survey.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from sqlmodel import Session, delete, select

from hushpoll_server.collect.counters import read_grouped_counts
from hushpoll_server.collect.days import forget_days, possible_sum, read_days
from hushpoll_server.collect.models import PURGED, CounterRow, PurgeRow, ReportRow
from hushpoll_server.counting.stored_draws import read_draws
from hushpoll_server.counting.tally import GroupedCounts, add_counts, counts_of, number_of_reports, tally_groups
from hushpoll_server.mechanisms.mechanism import TOTAL
from hushpoll_server.sharing.public_results import forget_counts
from hushpoll_server.store import Store
from hushpoll_server.surveys.models import SurveyRow
from hushpoll_server.surveys.service import Rules
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Draw
from hushpoll_shared.problems import ProblemError

# Used in place of a question's id: no id contains this character.
ALL_QUESTIONS = "*"
# Named like a counter: how many reports were counted by day.
DAYS = "days"
# The most reports that are held in memory at once.
PART_REPORTS = 10_000


@dataclass(frozen=True)
class Difference:
    """A counter that is not what the stored reports say."""

    question: str
    counter: str
    stored: int
    recounted: int
    groups: str = ""

    def to_json(self) -> dict[str, object]:
        """Return the fields by name; in JSON the counter is called `cell`. Without groups none are named."""
        groups = {"groups": self.groups} if self.groups else {}
        names = {"question": self.question, **groups, "cell": self.counter}
        return {**names, "stored": self.stored, "recounted": self.recounted}

    def may_be_purged(self, reports: int) -> bool:
        """Return whether purged reports can be the reason, given how many there were: each counts at most once."""
        return 0 <= self.stored - self.recounted <= reports


@dataclass(frozen=True)
class Checked:
    """The result of comparing a survey's counters with its rows."""

    survey: str
    reports: int
    rows: int
    purged: int
    unreadable: int
    differences: tuple[Difference, ...]

    @property
    def is_right(self) -> bool:
        """Return whether no error was found in the counters."""
        return not self.differences and not self.unreadable

    @property
    def can_be_repaired(self) -> bool:
        """Return whether a recount can replace the counters: it must have seen every report."""
        return not self.purged and not self.unreadable


def check(store: Store, rules: Rules) -> Checked:
    """Compare the counters of a survey with its rows and change nothing."""
    with store.reading() as session:
        return _compare(session, rules)


def repair(store: Store, rules: Rules) -> Checked:
    """Set the counters to what the rows say; return what was changed, or why it could not be."""
    with store.transaction() as session:
        # A batch holds a shared lock on this row until it is committed.
        session.get_one(SurveyRow, rules.manifest.survey, with_for_update=True)
        checked = _compare(session, rules)
        if checked.can_be_repaired:
            for difference in checked.differences:
                _set(session, checked.survey, difference)
            if checked.differences:
                forget_counts(session, checked.survey)
        return checked


def _set(session: Session, survey: str, difference: Difference) -> None:
    question, groups, name, count = difference.question, difference.groups, difference.counter, difference.recounted
    if (question, name) == (ALL_QUESTIONS, DAYS):
        forget_days(session, survey, count)
        return
    # All shards are replaced by one; a counter of zero needs none.
    session.exec(delete(CounterRow).filter_by(survey=survey, question=question, groups=groups, name=name))
    if count:
        session.add(CounterRow(survey=survey, question=question, groups=groups, name=name, count=count))


def _compare(session: Session, rules: Rules) -> Checked:
    manifest = rules.manifest
    stored, recount = read_grouped_counts(session, manifest.survey), _recount(session, rules)
    purge = session.get(PurgeRow, manifest.survey) or PurgeRow(survey=manifest.survey, reports=0, ids=0)
    n = number_of_reports(manifest, counts_of(stored.values()))
    differences = [each for each in _differences(stored, recount.counts) if not each.may_be_purged(purge.reports)]
    if purge.reports and n != recount.rows + purge.ids:
        differences.insert(0, Difference(ALL_QUESTIONS, TOTAL, n, recount.rows + purge.ids))
    differences += _wrong_days(session, manifest.survey, recount.rows + purge.ids)
    # A row without draws is right only if a purge is on record.
    unreadable = recount.unreadable + max(0, recount.without_draws - (purge.reports - purge.ids))
    return Checked(manifest.survey, n, recount.rows, purge.reports, unreadable, tuple(differences))


def _wrong_days(session: Session, survey: str, reports: int) -> list[Difference]:
    stored = read_days(session, survey)
    counted, possible = sum(stored.values()), possible_sum(stored, reports)
    return [Difference(ALL_QUESTIONS, DAYS, counted, possible)] if counted != possible else []


def _differences(stored: GroupedCounts, recounted: GroupedCounts) -> list[Difference]:
    one, other = _flat(stored), _flat(recounted)
    return [
        Difference(*key[:2], one[key], other[key], key[2])
        for key in sorted(one.keys() | other.keys())
        if one[key] != other[key]
    ]


def _flat(counts: GroupedCounts) -> Counter[tuple[str, str, str]]:
    """Return all counters by question, name and code of groups."""
    return Counter(
        {
            (question, name, groups): number
            for groups, by_question in counts.items()
            for question, counters in by_question.items()
            for name, number in counters.items()
        }
    )


@dataclass
class _Recount:
    counts: GroupedCounts = field(default_factory=dict)
    rows: int = 0
    without_draws: int = 0
    unreadable: int = 0


def _recount(session: Session, rules: Rules) -> _Recount:
    recount = _Recount()
    rows = _readable(session, rules.manifest, recount)
    while part := list(islice(rows, PART_REPORTS)):
        for groups, counts in tally_groups(rules.manifest, part, rules.crossed).items():
            add_counts(recount.counts.setdefault(groups, {}), counts)
    return recount


class _Row(NamedTuple):
    draws: Mapping[str, Draw]
    groups: str


def _readable(session: Session, manifest: Manifest, recount: _Recount) -> Iterator[_Row]:
    """Yield what each row with draws says, and count the others."""
    query = select(ReportRow.draws, ReportRow.groups).where(ReportRow.survey == manifest.survey)
    codes = manifest.groups.codes if manifest.groups else {""}
    for draws, groups in session.exec(query.execution_options(yield_per=PART_REPORTS)):
        recount.rows += 1
        if draws == PURGED:
            recount.without_draws += 1
            continue
        try:
            row = _Row(read_draws(draws, manifest), groups)
        except ProblemError:
            row = None
        if row is None or groups not in codes:
            recount.unreadable += 1
        else:
            yield row
