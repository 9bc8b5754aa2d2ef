"""What a table needs of the reports, read in one pass: joint counts, or the moments of its cells.

Reading takes as long as there are reports; the figures that follow take the same time for any number of them. So what
was read is a value of its own, from which tables of any level come (tables.py). The rule here: memory does not depend
on the number of reports, and reports that do not answer all of the questions do not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.analysis.variables import Variable, indicators_of, read_variables
from hushpoll_server.counting.combinations import (
    Reports,
    Times,
    column,
    combinations_of,
    joined,
    tally_combinations,
)
from hushpoll_server.counting.tally import SurveyCounts, add_counts
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.support import Figures
from hushpoll_server.estimate.tables.indicators import MOST_CELLS, TableMoments, cell_values
from hushpoll_server.mechanisms import Mechanism, mechanism_of
from hushpoll_server.mechanisms.supporting import Supporting
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Draw
from hushpoll_shared.mechanisms.domains import Numbers
from hushpoll_shared.questions import Question

# So many different combinations of draws are joined before they are worked on, however many reports have them.
_COMBINATIONS_AT_A_TIME = 2**14
# So many values of cells are held at a time: 16 MB.
_VALUES_AT_A_TIME = 2**21
_FEWEST_AT_A_TIME = 2**10


@dataclass(frozen=True, eq=False)
class Tabulated:
    """The variables of a table with the counters that determine it or, in their order, with its moments.

    `reports` are all that were read, also those that do not answer all of the questions.
    """

    variables: tuple[Variable, ...]
    counts: SurveyCounts | None = None
    moments: TableMoments | None = None
    reports: int = 0

    @property
    def bytes(self) -> int:
        """Return roughly how much memory it takes."""
        counters = sum(map(len, (self.counts or {}).values()))
        return 1_000 + 200 * counters + (self.moments.products.nbytes if self.moments else 0)


def table_variables(manifest: Manifest, names: Sequence[str]) -> tuple[Variable, ...]:
    """Return the variables with these names, or refuse them if they have no table."""
    if not 2 <= len(names) <= 3:
        raise EstimateError(f"a table of {len(names)} questions is not offered: name two or three")
    variables = read_variables(manifest, names)
    cells = prod(variable.size for variable in variables)
    if cells > MOST_CELLS:
        raise EstimateError(
            f"this table has {cells:,} cells, more than {MOST_CELLS:,}: cross questions with fewer answers, or fewer "
            "questions"
        )
    return variables


def tabulate(manifest: Manifest, reports: Reports, names: Sequence[str]) -> Tabulated:
    """Read the reports for a table of questions with these names."""
    variables = table_variables(manifest, names)
    _check_ask(manifest, variables)
    if is_counted(manifest, variables):
        return Tabulated(variables, counts=_counts(reports, questions_of(variables)))
    ordered = tuple(sorted(variables, key=lambda variable: variable.is_number))
    moments, total = _moments(manifest, reports, ordered)
    return Tabulated(ordered, moments=moments, reports=total)


def is_counted(manifest: Manifest, variables: Sequence[Variable]) -> bool:
    """Return whether joint counts determine the table: two whole questions with exact laws, or the parts of a pair."""
    if len(variables) != 2 or manifest.ask is not None:
        return False
    questions = questions_of(variables)
    if len(questions) == 1:
        return True
    mechanisms = [mechanism_of(question) for question in questions]
    return all(variable.is_whole for variable in variables) and all(
        isinstance(each, Supporting) and each.joint.exact for each in mechanisms
    )


def questions_of(variables: Sequence[Variable]) -> list[Question]:
    """Return the questions of the variables, each once."""
    return list({variable.question.id: variable.question for variable in variables}.values())


def _check_ask(manifest: Manifest, variables: Sequence[Variable]) -> None:
    asked = len(questions_of(variables))
    if manifest.ask is not None and manifest.ask < asked:
        raise EstimateError(
            f"each device answers {manifest.ask} of the questions, so no report answers all {asked}: join them into a "
            "pair, or raise ask"
        )


def _counts(reports: Reports, questions: Sequence[Question]) -> SurveyCounts:
    counts: SurveyCounts = {}
    for times in joined(combinations_of(reports, questions), most=_COMBINATIONS_AT_A_TIME):
        add_counts(counts, tally_combinations(questions, times))
    return counts


def _moments(manifest: Manifest, reports: Reports, variables: Sequence[Variable]) -> tuple[TableMoments, int]:
    """Return the moments of the table's cells, and the number of all reports."""
    questions = questions_of(variables)
    moments, total = TableMoments.empty([variable.size for variable in variables]), 0
    for times in joined(combinations_of(reports, questions), most=_COMBINATIONS_AT_A_TIME):
        scored = [
            _Scored.of([each for each in variables if each.question.id == question.id], column(times, place), manifest)
            for place, question in enumerate(questions, start=1)
        ]
        moments += _moments_of(times, scored, variables)
        total += times.total()
    return moments, total


@dataclass(frozen=True)
class _Scored:
    """The indicators of a question's variables for each distinct draw, and the draw of each combination."""

    variables: Sequence[Variable]
    indicators: Figures
    draws: NDArray[np.intp]

    @classmethod
    def of(cls, variables: Sequence[Variable], draws: Sequence[Draw], manifest: Manifest) -> _Scored:
        mechanism = mechanism_of(variables[0].question)
        places = {draw: place for place, draw in enumerate(dict.fromkeys(draws))}
        scores = _scores(mechanism, list(places), None if manifest.ask is None else mechanism.design.blank)
        return cls(variables, indicators_of(variables, scores), np.array([places[draw] for draw in draws], np.intp))


def _moments_of(times: Times, scored: Sequence[_Scored], variables: Sequence[Variable]) -> TableMoments:
    moments = TableMoments.empty([variable.size for variable in variables])
    numbers = np.array(list(times.values()), np.int64)
    axes = [[variables.index(variable) for variable in each.variables] for each in scored]
    at_a_time = max(_FEWEST_AT_A_TIME, _VALUES_AT_A_TIME // moments.sums.size)
    for part in (slice(start, start + at_a_time) for start in range(0, len(numbers), at_a_time)):
        values = cell_values([each.indicators[each.draws[part]] for each in scored], axes)
        moments += TableMoments.of(values, numbers[part])
    return moments


def _scores(mechanism: Mechanism[Any], draws: Sequence[Draw], blank: Draw | None) -> Figures:
    """Return the scores of the draws; those of a device that was not asked are NaN."""
    asked = [place for place, draw in enumerate(draws) if draw != blank]
    is_number = isinstance(mechanism.type.domain, Numbers)
    scores = np.full((len(draws), 2 if is_number else len(mechanism.type.cells)), np.nan)
    if asked:
        scores[asked] = mechanism.scores([draws[place] for place in asked])
    return scores
