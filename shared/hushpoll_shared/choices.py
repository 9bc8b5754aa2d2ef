"""Questions of which exactly one answer is true: yes or no, one of several options, a point of a scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

from hushpoll_shared.checks import check_text
from hushpoll_shared.designs import Design, Warner
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.kinds import (
    MOST_OPTIONS,
    Answer,
    Choice,
    Option,
    check_options,
    check_report,
    fits_mean,
    read_extras,
    read_options,
)

MOST_POINTS = 1001
LARGEST_POINT = 10**9


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

    @property
    def answers(self) -> tuple[Answer, ...]:
        """List false, true and the extras."""
        return (False, True, *self.extras)

    def fits(self, design: Design) -> bool:
        """Take Warner's design too, if there are no extras."""
        return super().fits(design) or (isinstance(design, Warner) and not self.extras)

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

    @property
    def answers(self) -> tuple[Answer, ...]:
        """List the ids of the options and the extras."""
        return self.cells

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

    @property
    def answers(self) -> tuple[Answer, ...]:
        """List the points and the extras."""
        return (*self.points, *self.extras)

    def fits(self, design: Design) -> bool:
        """Take designs for categories, or for a mean over as many points."""
        if self.report == "shares":
            return super().fits(design)
        return fits_mean(design, self.extras) and getattr(design, "inputs", len(self.points)) == len(self.points)

    def to_json(self) -> dict[str, object]:
        """Give the ends, the labels, what is reported, and the extras."""
        labels = [[point, text] for point, text in self.labels]
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
