"""What can be chosen on the pages that compare, cross and regress, in the words of the survey.

The rule here: a form offers only what the analysis can do, by asking the analysis itself; whatever else has a valid
name can still be written in the address.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hushpoll_server.analysis.rows import is_covariate, read_outcome
from hushpoll_server.analysis.variables import OF, Variable, read_variables
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import BAD_QUERY, ProblemError
from hushpoll_shared.questions import Question

# Of a question with more answers, single ones are not listed.
MOST_LISTED = 60


@dataclass(frozen=True)
class Choice:
    """One entry of a list: the name in the address, and the text that people read; `heading` is the question's."""

    name: str
    text: str
    heading: str = ""


def variable_choices(manifest: Manifest) -> list[Choice]:
    """Return the questions, parts of pairs and options that a table can have."""
    return [choice for question in manifest.questions for choice in _variables(question)]


def part_choices(manifest: Manifest) -> list[Choice]:
    """Return the parts of pairs and the options that a table can have."""
    return [choice for choice in variable_choices(manifest) if choice.heading]


def outcome_choices(manifest: Manifest) -> list[Choice]:
    """Return the questions and the answers that can be regressed."""
    offered = (choice for question in manifest.questions for choice in _outcomes(question))
    return [choice for choice in offered if _is_outcome(manifest, choice.name)]


def covariate_choices(manifest: Manifest) -> list[Choice]:
    """Return the dimensions of public groups, and the questions that can be covariates."""
    dimensions = manifest.groups.dimensions if manifest.groups else ()
    public = [Choice(each.id, f"{each.text} (public groups)") for each in dimensions]
    return public + [Choice(each.id, each.text) for each in manifest.questions if is_covariate(each)]


def check_variables(manifest: Manifest, names: Sequence[str]) -> list[Variable]:
    """Return the variables with these names; a name that is none is a bad query."""
    try:
        return [variable for name in names for variable in read_variables(manifest, [name])]
    except InvalidValue:
        raise ProblemError(BAD_QUERY) from None


def title_of(variable: Variable) -> str:
    """Return what people read for a variable."""
    question = variable.question
    if variable.part is not None:
        return question.type.parts[variable.part].text
    return question.text if variable.option is None else f"{question.text} {question.type.words[variable.option]}"


def words_of(variable: Variable) -> tuple[str, ...]:
    """Return what people read for the answers of a variable."""
    question = variable.question
    if variable.option is not None or variable.is_number:
        return variable.answers
    return question.type.words if variable.part is None else question.type.parts[variable.part].type.words


def _variables(question: Question) -> Iterator[Choice]:
    if question.type.parts:
        yield from (Choice(part.id, part.text, question.text) for part in question.type.parts)
    elif question.type.cells and not question.type.is_exclusive:
        yield from _answers(question)
    else:
        yield Choice(question.id, question.text)


def _outcomes(question: Question) -> Iterator[Choice]:
    if question.type.is_yes_no or not question.type.cells or question.type.report != "shares":
        yield Choice(question.id, question.text)
    else:
        yield from _answers(question)


def _answers(question: Question) -> Iterator[Choice]:
    names = zip(question.type.cells, question.type.words, strict=True)
    if len(question.type.cells) <= MOST_LISTED:
        yield from (Choice(f"{question.id}{OF}{cell}", words, question.text) for cell, words in names)


def _is_outcome(manifest: Manifest, name: str) -> bool:
    try:
        read_outcome(manifest, name)
    except InvalidValue:
        return False
    return True
