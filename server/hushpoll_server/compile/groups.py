"""Read the groups of a survey file: public labels that a link or an app attaches to a report.

The rule here: what is public by declaration must not be what another question keeps private. A label that is an answer
to a question is refused, and a warning says what it means that groups are public.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from hushpoll_server.compile.drafts import Draft
from hushpoll_server.compile.fields import Fields, refuse_empty
from hushpoll_server.compile.yaml_with_lines import Located, LocatedError
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.groups import LARGEST_SMALLEST, Dimension, Groups, Label
from hushpoll_shared.texts import normal_form

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
    for dimension, line in dimensions:
        fields.attempt("groups", partial(_refuse_answers, dimension, line, drafts))
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


def _refuse_answers(dimension: Dimension, line: int, drafts: Sequence[Draft]) -> None:
    """Refuse a label that is an answer to a question: it would be public in the link and private in the form."""
    answers = {_seen(answer): draft.id for draft in drafts for answer in _answers(draft)}
    for label in dimension.labels:
        for spelling in (label.id, label.text):
            if question := answers.get(_seen(spelling)):
                raise LocatedError(
                    line,
                    f"the group {label.id} is an answer to the question {question}: what a link says is public, so "
                    "ask it, or declare it as a group, but not both",
                )


def _answers(draft: Draft) -> Iterator[str]:
    """Yield every spelling of an answer to a question or to a part of it."""
    for question_type in (draft.type, *(part.type for part in draft.type.parts)):
        yield from question_type.cells
        yield from question_type.labels.values()
        for texts in question_type.texts.values():
            yield from texts.values()


def _seen(text: str) -> str:
    return normal_form(text).casefold()
