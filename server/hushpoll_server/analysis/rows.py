"""The rows of a regression or a weighting: an outcome, public labels and private covariates of each report.

The outcome is a yes/no question, an answer to another one (`frequency:often`) or a number. The rule here: a report that
lacks a label of a dimension, or was not asked one of the questions, does not count; nor does one of a group that is too
small to be shown; warnings say so. Equal rows are counted first, so that reports are read in a stream.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.analysis.comparison import WITHHELD, question_of
from hushpoll_server.analysis.variables import OF
from hushpoll_server.counting.combinations import Reports, column, combinations_of, joined
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

# So many different combinations of draws are joined before they are read.
_COMBINATIONS_AT_A_TIME = 2**14

YES = "yes"
LEFT_OUT = "{used:,} of {reports:,} reports have all of these labels and questions; the others do not count."

_Read = TypeVar("_Read")


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
    """The different rows that count, how often each occurs, and why others do not count."""

    outcome: Outcome
    values: Figures
    public: dict[str, NDArray[np.str_]]
    private: Randomized
    times: NDArray[np.int64]
    warnings: tuple[str, ...]


# The value of the outcome, the answers that draws to the private covariates name, and the labels; None for a question
# that was not asked, and for no label.
_Row = tuple[float | None, tuple[str | None, ...], tuple[str | None, ...]]


@dataclass(frozen=True, eq=False)
class CountedRows:
    """How many reports have the same row; of answers and labels there are few, however many reports there are."""

    outcome: Outcome
    dimensions: tuple[str, ...]
    private: tuple[Question, ...]
    times: Counter[_Row]

    @property
    def bytes(self) -> int:
        """Return roughly how much memory it takes."""
        return 1_000 + 400 * len(self.times)


def read_rows(
    manifest: Manifest,
    reports: Reports,
    outcome: Outcome,
    dimensions: Sequence[str],
    private: Sequence[Question] = (),
) -> Rows:
    """Lay out the rows of an outcome, labels of these dimensions, and private covariates."""
    return lay_out(manifest, count_rows(manifest, reports, outcome, dimensions, private))


def count_rows(
    manifest: Manifest,
    reports: Reports,
    outcome: Outcome,
    dimensions: Sequence[str],
    private: Sequence[Question] = (),
) -> CountedRows:
    """Read the reports, and count their rows."""
    labels, times = _labels_by_code(manifest, dimensions), Counter[_Row]()
    for combinations in joined(combinations_of(reports, (outcome.question, *private)), most=_COMBINATIONS_AT_A_TIME):
        values = _by_draw(outcome.question, column(combinations, 1), lambda draws: _values(outcome, draws))
        answers = [
            _by_draw(question, column(combinations, place), partial(_named, question))
            for place, question in enumerate(private, start=2)
        ]
        for (code, draw, *others), number in combinations.items():
            named = tuple([answer[other] for answer, other in zip(answers, others, strict=True)])
            times[values[draw], named, labels[code]] += number
    return CountedRows(outcome, tuple(dimensions), tuple(private), times)


def lay_out(manifest: Manifest, counted: CountedRows) -> Rows:
    """Return the rows that count as columns."""
    withheld = _withheld(manifest, counted)
    complete = [(row, number) for row, number in counted.times.items() if _counts(row, withheld)]
    times = np.array([number for _, number in complete], np.int64)
    return Rows(
        counted.outcome,
        np.array([value for (value, _, _), _ in complete], np.float64),
        {
            name: np.array([labels[place] for (_, _, labels), _ in complete], np.str_)
            for place, name in enumerate(counted.dimensions)
        },
        {
            question.id: (np.array([answers[place] for (_, answers, _), _ in complete], np.str_), matrix_of(question))
            for place, question in enumerate(counted.private)
        },
        times,
        _warnings(manifest, int(times.sum()), counted.times.total(), withheld),
    )


def _by_draw(
    question: Question, draws: Iterable[Draw], read: Callable[[Sequence[Draw]], Sequence[_Read | None]]
) -> dict[Draw, _Read | None]:
    """Return what each distinct draw means; None where the question was not asked."""
    asked = [draw for draw in dict.fromkeys(draws) if draw != question.design.blank]
    meanings: dict[Draw, _Read | None] = {question.design.blank: None}
    return meanings | dict(zip(asked, read(asked) if asked else (), strict=True))


def _values(outcome: Outcome, draws: Sequence[Draw]) -> list[float | None]:
    # A device that ticks is asked about some of the options.
    return [None if np.isnan(value) else float(value) for value in outcome.values(draws)]


def _labels_by_code(manifest: Manifest, dimensions: Sequence[str]) -> dict[str, tuple[str | None, ...]]:
    groups = manifest.groups
    if groups is None:
        return {"": ()}
    return {code: tuple(groups.labels_of(code)[name] for name in dimensions) for code in groups.codes}


def _withheld(manifest: Manifest, counted: CountedRows) -> frozenset[str]:
    """Return the labels of these dimensions with too few reports to be shown, those of nobody aside."""
    found: Counter[str] = Counter()
    for (_, _, labels), number in counted.times.items():
        for label in labels:
            if label is not None:
                found[label] += number
    smallest = manifest.groups.smallest if manifest.groups and counted.dimensions else 0
    return frozenset(label for label, number in found.items() if number < smallest)


def _counts(row: _Row, withheld: frozenset[str]) -> bool:
    value, answers, labels = row
    return None not in (value, *answers, *labels) and withheld.isdisjoint(labels)


def _warnings(manifest: Manifest, used: int, total: int, withheld: frozenset[str]) -> tuple[str, ...]:
    smallest = manifest.groups.smallest if manifest.groups else 0
    small = (WITHHELD.format(smallest=smallest, names=", ".join(sorted(withheld))),) if withheld else ()
    # Beside a group that is withheld the number would tell its size.
    return small or ((LEFT_OUT.format(used=used, reports=total),) if used < total else ())


def _named(question: Question, draws: Sequence[Draw]) -> list[str]:
    """Return the answer that each draw names."""
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
