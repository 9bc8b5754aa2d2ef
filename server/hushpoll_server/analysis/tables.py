"""Tables of two or three questions of a survey from its reports, in one pass and in memory that does not grow.

Two questions with one answer each, and the two parts of a pair, are counted, and have the limits that their counts
give. Everything else (parts of pairs, options, numbers, three questions, questions that not everybody was asked) comes
from unbiased indicators of the answers (estimate/tables/indicators.py). The rule here: reports that do not answer all
of the questions do not count, and a warning gives their number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hushpoll_server.analysis.results import cross_results_of, estimand_of, result_of
from hushpoll_server.analysis.tabulated import Tabulated, is_counted, questions_of, table_variables, tabulate
from hushpoll_server.analysis.variables import Variable
from hushpoll_server.counting.combinations import Reports
from hushpoll_server.counting.crossed import Crossed
from hushpoll_server.counting.tally import AND, NO_COUNTERS, SurveyCounts, joint_name
from hushpoll_server.estimate.groups.group_means import GroupMeans, group_means
from hushpoll_server.estimate.options import DEFAULT, Options
from hushpoll_server.estimate.results import Result
from hushpoll_server.estimate.tables.crosstab import Crosstab
from hushpoll_server.estimate.tables.crosstable import CrossTable
from hushpoll_server.estimate.tables.indicators import TableMoments
from hushpoll_server.estimate.tables.three_way import ThreeWay, three_way
from hushpoll_server.estimate.tables.two_way import empty_two_way, two_way, two_way_of_cross, two_way_of_pair
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.question_types.pair import combined

Table = Crosstab | ThreeWay | GroupMeans

POPULATION_UNUSED = (
    "The declared population is not used in this table: its figures are those of a sample from a large population, a "
    "little wider than they need be."
)
FEWEST_REPORTS = 30
TOO_FEW = "Fewer than {fewest} reports answer all of these questions: too few for their table. Collect more."
SOME_NOT_ASKED = "{used:,} of {reports:,} reports answer all of these questions; the others were not asked them."


def cross_table(
    manifest: Manifest,
    reports: Reports,
    questions: Sequence[str],
    *,
    adjustment: str = "holm",
    options: Options = DEFAULT,
) -> Table:
    """Cross two or three questions: rows, columns, and the levels within which these two are compared.

    Names are those of questions, of parts of pairs, or of options (`channels:a phone`). With a number, the result has
    its mean in each group that the other questions make up.
    """
    return table_of(manifest, tabulate(manifest, reports, questions), adjustment=adjustment, options=options)


def table_of(
    manifest: Manifest, tabulated: Tabulated, *, adjustment: str = "holm", options: Options = DEFAULT
) -> Table:
    """Return the table of what was read from the reports."""
    if manifest.population is not None:
        table = table_of(replace(manifest, population=None), tabulated, adjustment=adjustment, options=options)
        return replace(table, warnings=(*table.warnings, POPULATION_UNUSED))
    if tabulated.counts is not None:
        return _of_counts(manifest, tabulated.counts, tabulated.variables, adjustment, options)
    assert tabulated.moments is not None, "what is not counted has moments"
    return _of_moments(tabulated.moments, tabulated, adjustment, options)


def are_counted(manifest: Manifest, crossed: Sequence[Crossed], questions: Sequence[str]) -> bool:
    """Return whether the counters of a survey hold the table of these questions.

    They hold the parts of a pair, and the cross tables that the survey counts, with rows and columns in either order.
    """
    variables = table_variables(manifest, questions)
    if not is_counted(manifest, variables):
        return False
    pair = tuple(question.id for question in questions_of(variables))
    return len(pair) == 1 or pair in crossed or pair[::-1] in crossed


def counted_table(
    manifest: Manifest,
    counts: SurveyCounts,
    crossed: Sequence[Crossed],
    questions: Sequence[str],
    *,
    adjustment: str = "holm",
    options: Options = DEFAULT,
) -> Crosstab | None:
    """Return the table of two questions from the counters of a survey; None if they do not hold it."""
    if not are_counted(manifest, crossed, questions):
        return None
    first, second = questions
    if (second, first) in crossed:
        joint = counts.get(joint_name(second, first), Counter())
        turned = Counter({AND.join(reversed(name.split(AND))): number for name, number in joint.items()})
        counts = counts | {joint_name(first, second): turned}
    tabulated = Tabulated(table_variables(manifest, questions), counts=counts)
    table = table_of(manifest, tabulated, adjustment=adjustment, options=options)
    assert isinstance(table, Crosstab), "a table of two questions without numbers"
    return table


# --- from counts --------------------------------------------------------------------------------------------------


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
    question = variables[0].question
    pair = result_of(estimand_of(question, counts.get(question.id, NO_COUNTERS)), options)
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


def _of_moments(moments: TableMoments, tabulated: Tabulated, adjustment: str, options: Options) -> Table:
    variables = tabulated.variables
    if 0 < moments.n < FEWEST_REPORTS:
        # The spread of so few products says nothing about how uncertain they are.
        empty = _estimated(replace(moments, n=0), variables, adjustment, options)
        return replace(empty, warnings=(TOO_FEW.format(fewest=FEWEST_REPORTS),))
    table = _estimated(moments, variables, adjustment, options)
    if moments.n in (0, tabulated.reports):
        return table
    return replace(table, warnings=(*table.warnings, SOME_NOT_ASKED.format(used=moments.n, reports=tabulated.reports)))


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
