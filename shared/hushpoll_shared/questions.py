"""Questions of every type, as a manifest holds them: what can be answered, and the design that randomizes it.

Each type is one class that knows its fields in the manifest and the names of its possible answers. Those with one true
answer are in choices.py; all types are listed here, and everybody gets them from here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, ClassVar, Self

from hushpoll_shared.checks import check_fields, check_name, check_text
from hushpoll_shared.choices import Scale, SingleChoice, YesNo
from hushpoll_shared.designs import Ball, Design, Padded, Warner, Wave
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.kinds import (
    DECLINE,
    DOES_NOT_APPLY,
    EXTRAS,
    MOST_OPTIONS,
    Answer,
    Choice,
    Kind,
    Option,
    check_options,
    check_report,
    fits_mean,
    read_extras,
    read_options,
)
from hushpoll_shared.presentation import When

__all__ = [
    "DECLINE",
    "DOES_NOT_APPLY",
    "EXTRAS",
    "KINDS",
    "MOST_OPTIONS",
    "Answer",
    "Choice",
    "Kind",
    "MultiChoice",
    "Number",
    "Option",
    "Pair",
    "Part",
    "Question",
    "Scale",
    "SingleChoice",
    "When",
    "YesNo",
    "asked",
    "combined",
    "question_fields",
    "read_kind",
]

MOST_TICKABLE = 256

_DECIMAL = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d{0,14}[1-9])?", re.ASCII)


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

    @property
    def answers(self) -> tuple[Answer, ...]:
        """List the ids of the options and the extras."""
        return self.cells

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
            return fits_mean(design, self.extras)
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
        return combined(first, second)

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
    """A private question with its design, and with the answer to another after which it is shown."""

    id: str
    text: str
    kind: Kind
    design: Design
    when: When | None = None

    def __post_init__(self) -> None:
        """Refuse a question that could not be asked or randomized."""
        check_name(self.id, "a question's id")
        check_text(self.text, "a question's text")
        if not self.kind.fits(self.design):
            raise InvalidValue(f"a question of type {self.type} has a mechanism that does not fit its answers")
        # Without the extra, the report of a device that did not show the question would say so.
        if self.when and DOES_NOT_APPLY not in getattr(self.kind, "extras", ()):
            raise InvalidValue("a question that is shown only sometimes must have does_not_apply, and cannot be a pair")

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


def combined(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    """Name the combinations of two sets of different names, the second changing first; no two are alike."""
    names = tuple(f"{one} × {other}" for one in first for other in second)
    if len(set(names)) == len(names):
        return names
    # "a" × "b × c" and "a × b" × "c": in quotes, with those inside escaped, it can be seen where a name ends.
    quoted = ([json.dumps(name, ensure_ascii=False) for name in part] for part in (first, second))
    return tuple(f"{one} × {other}" for one, other in product(*quoted))


def asked(id_: str, kind: Kind) -> dict[str, Kind]:
    """Give what is asked by its id: a question, or a pair and then its parts."""
    parts = kind.parts if isinstance(kind, Pair) else ()
    return {id_: kind, **{part.id: part.kind for part in parts}}


def question_fields(id_: str, text: str, kind: Kind) -> dict[str, object]:
    """Give a question as a manifest writes it from format 2 on, without when it is shown and its mechanism."""
    return {"id": id_, "text": text, "type": kind.TYPE, **kind.to_json()}


def read_kind(fields: Any, *, last: tuple[str, ...]) -> Kind:
    """Read the type of a question and the fields that belong to it; `last` are those that follow them."""
    name = fields.get("type") if isinstance(fields, dict) else None
    if not isinstance(name, str) or name not in KINDS:
        raise InvalidValue("a question is of a type that this version does not know: update Hushpoll")
    check_fields(fields, ("id", "text", "type", *KINDS[name].FIELDS, *last), "a question")
    return KINDS[name].read(fields)


def read_decimal(value: object, what: str) -> Fraction:
    """Read an end of a range in its one spelling."""
    if not isinstance(value, str) or not _DECIMAL.fullmatch(value) or value == "-0":
        raise InvalidValue(f'{what} must be a number such as "40" or "-1.5", without spare zeros')
    return Fraction(value)


def _read_part(fields: Any) -> Part:
    kind = read_kind(fields, last=())
    if not isinstance(kind, Choice):
        raise InvalidValue("a pair joins two questions of the types yes_no, single_choice or scale (shares)")
    return Part(fields["id"], fields["text"], kind)
