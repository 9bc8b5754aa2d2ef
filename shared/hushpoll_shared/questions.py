"""The types of questions: what can be answered, and which mechanisms fit.

Each type is one class that knows its fields in the manifest and the names of its possible answers. The law here:
everything that somebody could answer, "prefer not to say" and "does not apply" included, is inside the domain that the
mechanism randomizes; an answer is its code, its place in that domain.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

from hushpoll_shared.checks import check_fields, check_name, check_text
from hushpoll_shared.designs import (
    Ball,
    Channel,
    Design,
    Laplace,
    Padded,
    Projective,
    Repeated,
    Subset,
    Warner,
    Wave,
)
from hushpoll_shared.errors import InvalidValue

DECLINE, DOES_NOT_APPLY = "decline", "does_not_apply"
EXTRAS = (DECLINE, DOES_NOT_APPLY)
MOST_OPTIONS = 100_000
MOST_TICKABLE = 256
MOST_POINTS = 1001
LARGEST_POINT = 10**9

_DECIMAL = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d{0,14}[1-9])?", re.ASCII)
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
        """Take any design for as many categories; Warner's only without extras."""
        size = len(self.cells)
        if isinstance(design, Warner):
            return self.TYPE == YesNo.TYPE and size == 2
        return isinstance(design, Subset | Projective | Repeated) and design.size == size


@dataclass(frozen=True)
class YesNo(Choice):
    """Yes or no."""

    extras: tuple[str, ...] = ()

    TYPE: ClassVar = "yes_no"
    FIELDS: ClassVar = ("extras",)

    @property
    def cells(self) -> tuple[str, ...]:
        """Name no, yes and the extras."""
        return ("no", "yes", *self.extras)

    def to_json(self) -> dict[str, object]:
        """Give the extras."""
        return {"extras": list(self.extras)}

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Self:
        """Read the extras."""
        return cls(read_extras(fields["extras"]))


@dataclass(frozen=True)
class SingleChoice(Choice):
    """One of several options."""

    options: tuple[Option, ...]
    extras: tuple[str, ...] = ()

    TYPE: ClassVar = "single_choice"
    FIELDS: ClassVar = ("options", "extras")

    def __post_init__(self) -> None:
        """Refuse options that cannot be told apart."""
        check_options(self.options, MOST_OPTIONS)

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """Name the options and the extras."""
        return (*(option.id for option in self.options), *self.extras)

    def to_json(self) -> dict[str, object]:
        """Give the options and the extras."""
        return {"options": [option.to_json() for option in self.options], "extras": list(self.extras)}

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Self:
        """Read the options and the extras."""
        return cls(read_options(fields["options"]), read_extras(fields["extras"]))


@dataclass(frozen=True)
class Scale(Choice):
    """A point of a scale, reported for the shares of the points or for their mean."""

    min: int
    max: int
    labels: tuple[tuple[int, str], ...] = ()
    report: str = "shares"
    extras: tuple[str, ...] = ()

    TYPE: ClassVar = "scale"
    FIELDS: ClassVar = ("min", "max", "labels", "report", "extras")

    def __post_init__(self) -> None:
        """Refuse scales without points, and labels without a point."""
        if type(self.min) is not int or type(self.max) is not int or abs(self.min) > LARGEST_POINT:
            raise InvalidValue("min and max of a scale must be whole numbers")
        if not self.min < self.max < self.min + MOST_POINTS:
            raise InvalidValue(f"a scale needs a max above its min, and at most {MOST_POINTS} points")
        points = [point for point, _ in self.labels]
        if points != sorted(set(points)) or any(not self.min <= point <= self.max for point in points):
            raise InvalidValue("labels of a scale must belong to its points, each once, in order")
        for _, text in self.labels:
            check_text(text, "a label")
        check_report(self.report, ("shares", "mean"))

    @property
    def points(self) -> range:
        """Give the points of the scale."""
        return range(self.min, self.max + 1)

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """Name the points and the extras."""
        return (*map(str, self.points), *self.extras)

    def fits(self, design: Design) -> bool:
        """Take designs for categories, or for a mean over as many points."""
        if self.report == "shares":
            return super().fits(design)
        return _fits_mean(design, self.extras) and getattr(design, "inputs", len(self.points)) == len(self.points)

    def to_json(self) -> dict[str, object]:
        """Give the ends, the labels, what is reported, and the extras."""
        labels = [[point, text] for point, text in self.labels]
        return {"min": self.min, "max": self.max, "labels": labels, "report": self.report, "extras": list(self.extras)}

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Self:
        """Read a scale."""
        labels, extras = _read_labels(fields["labels"]), read_extras(fields["extras"])
        return cls(fields["min"], fields["max"], labels, fields["report"], extras)


@dataclass(frozen=True)
class MultiChoice(Kind):
    """Any number of several options, or at most `most`."""

    options: tuple[Option, ...]
    most: int | None = None
    extras: tuple[str, ...] = ()

    TYPE: ClassVar = "multi_choice"
    FIELDS: ClassVar = ("options", "most", "extras")

    def __post_init__(self) -> None:
        """Refuse options that cannot be told apart, and limits that are none."""
        check_options(self.options, MOST_TICKABLE)
        if self.most is not None and (type(self.most) is not int or not 1 <= self.most <= len(self.options)):
            raise InvalidValue("max_picks must be a whole number from 1 to the number of options")

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """Name the options and the extras; several can be true of one respondent."""
        return (*(option.id for option in self.options), *self.extras)

    def fits(self, design: Design) -> bool:
        """Take a ball over all options, or padding to the limit."""
        if isinstance(design, Padded):
            return design.options == len(self.cells) and design.most == self.most
        return isinstance(design, Ball) and design.options == len(self.cells)

    def to_json(self) -> dict[str, object]:
        """Give the options, the limit and the extras."""
        options = [option.to_json() for option in self.options]
        return {"options": options, "most": self.most, "extras": list(self.extras)}

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Self:
        """Read the options, the limit and the extras."""
        return cls(read_options(fields["options"]), fields["most"], read_extras(fields["extras"]))


@dataclass(frozen=True)
class Number(Kind):
    """A number in a public range, reported for the mean or for the distribution."""

    min: str
    max: str
    report: str = "mean"
    extras: tuple[str, ...] = ()

    TYPE: ClassVar = "number"
    FIELDS: ClassVar = ("min", "max", "report", "extras")

    def __post_init__(self) -> None:
        """Refuse ranges without width."""
        if not self.low < self.high:
            raise InvalidValue("max must be above min")
        check_report(self.report, ("mean", "distribution"))

    @cached_property
    def low(self) -> Fraction:
        """Give the lower end of the range."""
        return read_decimal(self.min, "min")

    @cached_property
    def high(self) -> Fraction:
        """Give the upper end of the range."""
        return read_decimal(self.max, "max")

    def fits(self, design: Design) -> bool:
        """Take a design for what is reported."""
        if self.report == "mean":
            return _fits_mean(design, self.extras)
        return isinstance(design, Wave) and design.extras == len(self.extras)

    def to_json(self) -> dict[str, object]:
        """Give the range, what is reported, and the extras."""
        return {"min": self.min, "max": self.max, "report": self.report, "extras": list(self.extras)}

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Self:
        """Read a range."""
        return cls(fields["min"], fields["max"], fields["report"], read_extras(fields["extras"]))


@dataclass(frozen=True)
class Part:
    """One of two questions that are reported as one."""

    id: str
    text: str
    kind: Choice

    def __post_init__(self) -> None:
        """Refuse a question that could not be asked."""
        check_name(self.id, "a question's id")
        check_text(self.text, "a question's text")
        if not isinstance(self.kind, YesNo | SingleChoice | Scale) or getattr(self.kind, "report", "shares") == "mean":
            raise InvalidValue("a pair joins two questions of the types yes_no, single_choice or scale (shares)")


@dataclass(frozen=True)
class Pair(Choice):
    """Two questions that are asked one after the other and reported as one, for their cross table."""

    parts: tuple[Part, Part]

    TYPE: ClassVar = "pair"
    FIELDS: ClassVar = ("parts",)
    # Those of the parts are inside the parts.
    extras: ClassVar[tuple[str, ...]] = ()  # type: ignore[misc]

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """Name the combinations, the second question's answer changing first."""
        first, second = (part.kind.cells for part in self.parts)
        return tuple(f"{one} × {other}" for one in first for other in second)

    def to_json(self) -> dict[str, object]:
        """Give both questions."""
        return {"parts": [question_fields(part.id, part.text, part.kind) for part in self.parts]}

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Self:
        """Read both questions."""
        parts = fields["parts"]
        if not isinstance(parts, list) or len(parts) != 2:
            raise InvalidValue("a pair has two parts")
        first, second = (_read_part(part) for part in parts)
        return cls((first, second))


KINDS: Mapping[str, type[Kind]] = {kind.TYPE: kind for kind in (YesNo, SingleChoice, MultiChoice, Scale, Number, Pair)}


@dataclass(frozen=True)
class Question:
    """A private question with its design."""

    id: str
    text: str
    kind: Kind
    design: Design

    def __post_init__(self) -> None:
        """Refuse a question that could not be asked or randomized."""
        check_name(self.id, "a question's id")
        check_text(self.text, "a question's text")
        if not self.kind.fits(self.design):
            raise InvalidValue(f"a question of type {self.type} has a mechanism that does not fit its answers")

    @property
    def type(self) -> str:
        """Name the type."""
        return self.kind.TYPE

    @property
    def is_plain(self) -> bool:
        """Tell whether this is a yes/no question in Warner's design, all that manifests of format 1 can hold."""
        return isinstance(self.design, Warner)

    @property
    def answer_ids(self) -> tuple[str, ...]:
        """Give the ids under which an app answers: its own, or those of its parts."""
        return tuple(part.id for part in self.kind.parts) if isinstance(self.kind, Pair) else (self.id,)


def question_fields(id_: str, text: str, kind: Kind) -> dict[str, object]:
    """Give a question as a manifest of format 2 writes it, without its mechanism."""
    return {"id": id_, "text": text, "type": kind.TYPE, **kind.to_json()}


def read_kind(fields: Any, *, last: tuple[str, ...] = ("mechanism",)) -> Kind:
    """Read the type of a question and the fields that belong to it."""
    name = fields.get("type") if isinstance(fields, dict) else None
    if not isinstance(name, str) or name not in KINDS:
        raise InvalidValue("a question is of a type that this version does not know: update Hushpoll")
    check_fields(fields, ("id", "text", "type", *KINDS[name].FIELDS, *last), "a question")
    return KINDS[name].read(fields)


def check_options(options: tuple[Option, ...], most: int) -> None:
    """Refuse too few, too many or equal options."""
    if not 2 <= len(options) <= most:
        raise InvalidValue(f"a choice needs between 2 and {most} options")
    if len({option.id for option in options}) != len(options):
        raise InvalidValue("two options are the same: give each its own id")


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


def read_decimal(value: object, what: str) -> Fraction:
    """Read an end of a range in its one spelling."""
    if not isinstance(value, str) or not _DECIMAL.fullmatch(value) or value == "-0":
        raise InvalidValue(f'{what} must be a number such as "40" or "-1.5", without spare zeros')
    return Fraction(value)


def _fits_mean(design: Design, extras: tuple[str, ...]) -> bool:
    if isinstance(design, Channel):
        return design.extras == len(extras)
    return isinstance(design, Laplace) and not extras


def _read_labels(value: object) -> tuple[tuple[int, str], ...]:
    if not isinstance(value, list) or len(value) > MOST_POINTS:
        raise InvalidValue("labels must be a list")
    if any(not isinstance(label, list) or len(label) != 2 or type(label[0]) is not int for label in value):
        raise InvalidValue("a label must be a point and a text")
    return tuple((point, text) for point, text in value)


def _read_part(fields: Any) -> Part:
    kind = read_kind(fields, last=())
    if not isinstance(kind, Choice):
        raise InvalidValue("a pair joins two questions of the types yes_no, single_choice or scale (shares)")
    return Part(fields["id"], fields["text"], kind)
