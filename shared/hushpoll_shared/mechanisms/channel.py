"""A finite unbiased channel for the mean of numbers: a table of integer probabilities, found by linear programming.

A number lies between two points of a public grid and is rounded to one of them at random, without bias. The row of that
point gives the probabilities of the outputs; the values of the outputs have the point as their mean.

Privacy: for each output, the ratio of its largest weight over the rows to its smallest. A number between two points is
a mixture of two rows and cannot have a larger ratio.
Utility: the table has the least worst-case variance on its grid (server/hushpoll_server/plan/channels.py).
With extras (prefer not to say, does not apply) some draws say, instead of a value, whether the answer was a number:
output 0 for a number, 1 and 2 for an extra. These have no value. All outputs are in one table, with one law for all.
Proof, variance and references: docs/mechanisms/channel.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Self

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms import wire
from hushpoll_shared.mechanisms.design import Design, read_size, read_threshold
from hushpoll_shared.mechanisms.domains import Domain, Numbers
from hushpoll_shared.mechanisms.sentence import Sentence, guesses
from hushpoll_shared.randomness import SPAN

MOST_INPUTS = 1001
MOST_OUTPUTS = 1024
MOST_ENTRIES = 40_000
# The largest integer that every JSON reader keeps exactly.
LARGEST_VALUE = 2**53 - 1


@dataclass(frozen=True)
class Channel(Design):
    """A table: row i, column j is the number of 64-bit draws that give one of the first j + 1 outputs at point i.

    The value of an output is `values[o] / unit`, in steps of the grid. The last rows are those of the extras; if there
    are any, the first outputs distinguish a number from each of them and have no value.
    """

    values: tuple[int | None, ...]
    unit: int
    table: tuple[tuple[int, ...], ...]
    extras: int = 0

    NAME: ClassVar = "channel"

    def __post_init__(self) -> None:
        """Refuse tables that do not make a channel."""
        outputs, rows = len(self.values), len(self.table)
        if not 2 <= self.inputs <= MOST_INPUTS or not 2 <= outputs <= MOST_OUTPUTS or rows * outputs > MOST_ENTRIES:
            raise InvalidValue("a channel needs at least 2 points and 2 outputs, and a table that is not too large")
        if not 0 <= self.extras <= 2 or outputs - self.first < 2:
            raise InvalidValue("a channel has at most 2 extras, and 2 outputs with a value")
        if any((value is None) != (output < self.first) for output, value in enumerate(self.values)):
            raise InvalidValue("the first outputs of a channel with extras, and only they, have no value")
        if not 1 <= self.unit <= LARGEST_VALUE or any(abs(value or 0) > LARGEST_VALUE for value in self.values):
            raise InvalidValue("the values of a channel are too large")
        if any(len(row) != outputs - 1 for row in self.table) or min(map(min, self.weights)) < 1:
            raise InvalidValue("each row of a channel must give every output a chance, in increasing thresholds")
        if self.odds <= 1:
            raise InvalidValue("a channel reveals nothing")

    @property
    def inputs(self) -> int:
        """Return the number of points of the grid."""
        return len(self.table) - self.extras

    @property
    def steps(self) -> int:
        """Return the number of steps between the first and the last point."""
        return self.inputs - 1

    @property
    def first(self) -> int:
        """Return the first output with a value; with extras, those for a number and for each extra precede it."""
        return self.extras + 1 if self.extras else 0

    @cached_property
    def weights(self) -> tuple[tuple[int, ...], ...]:
        """Return, for each point, how many 64-bit draws give each output."""
        return tuple(tuple(high - low for low, high in pairwise((0, *row, SPAN))) for row in self.table)

    @cached_property
    def odds(self) -> Fraction:
        """Return the largest ratio of the weights of one output."""
        return max(Fraction(max(column), min(column)) for column in zip(*self.weights, strict=True))

    def moment(self, row: int, power: int) -> Fraction:
        """Return the exact mean of a power of the value at a grid point, in steps, over reports that have a value."""
        valued = [(w, v) for w, v in zip(self.weights[row], self.values, strict=True) if v is not None]
        total = sum(weight * value**power for weight, value in valued)
        return Fraction(total, sum(weight for weight, _ in valued) * self.unit**power)

    @property
    def valued(self) -> Fraction:
        """Return the share of the reports that have a value: all, if there are no extras."""
        return Fraction(sum(self.weights[0][self.first :]), SPAN)

    def parameters(self) -> dict[str, object]:
        """Return the integers as the manifest writes them."""
        table = [[str(threshold) for threshold in row] for row in self.table]
        sizes = {"inputs": self.inputs, "extras": self.extras}
        return {**sizes, "values": list(self.values), "unit": self.unit, "table": table}

    @classmethod
    def from_parameters(cls, values: dict[str, Any]) -> Self:
        """Make the channel from the fields of a manifest."""
        numbers, table = values.get("values"), values.get("table")
        if not isinstance(numbers, list) or not isinstance(table, list) or len(table) > MOST_INPUTS:
            raise InvalidValue("a channel needs lists of values and rows")
        if len(numbers) > MOST_OUTPUTS or any(type(number) not in (int, type(None)) for number in numbers):
            raise InvalidValue("the values of a channel must be whole numbers")
        unit, extras = read_size(values.get("unit")), read_size(values.get("extras"))
        return cls(tuple(numbers), unit, tuple(_read_row(row) for row in table), extras)

    @cached_property
    def domain(self) -> Domain:
        """Return the domain: the numbers of the range, including those between points of the grid, and the extras."""
        return Numbers("mean", self.extras, self.inputs)

    @property
    def width(self) -> int:
        """Return the number of characters of a draw."""
        return wire.index_width(len(self.values) - 1)

    def is_draw(self, value: object) -> bool:
        """Return whether a value is an output."""
        return wire.is_index(value, len(self.values) - 1)

    def odds_sentence(self) -> Sentence:
        """Return the sentence on how often a guess is right."""
        return Sentence("odds_extras" if self.extras else "odds", phrases=guesses(self.odds))

    def sent_sentence(self, question_type: str) -> Sentence:  # noqa: ARG002 (the same for all types)
        """Return the sentence on what an output is on the wire."""
        return Sentence("sent", {"size": len(self.values)})


def _read_row(row: object) -> tuple[int, ...]:
    if not isinstance(row, Sequence) or isinstance(row, str) or len(row) > MOST_OUTPUTS:
        raise InvalidValue("a row of a channel must be a list of thresholds")
    return tuple(read_threshold(threshold) for threshold in row)
