"""What is read for tables and regressions, against the plain way: every report by itself, one after the other."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from tests.vectors.groups import FACULTY
from tests.vectors.streams import FixedTestStream
from tests.vectors.surveys import surveys

from hushpoll_client.survey import Survey
from hushpoll_server.analysis import rows, tabulated
from hushpoll_server.analysis.rows import Outcome, count_rows, is_covariate, read_outcome
from hushpoll_server.analysis.tabulated import questions_of, tabulate
from hushpoll_server.analysis.variables import Variable, indicators_of, read_variables
from hushpoll_server.counting import combinations as combinations_module
from hushpoll_server.counting.tally import joint_name, tally
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.tables.indicators import TableMoments, cell_values
from hushpoll_server.mechanisms import mechanism_of
from hushpoll_server.mechanisms.supporting import Categorical
from hushpoll_shared.groups import Groups
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.questions import Question
from hushpoll_shared.report import Report


def everything() -> tuple[Manifest, list[Report]]:
    """Return a survey with every type of question, a dimension of groups, and reports to it."""
    manifest, answers = surveys()["everything"]
    manifest, source = replace(manifest, population=None, groups=Groups((FACULTY,), 1)), FixedTestStream("tabulated")
    labels = [(), *((label,) for label in FACULTY.ids)]
    return manifest, [
        Survey(manifest).randomize(answers[place % 2], groups=labels[place % len(labels)], source=source)
        for place in range(60)
    ]


MANIFEST, REPORTS = everything()


def names_of(manifest: Manifest) -> list[str]:
    """Return every variable of a survey that a table can have, and one option of each question of ticks."""
    return [name for question in manifest.questions for name in variables_of(question) if has_table(manifest, name)]


def variables_of(question: Question) -> list[str]:
    """Return a question, its parts, and an option of it, whether they have a table or not."""
    options = [f"{question.id}:{cell}" for cell in question.type.cells[:1]]
    return [question.id, *(part.id for part in question.type.parts), *options]


def has_table(manifest: Manifest, *names: str) -> bool:
    """Return whether variables with these names exist and have a table."""
    try:
        tabulated.table_variables(manifest, names) if len(names) > 1 else read_variables(manifest, names)
    except EstimateError:
        return False
    return True


def plain_moments(variables: tuple[Variable, ...]) -> TableMoments:
    """Return the moments of a table, each report scored by itself."""
    questions = questions_of(variables)
    moments = TableMoments.empty([variable.size for variable in variables])
    for report in REPORTS:
        together = [[each for each in variables if each.question.id == question.id] for question in questions]
        values = cell_values(
            [
                indicators_of(group, mechanism_of(question).scores([report.draws[question.id]]))
                for group, question in zip(together, questions, strict=True)
            ],
            [[variables.index(each) for each in group] for group in together],
        )
        moments += TableMoments.of(values)
    return moments


def tables() -> list[tuple[str, ...]]:
    """Return every pair of variables of all types that has a table, and some threes."""
    names = names_of(MANIFEST)
    chosen = [*combinations(names, 2), *product(names[:1], names[2:3], names[4:])]
    return [each for each in chosen if has_table(MANIFEST, *each)]


@pytest.mark.parametrize("at_a_time", [7, 1000])
def test_every_table_is_read_as_if_each_report_was_read_by_itself(
    monkeypatch: pytest.MonkeyPatch, at_a_time: int
) -> None:
    monkeypatch.setattr(combinations_module, "REPORTS_AT_A_TIME", at_a_time)
    monkeypatch.setattr(tabulated, "_COMBINATIONS_AT_A_TIME", at_a_time)
    covered = {question.id for names in tables() for question in questions_of(read_variables(MANIFEST, names))}
    # A codebook has no table: it would have too many cells.
    assert covered == {question.id for question in MANIFEST.questions} - {"code"}
    for names in tables():
        read = tabulate(MANIFEST, REPORTS, names)
        if read.moments is None:
            ids = [question.id for question in questions_of(read.variables)]
            pairs = [(ids[0], ids[1])] if len(ids) == 2 else []
            every = tally(MANIFEST, [report.draws for report in REPORTS], pairs)
            assert read.counts == {name: every[name] for name in (*ids, *(joint_name(*pair) for pair in pairs))}
            continue
        plain = plain_moments(read.variables)
        assert (read.moments.n, read.reports) == (plain.n, len(REPORTS))
        assert np.allclose(read.moments.sums, plain.sums, rtol=1e-12, atol=1e-9), names
        assert np.allclose(read.moments.products, plain.products, rtol=1e-12, atol=1e-9), names


@pytest.mark.parametrize("at_a_time", [7, 1000])
def test_the_rows_of_a_regression_are_those_of_the_reports_one_by_one(
    monkeypatch: pytest.MonkeyPatch, at_a_time: int
) -> None:
    monkeypatch.setattr(combinations_module, "REPORTS_AT_A_TIME", at_a_time)
    monkeypatch.setattr(rows, "_COMBINATIONS_AT_A_TIME", at_a_time)
    private = [question for question in MANIFEST.questions if is_covariate(question)]
    assert private
    for name in ("cheated", "way:car", "ways:car", "code:c7", "hours", "noise"):
        outcome = read_outcome(MANIFEST, name)
        others = [question for question in private if question.id != outcome.question.id][:2]
        counted = count_rows(MANIFEST, iter(REPORTS), outcome, [FACULTY.id], others)
        assert counted.times == Counter(plain_row(report, outcome, others) for report in REPORTS), name


def plain_row(report: Report, outcome: Outcome, private: list[Question]) -> tuple[object, ...]:
    """Return what a report says of an outcome, of private covariates and of its faculty."""
    [value] = outcome.values([report.draws[outcome.question.id]])
    answers = [support_of(question, report.draws[question.id]) for question in private]
    assert MANIFEST.groups
    label = MANIFEST.groups.labels_of(report.groups)[FACULTY.id]
    return None if np.isnan(value) else float(value), tuple(answers), (label,)


def support_of(question: Question, draw: str) -> str:
    """Return the one answer that a draw names."""
    mechanism = mechanism_of(question)
    assert isinstance(mechanism, Categorical)
    return question.type.cells[int(mechanism.support_rows([draw])[0].argmax())]
