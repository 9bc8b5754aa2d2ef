"""Regression on a survey's reports: an answer or a number, on public groups and on other questions.

The outcome is a yes/no question, an answer to another one (`frequency:often`) or a number. A covariate is a dimension
of the survey's public groups, or a question, whose answers are private: its draws are never put in place of them. The
rule here: a report that lacks a label of a dimension, or was not asked one of the questions, does not count, and a
warning gives the number of those.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from hushpoll_server.analysis.comparison import question_of
from hushpoll_server.analysis.groups import dimension_of
from hushpoll_server.analysis.variables import OF
from hushpoll_server.estimate.classical.matrix_design import MatrixDesign
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.regression.linear import ROBUST_ERRORS, linear_regression
from hushpoll_server.estimate.regression.linear_on_randomized import linear_regression_on_randomized
from hushpoll_server.estimate.regression.logistic import STANDARD_ERRORS, logistic_regression
from hushpoll_server.estimate.regression.logistic_on_randomized import (
    PRIVATE_ERRORS,
    logistic_regression_on_randomized,
)
from hushpoll_server.estimate.regression.private_covariates import Randomized
from hushpoll_server.estimate.regression.results import Regression
from hushpoll_server.estimate.support import Figures, SupportDesign
from hushpoll_server.mechanisms import mechanism_of
from hushpoll_server.mechanisms.supporting import Categorical, Supporting
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Draw
from hushpoll_shared.mechanisms.design import SupportingDesign
from hushpoll_shared.mechanisms.domains import Numbers
from hushpoll_shared.questions import Question
from hushpoll_shared.report import Report

YES = "yes"
MODELS = ("logistic", "linear")
EVERY_ERROR = tuple(dict.fromkeys((*STANDARD_ERRORS, *PRIVATE_ERRORS, *ROBUST_ERRORS)))
LEFT_OUT = "{used:,} of {reports:,} reports have all of these labels and questions; the others do not count."


@dataclass(frozen=True)
class Outcome:
    """What is regressed: the answer at a place among a question's cells, or a number (no place)."""

    question: Question
    place: int | None

    @property
    def design(self) -> SupportDesign | None:
        """Return the design of an answer; a number has none."""
        mechanism = mechanism_of(self.question)
        if self.place is None:
            return None
        assert isinstance(mechanism, Supporting), "answers are estimated from support"
        return SupportDesign(mechanism.design.p, mechanism.design.q)

    def values(self, draws: Sequence[Draw]) -> Figures:
        """Return for each draw 1 or 0 as it supports the answer, or an unbiased number; NaN where it was not asked."""
        scores, design = mechanism_of(self.question).scores(draws), self.design
        if design is None or self.place is None:
            return np.asarray(float(sum(self.question.type.range) / 2) + scores[:, 1])
        return np.round(design.q + scores[:, self.place] * design.gap)


def regress_survey(
    manifest: Manifest,
    reports: Iterable[Report],
    outcome: str,
    covariates: Sequence[str],
    *,
    model: str = "logistic",
    references: Mapping[str, str] | None = None,
    standard_errors: str | None = None,
    level: float = 0.95,
) -> Regression:
    """Return the regression of an answer, or of a number, on dimensions of public groups and on other questions."""
    regressed = read_outcome(manifest, outcome)
    public, private = _read_covariates(manifest, covariates, regressed.question)
    questions = [regressed.question, *private]
    times = _count(manifest, reports, questions, public)
    rows = _Rows(times, regressed, public, private)
    fit = _fit(rows, model, references, standard_errors, level)
    used, total = int(rows.repeats.sum()), times.total()
    if used == total:
        return fit
    return replace(fit, warnings=(*fit.warnings, LEFT_OUT.format(used=used, reports=total)))


def check_names(manifest: Manifest, outcome: str, covariates: Sequence[str]) -> None:
    """Refuse names that are no outcome or no covariates of a survey."""
    _, private = _read_covariates(manifest, covariates, read_outcome(manifest, outcome).question)
    for question in private:
        _matrix(question)


def read_outcome(manifest: Manifest, name: str) -> Outcome:
    """Return the outcome with this name: a question, or one of its answers behind a colon."""
    question_name, colon, answer = name.partition(OF)
    question = question_of(manifest, question_name)
    cells = question.type.cells
    if isinstance(question.type.domain, Numbers) and not colon:
        if question.type.extras or question.type.point_masses:
            raise EstimateError(f"not everybody gives a number to {name}, so it has no regression: compare its means")
        return Outcome(question, None)
    if question.type.is_yes_no and not colon:
        answer = YES
    if answer not in cells:
        raise EstimateError(f"name one answer to {question_name} as the outcome, such as {question_name}{OF}{cells[0]}")
    return Outcome(question, cells.index(answer))


def _read_covariates(manifest: Manifest, names: Sequence[str], outcome: Question) -> tuple[list[str], list[Question]]:
    """Return the dimensions and the questions with these names."""
    if len(set(names)) < len(names):
        raise EstimateError("a covariate is named twice: name each once")
    dimensions = {dimension.id for dimension in manifest.groups.dimensions} if manifest.groups else set()
    private = [question_of(manifest, name) for name in names if name not in dimensions]
    if outcome in private:
        raise EstimateError(f"{outcome.id} is the outcome: name other covariates")
    return [dimension_of(manifest, name).id for name in names if name in dimensions], private


# The draws to the questions, then the labels.
_Row = tuple[tuple[Draw, ...], tuple[str | None, ...]]


def _count(
    manifest: Manifest, reports: Iterable[Report], questions: Sequence[Question], dimensions: Sequence[str]
) -> Counter[_Row]:
    """Return how many reports have the same draws and labels: memory does not grow with their number."""
    labels = _labels_by_code(manifest, dimensions)
    return Counter(
        (tuple([report.draws[question.id] for question in questions]), labels[report.groups]) for report in reports
    )


def _labels_by_code(manifest: Manifest, dimensions: Sequence[str]) -> dict[str, tuple[str | None, ...]]:
    groups = manifest.groups
    if groups is None:
        return {"": ()}
    return {code: tuple(groups.labels_of(code)[name] for name in dimensions) for code in groups.codes}


class _Rows:
    """The distinct rows that have all labels and were asked everything, and how often each occurs."""

    def __init__(
        self, times: Counter[_Row], outcome: Outcome, public: Sequence[str], private: Sequence[Question]
    ) -> None:
        self.outcome, questions = outcome, (outcome.question, *private)
        complete = [(row, number) for row, number in times.items() if _is_complete(row, questions)]
        draws = list(zip(*(row[0] for row, _ in complete), strict=True)) or [()] * len(questions)
        values = outcome.values(draws[0]) if complete else np.empty(0)
        # A device that ticks is asked about some of the options.
        asked = np.flatnonzero(~np.isnan(values))
        self.repeats = np.array([number for _, number in complete], np.intp)[asked]
        self.values = np.repeat(values[asked], self.repeats)
        labels = list(zip(*(row[1] for row, _ in complete), strict=True)) or [()] * len(public)
        self.public = {
            name: np.repeat(np.array(column, object)[asked], self.repeats).astype(str)
            for name, column in zip(public, labels, strict=True)
        }
        self.private: Randomized = {
            question.id: (np.repeat(_named(question, column)[asked], self.repeats), _matrix(question))
            for question, column in zip(private, draws[1:], strict=True)
        }


def _is_complete(row: _Row, questions: Sequence[Question]) -> bool:
    draws, labels = row
    is_asked = all(draw != question.design.blank for draw, question in zip(draws, questions, strict=True))
    return is_asked and None not in labels


def _named(question: Question, draws: Sequence[Draw]) -> np.ndarray[tuple[int], np.dtype[np.str_]]:
    """Return the answer that each draw names."""
    support = _categorical(question).support_rows(draws)
    return np.array(question.type.cells)[support.argmax(axis=1)] if len(draws) else np.empty(0, str)


def _matrix(question: Question) -> MatrixDesign:
    """Return the probabilities of all draws of a design whose draws name one answer."""
    mechanism, cells = _categorical(question), question.type.cells
    p, q = Fraction(mechanism.design.p), Fraction(mechanism.design.q)
    if abs(p + (len(cells) - 1) * q - 1) > Fraction(1, 10**9):
        raise EstimateError(
            f"a draw to {question.id} names several answers, so it is no covariate: cross it with the outcome instead"
        )
    # Exactly 1 in every row, whatever was rounded.
    rows = [[p if i == j else (1 - p) / (len(cells) - 1) for j in range(len(cells))] for i in range(len(cells))]
    return MatrixDesign.of(rows, cells, cells)


def _categorical(question: Question) -> Categorical[SupportingDesign]:
    mechanism = mechanism_of(question)
    if not isinstance(mechanism, Categorical):
        raise EstimateError(f"{question.id} does not have one answer of a few, so it is no covariate: name another")
    return mechanism


def _fit(
    rows: _Rows, model: str, references: Mapping[str, str] | None, standard_errors: str | None, level: float
) -> Regression:
    design = rows.outcome.design
    errors = {} if standard_errors is None else {"standard_errors": standard_errors}
    if model not in MODELS:
        raise EstimateError(f"there is no model {model!r}: choose one of {', '.join(MODELS)}")
    if design is not None and model == "logistic":
        if rows.private:
            return logistic_regression_on_randomized(
                rows.values, rows.public, rows.private, design, references=references, level=level, **errors
            )
        return logistic_regression(rows.values, rows.public, design, references=references, level=level, **errors)
    if rows.private:
        return linear_regression_on_randomized(
            rows.values, rows.public, rows.private, design, references=references, level=level
        )
    return linear_regression(rows.values, rows.public, design, references=references, level=level, **errors)
