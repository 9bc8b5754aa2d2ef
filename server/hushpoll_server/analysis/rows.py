"""The rows of a regression or a weighting: an outcome, public labels and private covariates of each report.

The outcome is a yes/no question, an answer to another one (`frequency:often`) or a number. The rule here: a report that
lacks a label of a dimension, or was not asked one of the questions, does not count; nor does one of a group that is too
small to be shown; warnings say so. Equal rows are counted first, so that reports are read in a stream.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.analysis.comparison import WITHHELD, question_of
from hushpoll_server.analysis.variables import OF
from hushpoll_server.estimate.classical.matrix_design import MatrixDesign
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.regression.private_covariates import Randomized
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
    # The answers to a question that is estimated as a number have no support.
    if answer not in cells or not isinstance(mechanism_of(question), Supporting):
        example = question_name if isinstance(question.type.domain, Numbers) else f"{question_name}{OF}{cells[0]}"
        raise EstimateError(f"there is no such outcome of {question_name}: name one such as {example}")
    return Outcome(question, cells.index(answer))


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows that count, each as often as it occurs, and why others do not."""

    outcome: Outcome
    values: Figures
    public: dict[str, NDArray[np.str_]]
    private: Randomized
    warnings: tuple[str, ...]


def read_rows(
    manifest: Manifest,
    reports: Iterable[Report],
    outcome: Outcome,
    dimensions: Sequence[str],
    private: Sequence[Question] = (),
) -> Rows:
    """Lay out the rows of an outcome, labels of these dimensions, and private covariates."""
    questions = (outcome.question, *private)
    times = _count(manifest, reports, questions, dimensions)
    withheld = _withheld(manifest, times, dimensions)
    complete = [(row, number) for row, number in times.items() if _counts(row, questions, withheld)]
    draws = list(zip(*(row[0] for row, _ in complete), strict=True)) or [()] * len(questions)
    labels = list(zip(*(row[1] for row, _ in complete), strict=True)) or [()] * len(dimensions)
    values = outcome.values(draws[0]) if complete else np.empty(0)
    # A device that ticks is asked about some of the options.
    asked = np.flatnonzero(~np.isnan(values))
    repeats = np.array([number for _, number in complete], np.intp)[asked]

    def laid_out(column: Sequence[str]) -> NDArray[np.str_]:
        return np.repeat(np.array(column, np.str_)[asked], repeats)

    return Rows(
        outcome,
        np.repeat(values[asked], repeats),
        {name: laid_out([str(label) for label in column]) for name, column in zip(dimensions, labels, strict=True)},
        {
            question.id: (laid_out(_named(question, column)), matrix_of(question))
            for question, column in zip(private, draws[1:], strict=True)
        },
        _warnings(manifest, int(repeats.sum()), times.total(), withheld),
    )


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


def _withheld(manifest: Manifest, times: Counter[_Row], dimensions: Sequence[str]) -> frozenset[str]:
    """Return the labels of these dimensions with too few reports to be shown, those of nobody aside."""
    found: Counter[str] = Counter()
    for (_, labels), number in times.items():
        for label in labels:
            if label is not None:
                found[label] += number
    smallest = manifest.groups.smallest if manifest.groups and dimensions else 0
    return frozenset(label for label, number in found.items() if number < smallest)


def _counts(row: _Row, questions: Sequence[Question], withheld: frozenset[str]) -> bool:
    draws, labels = row
    is_asked = all(draw != question.design.blank for draw, question in zip(draws, questions, strict=True))
    return is_asked and None not in labels and withheld.isdisjoint(labels)


def _warnings(manifest: Manifest, used: int, total: int, withheld: frozenset[str]) -> tuple[str, ...]:
    smallest = manifest.groups.smallest if manifest.groups else 0
    small = (WITHHELD.format(smallest=smallest, names=", ".join(sorted(withheld))),) if withheld else ()
    # Beside a group that is withheld the number would tell its size.
    return small or ((LEFT_OUT.format(used=used, reports=total),) if used < total else ())


def _named(question: Question, draws: Sequence[Draw]) -> list[str]:
    """Return the answer that each draw names."""
    if not draws:
        return []
    support, cells = _categorical(question).support_rows(draws), question.type.cells
    return [cells[place] for place in support.argmax(axis=1)]


def is_covariate(question: Question) -> bool:
    """Return whether a question can be a private covariate: each of its draws names one answer."""
    try:
        matrix_of(question)
    except EstimateError:
        return False
    return True


def matrix_of(question: Question) -> MatrixDesign:
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
