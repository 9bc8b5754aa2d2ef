"""Count what reports support: the one place that turns draws into counters.

The writer uses it for the stored counters, a recount for checking them, and `hushpoll estimate` for a file of reports,
so the three cannot differ. For two crossed questions it also counts, for each pair of answers, the reports that support
both; with the counters of each question alone that is all that their cross table needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Protocol

import numpy as np

from hushpoll_server.counting.crossed import Crossed
from hushpoll_server.mechanisms import mechanism_of
from hushpoll_server.mechanisms.mechanism import TOTAL, Counters
from hushpoll_server.mechanisms.supporting import Categorical
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Draw
from hushpoll_shared.mechanisms.design import SupportingDesign
from hushpoll_shared.questions import Question

# Separates the two names of a joint counter: no id of a question and no name of a counter contains it.
AND = ","
# How many different pairs of draws are counted at a time.
_PAIRS_AT_A_TIME = 2**14

# The counters of a survey by question; those of two crossed questions are under both names.
SurveyCounts = dict[str, Counter[str]]

# The counters of the reports with each code of public groups; without groups in the survey there is one code, "".
GroupedCounts = dict[str, SurveyCounts]

NO_COUNTERS: Counters = {}


class Drawn(Protocol):
    """What is counted of a report: its draws, and the code of its public groups."""

    @property
    def draws(self) -> Mapping[str, Draw]:
        """Return the draw to each question."""

    @property
    def groups(self) -> str:
        """Return the code of its groups."""


def tally_groups(manifest: Manifest, reports: Iterable[Drawn], crossed: Sequence[Crossed] = ()) -> GroupedCounts:
    """Return the counters of the reports with each code of groups."""
    by_code: dict[str, list[Mapping[str, Draw]]] = {}
    for report in reports:
        by_code.setdefault(report.groups, []).append(report.draws)
    return {code: tally(manifest, draws, crossed) for code, draws in by_code.items()}


def counts_of(groups: Iterable[SurveyCounts]) -> SurveyCounts:
    """Return the counters of several groups together."""
    counts: SurveyCounts = {}
    for group in groups:
        add_counts(counts, group)
    return counts


def tally(manifest: Manifest, reports: Iterable[Mapping[str, Draw]], crossed: Sequence[Crossed] = ()) -> SurveyCounts:
    """Return, for each question, what its draws support, and for crossed questions each pair of answers."""
    every_report = list(reports)
    counts: SurveyCounts = {}
    for question in manifest.questions:
        # Equal draws support equal answers, so each distinct draw is read once.
        times = Counter([draws[question.id] for draws in every_report])
        # A question that a device was not asked is blank in its report.
        if manifest.ask is not None:
            times.pop(question.design.blank, None)
        if times:
            counts[question.id] = count_draws(question, times)
    questions = {question.id: question for question in manifest.questions}
    for first, second in crossed:
        pairs = Counter([(draws[first], draws[second]) for draws in every_report])
        if pairs:
            counts[joint_name(first, second)] = count_pairs(questions[first], questions[second], pairs)
    return counts


def count_draws(question: Question, times: Counter[Draw]) -> Counter[str]:
    """Return what draws to a question support, and their number, given how often each occurs."""
    counts = mechanism_of(question).count(times)
    counts[TOTAL] = times.total()
    return counts


def joint_name(first: str, second: str) -> str:
    """Return the name of a joint counter: of two questions, or of an answer to each."""
    return f"{first}{AND}{second}"


def add_counts(counts: SurveyCounts, more: SurveyCounts) -> None:
    """Add counters to others."""
    for question, counters in more.items():
        counts.setdefault(question, Counter()).update(counters)


def number_of_reports(manifest: Manifest, counts: SurveyCounts) -> int:
    """Return the number of reports: each counts for every question, or for the `ask` of them that it answers."""
    answered = sum(counts.get(question.id, NO_COUNTERS).get(TOTAL, 0) for question in manifest.questions)
    return answered // (manifest.ask or len(manifest.questions))


def count_pairs(first: Question, second: Question, pairs: Counter[tuple[Draw, Draw]]) -> Counter[str]:
    """Return for each pair of answers how many reports support both, given how often each pair of draws occurs."""
    rows, columns = _categorical(first), _categorical(second)
    both = np.zeros((rows.categories, columns.categories))
    for ones, others, times in _parts(pairs):
        # Σ over the reports of [first draw supports i]·[second draw supports j]: whole numbers, far below 2^53
        both += (rows.support_rows(ones).T * np.array(times, float)) @ columns.support_rows(others)
    return Counter({joint_name(str(i), str(j)): int(both[i, j]) for i, j in np.argwhere(both).tolist()})


def _parts(pairs: Counter[tuple[Draw, Draw]]) -> Iterator[tuple[list[Draw], list[Draw], list[int]]]:
    rest = iter(pairs.items())
    while part := list(islice(rest, _PAIRS_AT_A_TIME)):
        draws, times = zip(*part, strict=True)
        yield [one for one, _ in draws], [other for _, other in draws], list(times)


def _categorical(question: Question) -> Categorical[SupportingDesign]:
    mechanism = mechanism_of(question)
    assert isinstance(mechanism, Categorical), "only questions with one true answer are crossed"
    return mechanism
