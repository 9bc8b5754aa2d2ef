"""Questions that are answered by a point of a scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

from hushpoll_shared.checks import check_text
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms.domains import Code, Domain, Numbers
from hushpoll_shared.question_types.choice import Choice
from hushpoll_shared.question_types.question_type import (
    EXTRA_LABELS,
    Answer,
    AnswerError,
    check_report,
    read_extras,
)

MOST_POINTS = 1001
LARGEST_POINT = 10**9


@dataclass(frozen=True)
class Scale(Choice):
    """A point of a scale, reported for the shares of the points or for their mean."""

    min: int
    max: int
    point_labels: tuple[tuple[int, str], ...] = ()
    report: str = "shares"
    extras: tuple[str, ...] = ()

    NAME: ClassVar[Literal["scale"]] = "scale"
    FIELDS: ClassVar = ("min", "max", "labels", "report", "extras")

    def __post_init__(self) -> None:
        """Refuse scales without points, and labels without a point."""
        if type(self.min) is not int or type(self.max) is not int or abs(self.min) > LARGEST_POINT:
            raise InvalidValue("min and max of a scale must be whole numbers")
        if not self.min < self.max < self.min + MOST_POINTS:
            raise InvalidValue(f"a scale needs a max above its min, and at most {MOST_POINTS} points")
        points = [point for point, _ in self.point_labels]
        if points != sorted(set(points)) or any(not self.min <= point <= self.max for point in points):
            raise InvalidValue("labels of a scale must belong to its points, each once, in order")
        for _, text in self.point_labels:
            check_text(text, "a label")
        check_report(self.report, ("shares", "mean"))

    @property
    def points(self) -> range:
        """Return the points of the scale."""
        return range(self.min, self.max + 1)

    @property
    def range(self) -> tuple[Fraction, Fraction]:
        """Return the ends of the scale."""
        return Fraction(self.min), Fraction(self.max)

    @property
    def range_texts(self) -> Mapping[str, str]:
        """Return the ends of the scale as they are written."""
        return {"min": str(self.min), "max": str(self.max)}

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """Return the names of the points and the extras."""
        return (*map(str, self.points), *self.extras)

    @property
    def answers(self) -> tuple[Answer, ...]:
        """Return the points and the extras."""
        return (*self.points, *self.extras)

    @property
    def labels(self) -> dict[str, str]:
        """Return the points with their labels, and the extras."""
        return {str(point): f"{point} – {text}" for point, text in self.point_labels} | EXTRA_LABELS

    @property
    def texts(self) -> Mapping[str, Mapping[str, str]]:
        """Return the labels of the points."""
        return {"labels": {str(point): text for point, text in self.point_labels}}

    @property
    def domain(self) -> Domain:
        """Return the domain: categories for shares, numbers for a mean."""
        if self.report == "shares":
            return super().domain
        return Numbers(self.report, len(self.extras), len(self.points))

    def _code(self, question: str, answer: object) -> Code:
        if type(answer) is not int or answer not in self.points:
            raise AnswerError(question, f"needs a whole number from {self.min} to {self.max}")
        place = answer - self.min
        return place if self.report == "shares" else Fraction(place, len(self.points) - 1)

    def _code_of_extra(self, place: int) -> Code:
        return super()._code_of_extra(place) if self.report == "shares" else place

    def answer_of(self, code: Code) -> Answer:
        """Return the point with this place, or the extra."""
        if self.report == "shares":
            return super().answer_of(code)
        if isinstance(code, Fraction):
            return self.min + round(code * (len(self.points) - 1))
        assert isinstance(code, int), "an extra is its place"
        return super().answer_of(len(self.points) + code)

    def to_json(self) -> dict[str, object]:
        """Return the ends, the labels, what is reported, and the extras."""
        labels = [[point, text] for point, text in self.point_labels]
        return {"min": self.min, "max": self.max, "labels": labels, "report": self.report, "extras": list(self.extras)}

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Self:
        """Read a scale."""
        labels, extras = _read_labels(fields["labels"]), read_extras(fields["extras"])
        return cls(fields["min"], fields["max"], labels, fields["report"], extras)


def _read_labels(value: object) -> tuple[tuple[int, str], ...]:
    if not isinstance(value, list) or len(value) > MOST_POINTS:
        raise InvalidValue("labels must be a list")
    if any(not isinstance(label, list) or len(label) != 2 or type(label[0]) is not int for label in value):
        raise InvalidValue("a label must be a point and a text")
    return tuple((point, text) for point, text in value)
