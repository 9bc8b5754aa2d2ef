"""Read the groups of a survey file: public labels that a link or an app attaches to a report.

The rule here: what is public by declaration must not be what another question keeps private. A label that is an answer
to a question is refused, and a warning says what it means that groups are public.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from hushpoll_server.compile.drafts import Draft
from hushpoll_server.compile.fields import Fields, refuse_empty
from hushpoll_server.compile.yaml_with_lines import Located, LocatedError
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.groups import LARGEST_SMALLEST, Dimension, Groups, Label
from hushpoll_shared.presentation import DEFAULT_LANGUAGE, Translation
from hushpoll_shared.texts import normal_form
from hushpoll_shared.words import interface

# Of a group with fewer reports, nothing is shown unless the survey says otherwise.
DEFAULT_SMALLEST = 30
_ONE_DIMENSION = ("group", "Group")
_EXAMPLE = "{arts: Arts, engineering: Engineering}"
_PUBLIC = (
    "groups are public: a report says to which group it belongs, and no epsilon covers that. Declare only what may be "
    "known of everybody who answers, and give a link with a group to that group only"
)


def read_groups(fields: Fields, drafts: Sequence[Draft]) -> Groups | None:
    """Read the field `groups`, with the smallest group of which something is shown."""
    if "groups" not in fields:
        if "smallest_group" in fields:
            fields.note("smallest_group", f"there are no groups: add groups: {_EXAMPLE}, or remove smallest_group")
        return None
    smallest = fields.whole("smallest_group", LARGEST_SMALLEST) or DEFAULT_SMALLEST
    dimensions = fields.attempt("groups", lambda: _read_dimensions(fields))
    if dimensions is None:
        return None
    answers = {_seen(answer): draft.id for draft in drafts for answer in _answers(draft)}
    for dimension, line in dimensions:
        spellings = [(label.id, text) for label in dimension.labels for text in (label.id, label.text)]
        fields.attempt("groups", partial(_refuse, spellings, answers, line))
    fields.warn("groups", _PUBLIC)
    return fields.attempt("groups", lambda: Groups(tuple(dimension for dimension, _ in dimensions), smallest))


def _read_dimensions(fields: Fields) -> list[tuple[Dimension, int]]:
    """Return each dimension with its line; a plain map of labels is one dimension."""
    listed = fields.located("groups")
    if not isinstance(listed.value, dict) or not listed.value:
        raise InvalidValue(f"groups must be a map of labels, such as {_EXAMPLE}, or a map of several such maps")
    if not any(isinstance(item.value, dict) for item in listed.value.values()):
        return [(Dimension(*_ONE_DIMENSION, _read_labels(listed)), listed.line)]
    return [(_read_dimension(fields, name, item), item.key_line) for name, item in listed.value.items()]


def _read_dimension(fields: Fields, name: str, item: Located) -> Dimension:
    if not isinstance(item.value, dict):
        raise LocatedError(item.key_line, f"{name} must be a map of labels, like the other dimensions: {_EXAMPLE}")
    # Either the labels themselves, or a text for people beside them.
    if not isinstance(getattr(item.value.get("labels"), "value", None), dict):
        return Dimension(name, name, _read_labels(item))
    entry = Fields(item, ("text", "labels"), fields.findings)
    return Dimension(name, entry.text("text", name, "people will see its name"), _read_labels(entry.located("labels")))


def _read_labels(listed: Located) -> tuple[Label, ...]:
    return tuple(_read_label(name, item) for name, item in listed.value.items())


def _read_label(name: str, item: Located) -> Label:
    try:
        refuse_empty(item.value, f"the text of the group {name}", line=item.line)
        return Label(name, item.value)
    except InvalidValue as error:
        raise LocatedError(item.key_line, str(error)) from None


def refuse_translated_answers(
    fields: Fields,
    groups: Groups | None,
    drafts: Sequence[Draft],
    language: str | None,
    translations: Mapping[str, Translation],
) -> None:
    """Refuse a label that is an answer in some language: the survey's own, a translation, or the form's words."""
    if groups is None:
        return
    ids = [label.id for dimension in groups.dimensions for label in dimension.labels]
    own = [(label.id, label.text) for dimension in groups.dimensions for label in dimension.labels]
    translated = [(name, text) for each in translations.values() for name, text in each.groups.items()]
    answers = {_seen(answer): draft.id for draft in drafts for answer in _answers(draft)}
    for tag in (language or DEFAULT_LANGUAGE, *translations):
        answers |= {_seen(interface(tag)[word]): draft.id for draft in drafts for word in _words(draft)}
    for translation in translations.values():
        for name, question in translation.questions.items():
            answers |= {_seen(text): name for text in (*question.options, *question.labels)}
    spellings = [*((name, name) for name in ids), *own, *translated]
    fields.attempt("groups", partial(_refuse, spellings, answers, fields.line("groups")))


def _refuse(spellings: Sequence[tuple[str, str]], answers: Mapping[str, str], line: int) -> None:
    """Refuse a label that is an answer to a question: it would be public in the link and private in the form."""
    for label, spelling in spellings:
        if question := answers.get(_seen(spelling)):
            raise LocatedError(
                line,
                f"the group {label} is an answer to the question {question}: what a link says is public, so ask it, or "
                "declare it as a group, but not both",
            )


def _words(draft: Draft) -> Iterator[str]:
    """Yield the names of the form's own words that answer a question."""
    for question_type in (draft.type, *(part.type for part in draft.type.parts)):
        yield from ("yes", "no") if question_type.is_yes_no else ()
        yield from question_type.extras


def _answers(draft: Draft) -> Iterator[str]:
    """Yield every spelling of an answer to a question or to a part of it."""
    for question_type in (draft.type, *(part.type for part in draft.type.parts)):
        yield from question_type.cells
        yield from question_type.labels.values()
        for texts in question_type.texts.values():
            yield from texts.values()


def _seen(text: str) -> str:
    """Return a text without what does not make it another answer: case, width and punctuation."""
    plain = unicodedata.normalize("NFKC", normal_form(text)).casefold()
    return "".join(letter for letter in plain if letter.isalnum()) or plain
