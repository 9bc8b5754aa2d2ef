"""What all types of questions have in common: options, extras, and the form in which a manifest holds them.

The law here: everything that somebody could answer, "prefer not to say" and "does not apply" included, is inside the
domain that the mechanism randomizes; an answer is its code, its place in that domain.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from hushpoll_shared.checks import check_text
from hushpoll_shared.designs import Channel, Design, Laplace, Projective, Repeated, Subset
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.texts import are_told_apart

DECLINE, DOES_NOT_APPLY = "decline", "does_not_apply"
EXTRAS = (DECLINE, DOES_NOT_APPLY)
MOST_OPTIONS = 100_000

# An answer as an app gives it: true or false, the id of an option, a point of a scale, an extra.
Answer = bool | int | str

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Option:
    """One of the answers to choose from: what programs call it and what people read."""

    id: str
    text: str

    def __post_init__(self) -> None:
        """Refuse what cannot be written or told apart."""
        check_text(self.text, "an option's text")
        check_text(self.id, "an option's id")
        if len(self.id) > 200 or _CONTROL.search(self.id) or self.id in (*EXTRAS, "-"):
            raise InvalidValue("an option's id must have at most 200 characters and must not be decline or similar")

    def to_json(self) -> object:
        """Give the text alone if it is the id, else both."""
        return self.text if self.id == self.text else [self.id, self.text]

    @classmethod
    def read(cls, value: Any) -> Self:
        """Read an option from a manifest."""
        if isinstance(value, str):
            return cls(value, value)
        if not isinstance(value, list) or len(value) != 2 or value[0] == value[1]:
            raise InvalidValue("an option must be a text, or an id and a text")
        return cls(*value)


class Kind(ABC):
    """A type of question with what is fixed for all its respondents."""

    TYPE: ClassVar[str]
    FIELDS: ClassVar[tuple[str, ...]]

    @property
    def answers(self) -> tuple[Answer, ...]:
        """List what an app can answer, or tick, extras last; nothing where it cannot be listed."""
        return ()

    @abstractmethod
    def to_json(self) -> dict[str, object]:
        """Give the fields that this type has in a manifest."""

    @classmethod
    @abstractmethod
    def read(cls, fields: Mapping[str, Any]) -> Self:
        """Read the fields of this type."""

    @abstractmethod
    def fits(self, design: Design) -> bool:
        """Tell whether a design can randomize the answers to this question."""


class Choice(Kind):
    """A type whose answers exclude each other: exactly one of `cells` is true."""

    extras: tuple[str, ...]

    @property
    @abstractmethod
    def cells(self) -> tuple[str, ...]:
        """Name the possible answers in the order of their codes, extras last."""

    def fits(self, design: Design) -> bool:
        """Take any design for as many categories."""
        return isinstance(design, Subset | Projective | Repeated) and design.size == len(self.cells)


def check_options(options: tuple[Option, ...], most: int) -> None:
    """Refuse too few or too many options, and those that are equal or look so."""
    if not 2 <= len(options) <= most:
        raise InvalidValue(f"a choice needs between 2 and {most} options")
    if len({option.id for option in options}) != len(options):
        raise InvalidValue("two options are the same: give each its own id")
    if not are_told_apart(option.text for option in options):
        raise InvalidValue("two options look the same, or one cannot be seen: give each a text of its own")


def check_report(report: object, known: tuple[str, ...]) -> None:
    """Refuse to report what is not offered."""
    if report not in known:
        raise InvalidValue(f"report must be one of: {', '.join(known)}")


def read_options(value: object) -> tuple[Option, ...]:
    """Read a list of options."""
    if not isinstance(value, list) or len(value) > MOST_OPTIONS:
        raise InvalidValue(f"options must be a list of 2 to {MOST_OPTIONS}")
    return tuple(Option.read(option) for option in value)


def read_extras(value: object) -> tuple[str, ...]:
    """Read which extras a question has."""
    if not isinstance(value, list) or value != [extra for extra in EXTRAS if extra in value]:
        raise InvalidValue(f"extras must be some of {', '.join(EXTRAS)}, in this order")
    return tuple(value)


def fits_mean(design: Design, extras: tuple[str, ...]) -> bool:
    """Tell whether a design is for a mean beside these extras."""
    if isinstance(design, Channel):
        return design.extras == len(extras)
    return isinstance(design, Laplace) and not extras
