"""Questions that are answered by a number in a public range."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

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

# Each is a bin of its own, with as many outputs as every other: more would leave little for the range.
MOST_POINT_MASSES = 4

_DECIMAL = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d{0,14}[1-9])?", re.ASCII)


@dataclass(frozen=True)
class Number(QuestionType):
    """A number in a public range, reported for the mean or for the distribution.

    In a distribution some numbers, such as zero, can be answers of their own: point masses, in increasing order.
    """

    min: str
    max: str
    report: str = "mean"
    extras: tuple[str, ...] = ()
    point_masses: tuple[str, ...] = ()

    NAME: ClassVar[Literal["number"]] = "number"
    FIELDS: ClassVar = ("min", "max", "report", "point_masses", "extras")

    def __post_init__(self) -> None:
        """Refuse an empty range."""
        low, high = self.range
        if not low < high:
            raise InvalidValue("max must be above min")
        check_report(self.report, ("mean", "distribution"))
        self._check_point_masses()

    def _check_point_masses(self) -> None:
        numbers, (low, high) = self._masses, self.range
        if numbers and self.report != "distribution":
            raise InvalidValue("point_masses belong to report: distribution")
        if len(numbers) > MOST_POINT_MASSES or list(numbers) != sorted(set(numbers)):
            raise InvalidValue(
                f"point_masses must be at most {MOST_POINT_MASSES} different numbers in increasing order"
            )
        if not all(low <= number <= high for number in numbers):
            raise InvalidValue("point_masses must lie in the range from min to max")
        if len(set(map(float, numbers))) < len(numbers):
            raise InvalidValue("two point_masses are too close to be told apart")

    @cached_property
    def _masses(self) -> tuple[Fraction, ...]:
        return tuple(read_decimal(number, "a number of point_masses") for number in self.point_masses)

    @property
    def labels(self) -> dict[str, str]:
        """Return what people read for point masses and extras."""
        return super().labels | {number: f"exactly {number}" for number in self.point_masses}

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
        """Return the domain: the whole range, and beside it the point masses and the extras."""
        return Numbers(self.report, len(self.point_masses) + len(self.extras))

    def _code(self, question: str, answer: object) -> Code:
        # An int of any size is a number; math.isfinite would try to make a float of it.
        if type(answer) is not int and (type(answer) is not float or not math.isfinite(answer)):
            raise AnswerError(question, "needs a finite number, an int or a float")
        place, (low, high) = position(answer, *self.range), self.range
        # Compared as floats, in which 0.1 is what an app means by it.
        number, masses = float(low + place * (high - low)), [float(mass) for mass in self._masses]
        return masses.index(number) if number in masses else place

    def _code_of_extra(self, place: int) -> Code:
        return len(self.point_masses) + place

    def answer_of(self, code: Code) -> Answer:
        """Return the number at a place relative to the range, which may lie outside it, a point mass or an extra."""
        if isinstance(code, int):
            masses = len(self.point_masses)
            return float(self._masses[code]) if code < masses else answer_of_extra(self.extras[code - masses])
        assert isinstance(code, Fraction), "the code of a number is a place"
        low, high = self.range
        return float(low + code * (high - low))

    def to_json(self) -> dict[str, object]:
        """Return the range, what is reported, the point masses and the extras."""
        ends = {"min": self.min, "max": self.max, "report": self.report}
        return {**ends, "point_masses": list(self.point_masses), "extras": list(self.extras)}

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Self:
        """Read the range, what is reported, the point masses and the extras."""
        masses = fields["point_masses"]
        if not isinstance(masses, list):
            raise InvalidValue("point_masses must be a list of numbers")
        return cls(fields["min"], fields["max"], fields["report"], read_extras(fields["extras"]), tuple(masses))


def read_decimal(value: object, what: str) -> Fraction:
    """Read an end of a range in its one spelling."""
    if not isinstance(value, str) or not _DECIMAL.fullmatch(value) or value == "-0":
        raise InvalidValue(f'{what} must be a number such as "40" or "-1.5", without redundant zeros')
    return Fraction(value)
