"""A finite unbiased channel for the mean of numbers: a table of integer probabilities, found by linear programming.

A number lies between two points of a public grid and is rounded to one of them at random, without bias. The row of that
point gives the probabilities of the outputs; the values of the outputs have the point as their mean.

Privacy: for each output, the largest of its weights over the rows against the smallest. A number between two points is
a mixture of two rows and can have no larger ratio.
Utility: the table has the least worst-case variance on its grid (server/hushpoll_server/plan/channels.py).
With extras (prefer not to say, does not apply) a part of the draws tells, instead of a number, whether somebody gave
one: outputs 0 for a number and 1, 2 for an extra, without a value. All outputs are in one table, one law for all.
Proof, variance and references: docs/mechanisms/channel.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Self

from hushpoll_shared.designs import wire
from hushpoll_shared.designs.design import Design, read_size, read_threshold
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.randomness import SPAN

MOST_INPUTS = 1001
MOST_OUTPUTS = 1024
MOST_ENTRIES = 40_000
# What every reader of JSON holds exactly.
LARGEST_VALUE = 2**53 - 1


@dataclass(frozen=True)
class Channel(Design):
    """A table: row i, column j is the number of 64-bit draws that give one of the first j + 1 outputs at point i.

    The value of an output is `values[o] / unit`, in steps of the grid. The last rows are those of the extras; if there
    are any, the first outputs tell a number from each of them and have no value.
    """

    values: tuple[int | None, ...]
    unit: int
    table: tuple[tuple[int, ...], ...]
    extras: int = 0

    NAME: ClassVar = "channel"

    def __post_init__(self) -> None:
        """Refuse tables that are no channel."""
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
        """Give the number of points of the grid."""
        return len(self.table) - self.extras

    @property
    def steps(self) -> int:
        """Give the number of steps between the first and the last point."""
        return self.inputs - 1

    @property
    def first(self) -> int:
        """Give the first output with a value: before it stand a number and each extra, if there are extras."""
        return self.extras + 1 if self.extras else 0

    @cached_property
    def weights(self) -> tuple[tuple[int, ...], ...]:
        """Give, for each point, the numbers of 64-bit draws that give each output."""
        return tuple(tuple(high - low for low, high in pairwise((0, *row, SPAN))) for row in self.table)

    @cached_property
    def odds(self) -> Fraction:
        """Give the largest ratio of the weights of one output."""
        return max(Fraction(max(column), min(column)) for column in zip(*self.weights, strict=True))

    def moment(self, row: int, power: int) -> Fraction:
        """Give the exact mean of a power of the value at a point of the grid, in steps, of reports that have one."""
        valued = [(w, v) for w, v in zip(self.weights[row], self.values, strict=True) if v is not None]
        total = sum(weight * value**power for weight, value in valued)
        return Fraction(total, sum(weight for weight, _ in valued) * self.unit**power)

    @property
    def valued(self) -> Fraction:
        """Give the share of the reports that have a value: all, if there are no extras."""
        return Fraction(sum(self.weights[0][self.first :]), SPAN)

    def variance(self) -> float:
        """Give the worst variance on [−1, 1], between the points of the grid too."""
        return max(self._variance_between(row) for row in range(self.steps)) / float(self.valued)

    def variance_at_points(self) -> float:
        """Give the worst variance on [−1, 1] at the points of the grid."""
        worst = max(float(self.moment(row, 2) - row**2) for row in range(self.inputs))
        return worst / float(self.valued) * (2 / self.steps) ** 2

    def lower_bound(self) -> float:
        """Give the least variance for the two ends of the range alone, 4E/(E − 1)²."""
        odds = float(self.odds)
        return 4 * odds / (odds - 1) ** 2

    def _variance_between(self, row: int) -> float:
        # E[y²] runs straight from m_i to m_{i+1}; minus (i + s)² it is a parabola in s with its top at this place.
        low, high = float(self.moment(row, 2)), float(self.moment(row + 1, 2))
        top = min(1.0, max(0.0, (high - low) / 2 - row))
        return (low + top * (high - low) - (row + top) ** 2) * (2 / self.steps) ** 2

    def parameters(self) -> dict[str, object]:
        """Give the integers as the manifest writes them."""
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

    @property
    def width(self) -> int:
        """Give the number of characters of a draw."""
        return wire.index_width(len(self.values) - 1)

    def is_draw(self, value: object) -> bool:
        """Tell whether a value is an output."""
        return wire.is_index(value, len(self.values) - 1)

    def supported_cells(self, draw: Any) -> tuple[str, ...]:
        """Name the counter of the output."""
        return (draw,)


def _read_row(row: object) -> tuple[int, ...]:
    if not isinstance(row, Sequence) or isinstance(row, str) or len(row) > MOST_OUTPUTS:
        raise InvalidValue("a row of a channel must be a list of thresholds")
    return tuple(read_threshold(threshold) for threshold in row)
