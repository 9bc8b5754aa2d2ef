"""The variables of a table, by the names that a researcher gives: questions, parts of pairs, options that are ticked.

`cheated` is a question, `works` may be a part of a pair, and `channels:a phone` is one option of a question with
several answers. Each turns the scores of its question's draws into unbiased indicators of its own answers. The rule
here: variables of one question are drawn together, so only the two parts of a pair can be crossed with each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.support import Figures
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms.domains import Categories, Numbers
from hushpoll_shared.questions import Question

# Between a question and one of its options: no id of a question contains it.
OF = ":"
TICKED, NOT_TICKED = "ticked", "not ticked"


@dataclass(frozen=True)
class Variable:
    """One axis of a table; `part` is the place in a pair, `option` that of an option; a number has no answers."""

    name: str
    question: Question
    answers: tuple[str, ...]
    part: int | None = None
    option: int | None = None

    @property
    def is_number(self) -> bool:
        """Return whether it is a number, whose mean is estimated."""
        return not self.answers

    @property
    def is_whole(self) -> bool:
        """Return whether it is a question to which exactly one answer is true, as it was asked."""
        return not self.is_number and self.part is None and self.option is None

    @property
    def size(self) -> int:
        """Return the number of indicators: a number has two."""
        return len(self.answers) or 2


def read_variables(manifest: Manifest, names: Sequence[str]) -> tuple[Variable, ...]:
    """Return the variables with these names; refuse those that have no table."""
    variables = tuple(_read(manifest, name) for name in names)
    if len(set(names)) < len(names):
        raise EstimateError("a table is of different questions: one is named twice")
    if sum(variable.is_number for variable in variables) > 1:
        raise EstimateError("a table has one number at most, whose mean is in each group: name one number")
    for question in {variable.question.id for variable in variables}:
        _check_together([variable for variable in variables if variable.question.id == question])
    return variables


def indicators_of(together: Sequence[Variable], scores: Figures) -> Figures:
    """Return the indicators of one or two variables of a question, with an axis for each, from its draws' scores."""
    first = together[0]
    if first.option is not None:
        ticked = scores[:, first.option]
        return np.column_stack((ticked, 1 - ticked))
    if first.part is None:
        return scores
    sizes = [len(part.type.cells) for part in first.question.type.parts]
    cells = scores.reshape(len(scores), *sizes)
    if len(together) == 2:
        return cells if first.part == 0 else cells.transpose(0, 2, 1)
    # The indicators of a part are sums over the answers to the other one.
    return np.asarray(cells.sum(axis=2 - first.part))


def _read(manifest: Manifest, name: str) -> Variable:
    for question in manifest.questions:
        if question.id == name:
            return _whole(question)
        for place, part in enumerate(question.type.parts):
            if part.id == name:
                return Variable(name, question, part.type.cells, part=place)
        if name.startswith(question.id + OF):
            return _option(question, name)
    if manifest.groups and name in {dimension.id for dimension in manifest.groups.dimensions}:
        raise EstimateError(
            f"{name} is a dimension of public groups: compare a question by it, or cross within a group"
        )
    known = ", ".join(question.id for question in manifest.questions)
    raise EstimateError(f"there is no question {name!r}: name two or three of {known}, with commas")


def _whole(question: Question) -> Variable:
    match question.type.domain:
        case Categories():
            return Variable(question.id, question, question.type.cells)
        case Numbers():
            return Variable(question.id, question, ())
    example = f"{question.id}{OF}{question.type.cells[0]}"
    raise EstimateError(f"{question.id!r} has several answers at once: name one of its options, such as {example!r}")


def _option(question: Question, name: str) -> Variable:
    option = name.removeprefix(question.id + OF)
    if question.type.is_exclusive or option not in question.type.cells:
        raise EstimateError(f"question {question.id!r} has no option of that name to tick: check its spelling")
    return Variable(name, question, (TICKED, NOT_TICKED), option=question.type.cells.index(option))


def _check_together(together: Sequence[Variable]) -> None:
    parts = {variable.part for variable in together}
    if len(together) > 1 and parts != {0, 1}:
        names = " and ".join(repr(variable.name) for variable in together)
        raise EstimateError(f"{names} are randomized together, so they have no table: cross different questions")
