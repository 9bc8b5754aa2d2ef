"""Read after which answers to an earlier question another is shown.

The law here: a question that was not shown is reported all the same, as one that does not apply; so `show_if` adds
`does_not_apply` to the question by itself, and nobody can tell from a report who was shown what.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from hushpoll_server.surveys.drafts import Draft
from hushpoll_server.surveys.fields import Fields
from hushpoll_server.surveys.located import Located, LocatedError
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.questions import Answer, Kind, Pair, When, YesNo, asked

_EXAMPLE = "write the id of an earlier question and its answers, such as {cheated: yes} or {frequency: [once, often]}"
_WORDS = {"yes": True, "no": False}
_MOST_NAMED = 10


@dataclass(frozen=True)
class _Asked:
    """What is asked before a question, what is asked at all, and what the file names besides."""

    everywhere: Mapping[str, Kind]
    known: Sequence[object]
    earlier: dict[str, Kind] = field(default_factory=dict)


def with_conditions(drafts: Sequence[Draft], entries: Sequence[Fields]) -> list[Draft]:
    """Say of each question when it is shown; note what cannot be."""
    everywhere = {name: kind for draft in drafts for name, kind in asked(draft.id, draft.kind).items()}
    questions = _Asked(everywhere, [fields["id"] for fields in entries])
    read = []
    for draft in drafts:
        read.append(_with_condition(draft, questions) if "show_if" in draft.fields else draft)
        questions.earlier.update(asked(draft.id, draft.kind))
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
    kind = _decisive(name, questions, answers.key_line)
    if kind is None:
        return None
    listed = answers.value if isinstance(answers.value, list) else [answers]
    return When(name, tuple(_read_answer(name, kind, answer) for answer in listed))


def _decisive(name: str, questions: _Asked, line: int) -> Kind | None:
    """Find the question that decides; nothing if what is wrong with it was said at its own line."""
    if name not in questions.known:
        raise LocatedError(line, f"there is no question {name!r}: {_EXAMPLE}")
    if name in questions.everywhere and name not in questions.earlier:
        raise LocatedError(line, f"the question {name!r} is not asked before this one: move it up, or name another")
    kind = questions.earlier.get(name)
    if isinstance(kind, Pair):
        parts = " or ".join(part.id for part in kind.parts)
        raise LocatedError(line, f"{name!r} is a pair: name one of its questions, {parts}")
    if kind and not kind.answers:
        raise LocatedError(line, f"{name!r} is a number: name a question of the types yes_no, scale or a choice")
    return kind


def _read_answer(name: str, kind: Kind, written: Located) -> Answer:
    value = written.value
    if isinstance(kind, YesNo) and isinstance(value, str):
        value = _WORDS.get(value, value)
    # Python holds True for 1.
    for answer in kind.answers:
        if type(answer) is type(value) and answer == value:
            return answer
    raise LocatedError(written.line, f"{name!r} has no such answer: it has {_listed(kind)}")


def _listed(kind: Kind) -> str:
    # The names of the cells are what a survey file says, yes and no among them.
    names: tuple[str, ...] = kind.cells  # type: ignore[attr-defined]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
