"""Tables of two or three questions of a survey from its reports, in one pass and in memory that does not grow.

Two questions with one answer each, and the two parts of a pair, are counted, and have the limits that their counts
give. Everything else (parts of pairs, options, numbers, three questions, questions that not everybody was asked) comes
from unbiased indicators of the answers (estimate/tables/indicators.py). The rule here: reports that do not answer all
of the questions do not count, and a warning gives their number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from math import prod
from typing import Any

import numpy as np

from hushpoll_server.analysis.results import cross_results_of, results_of
from hushpoll_server.analysis.variables import Variable, indicators_of, read_variables
from hushpoll_server.counting.crossed import Crossed
from hushpoll_server.counting.tally import AND, SurveyCounts, add_counts, joint_name, tally
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.groups.group_means import GroupMeans, group_means
from hushpoll_server.estimate.options import DEFAULT, Options
from hushpoll_server.estimate.results import Result
from hushpoll_server.estimate.support import Figures
from hushpoll_server.estimate.tables.crosstab import Crosstab
from hushpoll_server.estimate.tables.crosstable import CrossTable
from hushpoll_server.estimate.tables.indicators import MOST_CELLS, TableMoments, cell_values
from hushpoll_server.estimate.tables.three_way import ThreeWay, three_way
from hushpoll_server.estimate.tables.two_way import empty_two_way, two_way, two_way_of_cross, two_way_of_pair
from hushpoll_server.mechanisms import Mechanism, mechanism_of
from hushpoll_server.mechanisms.supporting import Supporting
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Draw
from hushpoll_shared.mechanisms.domains import Numbers
from hushpoll_shared.question_types.pair import combined
from hushpoll_shared.report import Report

Table = Crosstab | ThreeWay | GroupMeans
Draws = Mapping[str, Draw]

# So many values of cells are held at a time: 16 MB.
_VALUES_AT_A_TIME = 2**21
_FEWEST_AT_A_TIME = 2**10

POPULATION_UNUSED = (
    "The declared population is not used in this table: its figures are those of a sample from a large population, a "
    "little wider than they need be."
)
FEWEST_REPORTS = 30
TOO_FEW = "Fewer than {fewest} reports answer all of these questions: too few for their table. Collect more."
SOME_NOT_ASKED = "{used:,} of {reports:,} reports answer all of these questions; the others were not asked them."


def cross_table(
    manifest: Manifest,
    reports: Iterable[Report],
    questions: Sequence[str],
    *,
    adjustment: str = "holm",
    options: Options = DEFAULT,
) -> Table:
    """Cross two or three questions: rows, columns, and the levels within which these two are compared.

    Names are those of questions, of parts of pairs, or of options (`channels:a phone`). With a number, the result has
    its mean in each group that the other questions make up.
    """
    if not 2 <= len(questions) <= 3:
        raise EstimateError(f"a table of {len(questions)} questions is not offered: name two or three")
    if manifest.population is not None:
        sample = replace(manifest, population=None)
        table = cross_table(sample, reports, questions, adjustment=adjustment, options=options)
        return replace(table, warnings=(*table.warnings, POPULATION_UNUSED))
    variables = read_variables(manifest, questions)
    _check_size(variables)
    _check_ask(manifest, variables)
    draws = (report.draws for report in reports)
    if len(variables) == 2 and manifest.ask is None and _is_counted(variables):
        return _counted(manifest, draws, variables, adjustment, options)
    ordered = sorted(variables, key=lambda variable: variable.is_number)
    moments, total = _moments(manifest, draws, ordered)
    if 0 < moments.n < FEWEST_REPORTS:
        # The spread of so few products says nothing about how uncertain they are.
        empty = _estimated(replace(moments, n=0), ordered, adjustment, options)
        return replace(empty, warnings=(TOO_FEW.format(fewest=FEWEST_REPORTS),))
    table = _estimated(moments, ordered, adjustment, options)
    if moments.n in (0, total):
        return table
    return replace(table, warnings=(*table.warnings, SOME_NOT_ASKED.format(used=moments.n, reports=total)))


def counted_table(
    manifest: Manifest,
    counts: SurveyCounts,
    crossed: Sequence[Crossed],
    questions: Sequence[str],
    *,
    adjustment: str = "holm",
    options: Options = DEFAULT,
) -> Crosstab | None:
    """Return the table of two questions from the counters of a survey; None if they do not hold it.

    They hold the parts of a pair, and the cross tables that the survey counts, with rows and columns in either order.
    """
    if manifest.population is not None:
        sample = replace(manifest, population=None)
        counted = counted_table(sample, counts, crossed, questions, adjustment=adjustment, options=options)
        return counted and replace(counted, warnings=(*counted.warnings, POPULATION_UNUSED))
    variables = read_variables(manifest, questions)
    _check_size(variables)
    if len(variables) != 2 or manifest.ask is not None or not _is_counted(variables):
        return None
    first, second = questions
    is_pair = len({variable.question.id for variable in variables}) == 1
    if not is_pair and (first, second) not in crossed:
        if (second, first) not in crossed:
            return None
        joint = counts.get(joint_name(second, first), Counter())
        turned = Counter({AND.join(reversed(name.split(AND))): number for name, number in joint.items()})
        counts = counts | {joint_name(first, second): turned}
    return _of_counts(manifest, counts, variables, adjustment, options)


def _check_size(variables: Sequence[Variable]) -> None:
    cells = prod(variable.size for variable in variables)
    if cells > MOST_CELLS:
        raise EstimateError(
            f"this table has {cells:,} cells, more than {MOST_CELLS:,}: cross questions with fewer answers, or fewer "
            "questions"
        )


def _check_ask(manifest: Manifest, variables: Sequence[Variable]) -> None:
    asked = len({variable.question.id for variable in variables})
    if manifest.ask is not None and manifest.ask < asked:
        raise EstimateError(
            f"each device answers {manifest.ask} of the questions, so no report answers all {asked}: join them into a "
            "pair, or raise ask"
        )


# --- from counts --------------------------------------------------------------------------------------------------


def _is_counted(variables: Sequence[Variable]) -> bool:
    """Return whether joint counts determine the table: two whole questions with exact laws, or the parts of a pair."""
    if len({variable.question.id for variable in variables}) == 1:
        return True
    mechanisms = [mechanism_of(variable.question) for variable in variables]
    return all(variable.is_whole for variable in variables) and all(
        isinstance(each, Supporting) and each.joint.exact for each in mechanisms
    )


def _counted(
    manifest: Manifest, draws: Iterable[Draws], variables: Sequence[Variable], adjustment: str, options: Options
) -> Crosstab:
    crossed, counts = _crossed(variables), SurveyCounts()
    for part in _parts(draws, _FEWEST_AT_A_TIME * 16):
        add_counts(counts, tally(manifest, part, crossed))
    return _of_counts(manifest, counts, variables, adjustment, options)


def _crossed(variables: Sequence[Variable]) -> list[Crossed]:
    """Return the two questions, or nothing for the parts of one."""
    first, second = variables
    return [] if first.question.id == second.question.id else [(first.name, second.name)]


def _of_counts(
    manifest: Manifest, counts: SurveyCounts, variables: Sequence[Variable], adjustment: str, options: Options
) -> Crosstab:
    if crossed := _crossed(variables):
        [result] = cross_results_of(manifest, counts, crossed, options)
        return two_way_of_cross(result, adjustment=adjustment, options=options)
    pair = results_of(manifest, counts, options)[variables[0].question.id]
    assert isinstance(pair, Result), "a pair has shares"
    return _of_pair(pair, variables, adjustment, options)


def _of_pair(result: Result, variables: Sequence[Variable], adjustment: str, options: Options) -> Crosstab:
    """Return the table of a pair, with the part that is named first in the rows."""
    first, second = variables
    parts = [part.type.cells for part in first.question.type.parts]
    if first.part == 1:
        cells = np.arange(len(result.cells)).reshape(len(parts[0]), len(parts[1])).T.ravel()
        result, parts = replace(result, cells=tuple(result.cells[cell] for cell in cells)), parts[::-1]
    table = CrossTable(result, parts[0], parts[1])
    return two_way_of_pair(table, (first.name, second.name), adjustment=adjustment, options=options)


# --- from indicators ----------------------------------------------------------------------------------------------


def _moments(manifest: Manifest, draws: Iterable[Draws], variables: Sequence[Variable]) -> tuple[TableMoments, int]:
    """Return the moments of the table's cells, and the number of all reports."""
    questions = list({variable.question.id: variable.question for variable in variables}.values())
    together = [[each for each in variables if each.question.id == question.id] for question in questions]
    places = [[variables.index(each) for each in group] for group in together]
    moments, total = TableMoments.empty([variable.size for variable in variables]), 0
    mechanisms = [mechanism_of(question) for question in questions]
    at_a_time = max(_FEWEST_AT_A_TIME, _VALUES_AT_A_TIME // moments.sums.size)
    for part in _parts(draws, at_a_time):
        # Equal draws have equal scores, so each distinct combination is read once.
        times = Counter([tuple([each[question.id] for question in questions]) for each in part])
        indicators = [
            indicators_of(group, _scores(mechanism, column, None if manifest.ask is None else mechanism.design.blank))
            for mechanism, group, column in zip(mechanisms, together, zip(*times, strict=True), strict=True)
        ]
        moments += TableMoments.of(cell_values(indicators, places), list(times.values()))
        total += len(part)
    return moments, total


def _scores(mechanism: Mechanism[Any], draws: Sequence[Draw], blank: Draw | None) -> Figures:
    """Return the scores of the draws; those of a device that was not asked are NaN."""
    asked = [place for place, draw in enumerate(draws) if draw != blank]
    is_number = isinstance(mechanism.type.domain, Numbers)
    scores = np.full((len(draws), 2 if is_number else len(mechanism.type.cells)), np.nan)
    if asked:
        scores[asked] = mechanism.scores([draws[place] for place in asked])
    return scores


def _estimated(moments: TableMoments, variables: Sequence[Variable], adjustment: str, options: Options) -> Table:
    names, axes = tuple(variable.name for variable in variables), [variable.answers for variable in variables]
    if variables[-1].is_number:
        number, groups = variables[-1], variables[:-1]
        labels = groups[0].answers if len(groups) == 1 else combined(groups[0].answers, groups[1].answers)
        cells = TableMoments(moments.n, moments.sums.reshape(len(labels), 2), moments.products)
        low, high = number.question.type.range
        named = " × ".join(variable.name for variable in groups), number.name
        return group_means(
            cells, labels, centre=float(low + high) / 2, names=named, adjustment=adjustment, options=options
        )
    shares = moments.joint_shares(*axes) if moments.n else None
    if len(variables) == 3:
        return three_way(shares, axes, names, adjustment=adjustment, options=options)
    if shares is None:
        return empty_two_way(axes, names, options)
    return two_way(shares, names=(names[0], names[1]), adjustment=adjustment, options=options)


def _parts(draws: Iterable[Draws], size: int) -> Iterator[list[Draws]]:
    rest = iter(draws)
    return iter(lambda: list(islice(rest, size)), [])
