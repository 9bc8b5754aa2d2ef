"""Questions that are answered by a number in a public range."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms.domains import Code, Domain, Numbers
from hushpoll_shared.mechanisms.grid import position
from hushpoll_shared.question_types.question_type import (
    Answer,
    AnswerError,
    QuestionType,
    answer_of_extra,
    check_report,
    read_extras,
)

_DECIMAL = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d{0,14}[1-9])?", re.ASCII)


@dataclass(frozen=True)
class Number(QuestionType):
    """A number in a public range, reported for the mean or for the distribution."""

    min: str
    max: str
    report: str = "mean"
    extras: tuple[str, ...] = ()

    NAME: ClassVar = "number"
    FIELDS: ClassVar = ("min", "max", "report", "extras")

    def __post_init__(self) -> None:
        """Refuse an empty range."""
        low, high = self.range
        if not low < high:
            raise InvalidValue("max must be above min")
        check_report(self.report, ("mean", "distribution"))

    @cached_property
    def range(self) -> tuple[Fraction, Fraction]:
        """Return the ends of the range."""
        return read_decimal(self.min, "min"), read_decimal(self.max, "max")

    @property
    def range_texts(self) -> Mapping[str, str]:
        """Return the ends of the range as they are written."""
        return {"min": self.min, "max": self.max}

    @property
    def domain(self) -> Domain:
        """Return the domain: the whole range, and the extras."""
        return Numbers(self.report, len(self.extras))

    def _code(self, question: str, answer: object) -> Code:
        if type(answer) not in (int, float) or not math.isfinite(answer):  # type: ignore[arg-type]
            raise AnswerError(question, "needs a finite number, an int or a float")
        return position(answer, *self.range)  # type: ignore[arg-type]

    def answer_of(self, code: Code) -> Answer:
        """Return the number at a place relative to the range, which may lie outside it, or the extra."""
        if isinstance(code, int):
            return answer_of_extra(self.extras[code])
        assert isinstance(code, Fraction), "the code of a number is a place"
        low, high = self.range
        return float(low + code * (high - low))

    def to_json(self) -> dict[str, object]:
        """Return the range, what is reported, and the extras."""
        return {"min": self.min, "max": self.max, "report": self.report, "extras": list(self.extras)}

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Self:
        """Read the range, what is reported, and the extras."""
        return cls(fields["min"], fields["max"], fields["report"], read_extras(fields["extras"]))


def read_decimal(value: object, what: str) -> Fraction:
    """Read an end of a range in its one spelling."""
    if not isinstance(value, str) or not _DECIMAL.fullmatch(value) or value == "-0":
        raise InvalidValue(f'{what} must be a number such as "40" or "-1.5", without redundant zeros')
    return Fraction(value)
