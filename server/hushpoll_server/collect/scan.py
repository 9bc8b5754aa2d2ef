"""Read of all stored reports only what a table or a regression needs: the groups' code and the draws to some questions.

All draws to a question have the same length, so each is at the same place in every row. The database cuts them out and
no row is parsed. The rule here: one state of the database, and memory that does not depend on the number of reports;
what is not a draw of its question is refused, however it came into the table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

from sqlalchemy import ColumnElement, func, select
from sqlmodel import col

from hushpoll_server.collect.models import PurgeRow, ReportRow
from hushpoll_server.counting.combinations import REPORTS_AT_A_TIME, Combination, Times
from hushpoll_server.counting.stored_draws import places_of
from hushpoll_server.store import Store
from hushpoll_shared.errors import HushpollError
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import WRONG_ANSWERS, ProblemError
from hushpoll_shared.questions import Question

# Is told how many more reports were read.
Progress = Callable[[int], object]


class ReportsPurged(HushpollError):
    """Reports that cannot be read because their draws were purged."""

    @classmethod
    def of(cls, purge: PurgeRow, cure: str) -> ReportsPurged:
        """Say how many are gone, why the others are not enough, and what is still there."""
        return cls(
            f"the draws of {purge.reports:,} reports to {purge.survey} were purged: the rest would give different "
            f"figures than the dashboard. {cure}"
        )


@dataclass(frozen=True)
class StoredReports:
    """The reports to a survey in the database: all, or those with one of some codes of groups."""

    store: Store
    manifest: Manifest
    codes: frozenset[str] | None = None
    progress: Progress = lambda _: None

    def combinations(self, questions: Sequence[Question]) -> Iterator[Times]:
        """Yield how often each combination of draws to these questions occurs, part by part."""
        columns = _Columns(self.manifest, questions)
        query = select(columns.text).where(col(ReportRow.survey) == self.manifest.survey)
        if self.codes is not None:
            query = query.where(col(ReportRow.groups).in_(self.codes))
        with self.store.reading() as session:
            if (purge := session.get(PurgeRow, self.manifest.survey)) is not None:
                raise ReportsPurged.of(purge, "The estimates of single questions are still there")
            connection = session.connection().execution_options(yield_per=REPORTS_AT_A_TIME)
            # A scan may end before all rows are read, and PostgreSQL's cursor must be closed then.
            with connection.execute(query) as result:
                for texts in result.scalars().partitions():
                    yield Counter({columns.read(text): number for text, number in Counter(texts).items()})
                    self.progress(len(texts))


@dataclass(frozen=True)
class _Columns:
    """The groups' code and the draws to some questions, each draw between its quotation marks, as one text."""

    manifest: Manifest
    questions: Sequence[Question]

    @property
    def text(self) -> ColumnElement[str]:
        """Return the text as the database puts it together."""
        places = places_of(self.manifest)
        cut = [_between_marks(places[question.id]) for question in self.questions]
        return col(ReportRow.groups).concat(reduce(lambda first, second: first.concat(second), cut))

    def read(self, text: str) -> Combination:
        """Return the code and the draws, if that is what they are."""
        code, *parts = text.split('"')
        draws, between = parts[::2], parts[1::2]
        is_whole = len(draws) == len(between) == len(self.questions) and not any(between)
        if not is_whole or not all(map(self._is_draw, self.questions, draws)):
            raise ProblemError(WRONG_ANSWERS)
        return code, *draws

    def _is_draw(self, question: Question, draw: str) -> bool:
        return question.design.is_draw(draw) or (self.manifest.ask is not None and draw == question.design.blank)


def _between_marks(place: slice) -> ColumnElement[str]:
    """Return a draw with the quotation marks around it."""
    # SQL counts from 1, so this begins one character before the draw.
    draw: ColumnElement[str] = func.substr(ReportRow.draws, place.start, place.stop - place.start + 2)
    return draw
