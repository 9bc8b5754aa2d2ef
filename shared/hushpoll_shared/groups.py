"""Groups that are no secret: labels that a link or an app attaches to a report, such as a faculty or an arm of a trial.

A survey declares one or several dimensions, each with its labels. A report says for each dimension which label it has,
or that it has none, by the label's place in two digits or −1: `Groups.code` spells it, `Groups.labels_of` reads it.

The rule here: a label is public. It is sent and stored as it is, and no epsilon covers it. It is known before anybody
answers, so it cannot depend on an answer, and every report to a survey has a code of the same width.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Self

from hushpoll_shared.checks import check_fields, check_name, check_text
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.texts import are_told_apart

MOST_DIMENSIONS = 4
# In all dimensions together.
MOST_LABELS = 48
# Every question is counted for each combination of labels.
MOST_COMBINATIONS = 256
LARGEST_SMALLEST = 10**6

_WIDTH = 2
# The code of a dimension in which a report has no label.
_NONE = "-1"


@dataclass(frozen=True)
class Label:
    """One group of a dimension: the name in links and figures, and the text that people read."""

    id: str
    text: str

    def __post_init__(self) -> None:
        """Refuse what cannot stand in a link or be read."""
        check_name(self.id, "a group's label")
        check_text(self.text, "the text of a group")


@dataclass(frozen=True)
class Dimension:
    """Labels that exclude each other, such as all faculties."""

    id: str
    text: str
    labels: tuple[Label, ...]

    def __post_init__(self) -> None:
        """Refuse too few labels, and labels that look the same."""
        check_name(self.id, "a dimension of groups")
        check_text(self.text, "the text of a dimension of groups")
        if len(self.labels) < 2:
            raise InvalidValue(f"the groups of {self.id} must be 2 or more: with one there is nothing to compare")
        if not are_told_apart(label.text for label in self.labels):
            raise InvalidValue(f"two groups of {self.id} look the same, or one cannot be seen: give each its own text")

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the labels' names, in their order."""
        return tuple(label.id for label in self.labels)

    def to_json(self) -> dict[str, object]:
        """Return the dimension as it is written in a manifest."""
        return {"id": self.id, "text": self.text, "labels": [[label.id, label.text] for label in self.labels]}

    @classmethod
    def read(cls, fields: Any) -> Self:
        """Read a dimension from a manifest."""
        check_fields(fields, ("id", "text", "labels"), "a dimension of groups")
        if not isinstance(fields["labels"], list) or len(fields["labels"]) > MOST_LABELS:
            raise InvalidValue(f"the groups of a dimension must be a list of 2 to {MOST_LABELS}")
        return cls(fields["id"], fields["text"], tuple(map(_read_label, fields["labels"])))


@dataclass(frozen=True)
class Groups:
    """All dimensions of a survey; of a group with fewer reports than `smallest`, nothing is shown."""

    dimensions: tuple[Dimension, ...]
    smallest: int

    def __post_init__(self) -> None:
        """Refuse labels that a link could not tell apart, and more than can be counted."""
        if not 1 <= len(self.dimensions) <= MOST_DIMENSIONS:
            raise InvalidValue(f"a survey can have 1 to {MOST_DIMENSIONS} dimensions of groups")
        if type(self.smallest) is not int or not 1 <= self.smallest <= LARGEST_SMALLEST:
            raise InvalidValue(f"the smallest group must be a whole number from 1 to {LARGEST_SMALLEST}")
        names = [*(each.id for each in self.dimensions), *(name for each in self.dimensions for name in each.ids)]
        if len(set(names)) != len(names):
            raise InvalidValue("two groups or dimensions have the same name: give each its own, as a link names them")
        if len(self._places) > MOST_LABELS:
            raise InvalidValue(f"there are more than {MOST_LABELS} groups: join small ones")
        if math.prod(len(each.labels) + 1 for each in self.dimensions) > MOST_COMBINATIONS:
            raise InvalidValue(
                f"the groups have more than {MOST_COMBINATIONS} combinations, with reports that have no group: join "
                "small ones, or remove a dimension"
            )

    @cached_property
    def _places(self) -> dict[str, tuple[int, int]]:
        """Return by the name of a label its dimension's place and its own."""
        return {
            label: (place, code)
            for place, dimension in enumerate(self.dimensions)
            for code, label in enumerate(dimension.ids)
        }

    @property
    def width(self) -> int:
        """Return the number of characters of every code."""
        return _WIDTH * len(self.dimensions)

    def code(self, labels: Iterable[str]) -> str:
        """Return the code of labels, at most one of each dimension, in any order."""
        parts = [_NONE] * len(self.dimensions)
        for label in labels:
            place, number = self._place(label)
            if parts[place] != _NONE:
                raise InvalidValue(f"two groups of {self.dimensions[place].id} are named: name at most one")
            parts[place] = _spell(number)
        return "".join(parts)

    def labels_of(self, code: str) -> Mapping[str, str | None]:
        """Return the label by dimension that a valid code stands for, None where it has none."""
        parts = (code[start : start + _WIDTH] for start in range(0, self.width, _WIDTH))
        return {
            dimension.id: None if part == _NONE else dimension.ids[int(part)]
            for dimension, part in zip(self.dimensions, parts, strict=True)
        }

    @cached_property
    def codes(self) -> frozenset[str]:
        """Return all codes that a report can have."""
        return frozenset(self._codes())

    def is_code(self, value: object) -> bool:
        """Return whether a value is the code of some combination of labels."""
        return isinstance(value, str) and value in self.codes

    def dimension_of(self, label: str) -> Dimension:
        """Return the dimension that a label belongs to."""
        return self.dimensions[self._place(label)[0]]

    def _codes(self) -> Iterator[str]:
        choices = ([_NONE, *map(_spell, range(len(each.labels)))] for each in self.dimensions)
        yield from map("".join, product(*choices))

    def _place(self, label: str) -> tuple[int, int]:
        # A name that is not known is not repeated: an app could have passed an answer by mistake.
        if label not in self._places:
            raise InvalidValue(f"the survey has no such group: name one of {', '.join(self._places)}")
        return self._places[label]

    def to_json(self) -> dict[str, object]:
        """Return the groups as they are written in a manifest."""
        return {"smallest": self.smallest, "dimensions": [dimension.to_json() for dimension in self.dimensions]}

    @classmethod
    def read(cls, fields: Any) -> Self:
        """Read the groups of a manifest."""
        check_fields(fields, ("smallest", "dimensions"), "groups")
        if not isinstance(fields["dimensions"], list) or len(fields["dimensions"]) > MOST_DIMENSIONS:
            raise InvalidValue(f"the dimensions of groups must be a list of 1 to {MOST_DIMENSIONS}")
        return cls(tuple(map(Dimension.read, fields["dimensions"])), fields["smallest"])


def _spell(place: int) -> str:
    return f"{place:0{_WIDTH}d}"


def _read_label(value: Any) -> Label:
    if not isinstance(value, list) or len(value) != 2:
        raise InvalidValue("a group must be a name and a text")
    return Label(*value)
