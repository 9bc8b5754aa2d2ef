"""Reports as tables and regressions need them: how often each combination of draws to a few questions occurs.

A table of two questions does not need the other forty-eight. Whoever has the reports says how often each combination
occurs among some of them, and so on until all were read: rows of a database say so from a few characters each, reports
in memory one by one. The rule here: every report is in one part, and no part is larger than `REPORTS_AT_A_TIME`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Protocol, runtime_checkable

from hushpoll_server.counting.tally import Drawn, SurveyCounts, count_draws, count_pairs, joint_name
from hushpoll_shared.mechanisms import Draw
from hushpoll_shared.questions import Question

# The code of the public groups, then the draw to each question.
Combination = tuple[str, ...]
Times = Counter[Combination]

REPORTS_AT_A_TIME = 50_000


@runtime_checkable
class Combined(Protocol):
    """Reports that are read by their combinations."""

    def combinations(self, questions: Sequence[Question]) -> Iterator[Times]:
        """Yield how often each combination of draws to these questions occurs, for all reports, part by part."""


# What can be tabulated; plain reports are read one by one.
Reports = Combined | Iterable[Drawn]


def combinations_of(reports: Reports, questions: Sequence[Question]) -> Iterator[Times]:
    """Return the combinations of reports, wherever they are."""
    if isinstance(reports, Combined):
        return reports.combinations(questions)
    return _one_by_one(reports, [question.id for question in questions])


def joined(parts: Iterable[Times], *, most: int) -> Iterator[Times]:
    """Join parts until they have this many combinations: what is equal is then worked on once."""
    times: Times = Counter()
    for part in parts:
        times.update(part)
        if len(times) >= most:
            yield times
            times = Counter()
    if times:
        yield times


def column(times: Mapping[Combination, int], place: int) -> list[str]:
    """Return the code of the groups (place 0), or the draws to the question at a place, of each combination."""
    return [combination[place] for combination in times]


def tally_combinations(questions: Sequence[Question], times: Times) -> SurveyCounts:
    """Return the counters of one or two questions that everybody was asked; of two also their joint counters."""
    counts: SurveyCounts = {}
    for place, question in enumerate(questions, start=1):
        draws: Counter[Draw] = Counter()
        for combination, number in times.items():
            draws[combination[place]] += number
        counts[question.id] = count_draws(question, draws)
    if len(questions) == 2:
        first, second = questions
        pairs: Counter[tuple[Draw, Draw]] = Counter()
        for (_, one, other), number in times.items():
            pairs[one, other] += number
        counts[joint_name(first.id, second.id)] = count_pairs(first, second, pairs)
    return counts


def _one_by_one(reports: Iterable[Drawn], names: Sequence[str]) -> Iterator[Times]:
    rest = iter(reports)
    while part := list(islice(rest, REPORTS_AT_A_TIME)):
        yield Counter([(report.groups, *[report.draws[name] for name in names]) for report in part])
