"""Read which answers to an earlier question cause another one to be shown.

The rule here: a question that was not shown is reported nevertheless, as one that does not apply; so `show_if` adds
`does_not_apply` to the question automatically, and nobody can tell from a report who was shown what.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from hushpoll_server.compile.drafts import Draft
from hushpoll_server.compile.fields import Fields
from hushpoll_server.compile.yaml_with_lines import Located, LocatedError
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.presentation import When
from hushpoll_shared.question_types import Answer, QuestionType
from hushpoll_shared.questions import asked

_EXAMPLE = "write the id of an earlier question and its answers, such as {cheated: yes} or {frequency: [once, often]}"
_WORDS = {"yes": True, "no": False}
# The most answers that an error message lists.
_MOST_LISTED = 10


@dataclass(frozen=True)
class _Asked:
    """The types of all questions, the ids in the file, and the types of the questions before the current one."""

    types: Mapping[str, QuestionType]
    ids: Sequence[object]
    earlier: dict[str, QuestionType] = field(default_factory=dict)


def with_conditions(drafts: Sequence[Draft], entries: Sequence[Fields]) -> list[Draft]:
    """Return the questions with the conditions under which they are shown; note invalid conditions."""
    types = {name: each for draft in drafts for name, each in asked(draft.id, draft.type).items()}
    questions = _Asked(types, [fields["id"] for fields in entries])
    read = []
    for draft in drafts:
        read.append(_with_condition(draft, questions) if "show_if" in draft.fields else draft)
        questions.earlier.update(asked(draft.id, draft.type))
    return read


def _with_condition(draft: Draft, questions: _Asked) -> Draft:
    fields = draft.fields
    if fields["does_not_apply"] is False:
        fields.note("does_not_apply", "show_if needs does_not_apply and adds it by itself: remove this field")
    return replace(draft, when=fields.attempt("show_if", lambda: _read(fields.located("show_if"), questions)))


def _read(written: Located, questions: _Asked) -> When | None:
    if not isinstance(written.value, dict) or len(written.value) != 1:
        raise InvalidValue(f"show_if names one question: {_EXAMPLE}")
    [(name, answers)] = written.value.items()
    decisive = _decisive(name, questions, answers.key_line)
    if decisive is None:
        return None
    listed = answers.value if isinstance(answers.value, list) else [answers]
    return When(name, tuple(_read_answer(name, decisive, answer) for answer in listed))


def _decisive(name: str, questions: _Asked, line: int) -> QuestionType | None:
    """Return the type of the deciding question; None if an error was noted on its own line."""
    if name not in questions.ids:
        raise LocatedError(line, f"there is no question {name!r}: {_EXAMPLE}")
    if name in questions.types and name not in questions.earlier:
        raise LocatedError(line, f"the question {name!r} is not asked before this one: move it up, or name another")
    decisive = questions.earlier.get(name)
    if decisive and decisive.parts:
        parts = " or ".join(part.id for part in decisive.parts)
        raise LocatedError(line, f"{name!r} is a pair: name one of its questions, {parts}")
    if decisive and not decisive.answers:
        raise LocatedError(line, f"{name!r} is a number: name a question of the types yes_no, scale or a choice")
    return decisive


def _read_answer(name: str, decisive: QuestionType, written: Located) -> Answer:
    value = written.value
    if decisive.is_yes_no and isinstance(value, str):
        value = _WORDS.get(value, value)
    # In Python, True equals 1.
    for answer in decisive.answers:
        if type(answer) is type(value) and answer == value:
            return answer
    raise LocatedError(written.line, f"{name!r} has no such answer: it has {_listed(decisive)}")


def _listed(decisive: QuestionType) -> str:
    # The names of the cells are spelled as in a survey file, yes and no included.
    names = decisive.cells
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    return ", ".join(names[:_MOST_LISTED]) + more
