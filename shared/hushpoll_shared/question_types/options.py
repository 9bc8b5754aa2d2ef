"""Options to choose from: the ids that programs use and the texts that people read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Self

from hushpoll_shared.checks import check_text
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.question_types.question_type import EXTRAS, AnswerError
from hushpoll_shared.texts import are_told_apart

MOST_OPTIONS = 100_000
LONGEST_ID = 200

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Option:
    """One of the answers to choose from."""

    id: str
    text: str

    def __post_init__(self) -> None:
        """Refuse what cannot be written or told apart."""
        check_text(self.text, "an option's text")
        check_text(self.id, "an option's id")
        if len(self.id) > LONGEST_ID or _CONTROL.search(self.id) or self.id in (*EXTRAS, "-"):
            raise InvalidValue("an option's id must have at most 200 characters and must not be decline or similar")

    def to_json(self) -> object:
        """Return the text alone if it is the id, else both."""
        return self.text if self.id == self.text else [self.id, self.text]

    @classmethod
    def read(cls, value: Any) -> Self:
        """Read an option from a manifest."""
        if isinstance(value, str):
            return cls(value, value)
        if not isinstance(value, list) or len(value) != 2 or value[0] == value[1]:
            raise InvalidValue("an option must be a text, or an id and a text")
        return cls(*value)


def check_options(options: tuple[Option, ...], most: int) -> None:
    """Refuse too few or too many options, and options that are or look the same."""
    if not 2 <= len(options) <= most:
        raise InvalidValue(f"a choice needs between 2 and {most} options")
    if len({option.id for option in options}) != len(options):
        raise InvalidValue("two options are the same: give each its own id")
    if not are_told_apart(option.text for option in options):
        raise InvalidValue("two options look the same, or one cannot be seen: give each a text of its own")


def read_options(value: object) -> tuple[Option, ...]:
    """Read a list of options."""
    if not isinstance(value, list) or len(value) > MOST_OPTIONS:
        raise InvalidValue(f"options must be a list of 2 to {MOST_OPTIONS}")
    return tuple(Option.read(option) for option in value)


def place_of(question: str, options: tuple[str, ...], answer: object) -> int:
    """Return the place of an answer among the ids of the options."""
    if isinstance(answer, str) and answer in options:
        return options.index(answer)
    raise AnswerError(question, "has no such option: give an option's id, or its text where it has none")
