"""The kinds of columns: how a cell becomes a whole number, and what a row can contribute at most.

The rule here: everything is declared in public and nothing is taken from the data, because bounds, bins or categories
that follow the data tell about people without any noise. A cell becomes a whole number when it is loaded, so no sum
needs a float and no query can fail on what a cell holds.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from itertools import pairwise

from hushpoll_shared.errors import InvalidValue

# Sums of so large numbers over any table stay below 2^127.
LARGEST_UNITS = 10**12
# Without a declared step, one of a millionth of the larger bound or finer: rounding is then far below the noise.
_FINENESS = 10**6

_EXACT = Context(prec=80)
_NUMBER = re.compile(r"[+-]?\d{1,40}(\.\d{0,40})?([eE][+-]?\d{1,3})?", re.ASCII)


def read_number(text: str) -> Fraction:
    """Return a decimal number exactly; infinity and NaN are none."""
    if not _NUMBER.fullmatch(text):
        raise InvalidValue("is not a number: write one such as 12.5")
    return Fraction(text)


# What programs write where a number is missing. As a label each could be meant.
_NO_NUMBER = ("", "NA", "NAN", "NULL", "NONE")


@dataclass(frozen=True)
class Numbers:
    """Numbers from `low` to `high`, stored as multiples of `step`; `edges` are the ends of bins, in steps."""

    low: int
    high: int
    step: Fraction
    edges: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Refuse bounds without room between them, or with too much, and bins that do not cover them."""
        if not self.low < self.high:
            raise InvalidValue("the lower bound must be below the upper one: write --bounds income=0:200000")
        if self.largest > LARGEST_UNITS:
            raise InvalidValue(f"the step is too fine: a bound may be at most {LARGEST_UNITS} steps from 0")
        if self.edges and (self.edges[0], self.edges[-1]) != (self.low, self.high):
            raise InvalidValue("the first and the last edge of the bins must be the bounds")
        if any(first >= second for first, second in pairwise(self.edges)):
            raise InvalidValue("the edges of bins must rise")

    @classmethod
    def of(cls, low: str, high: str, *, step: str | None = None, bins: tuple[str, ...] = ()) -> Numbers:
        """Return what is declared as texts; bounds and edges must be multiples of the step."""
        bounds = _declared(low), _declared(high)
        size = _declared(step) if step is not None else _fitting_step(*bounds, *map(_declared, bins))
        if size <= 0:
            raise InvalidValue("the step must be above 0")
        first, second = (_steps(bound, size) for bound in bounds)
        return cls(first, second, size, tuple(_steps(_declared(edge), size) for edge in bins))

    @property
    def largest(self) -> int:
        """Return the most that one row changes the sum, in steps."""
        return max(abs(self.low), abs(self.high))

    @property
    def width(self) -> int:
        """Return the distance of the bounds, in steps."""
        return self.high - self.low

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the names of the bins; each holds its lower end, and the last one both."""
        ends = [write_number(edge * self.step) for edge in self.edges]
        names = [f"[{low}, {high})" for low, high in pairwise(ends)]
        return (*names[:-1], names[-1][:-1] + "]") if names else ()

    def lacks(self, cell: str) -> bool:
        """Return whether a cell says that there is no number."""
        return cell.upper() in _NO_NUMBER

    def code(self, text: str) -> int:
        """Return the nearest multiple of the step within the bounds."""
        return min(max(round(read_number(text) / self.step), self.low), self.high)

    def bin(self, code: int) -> int:
        """Return the index of the bin of a stored number."""
        return min(bisect_right(self.edges, code), len(self.edges) - 1) - 1

    def __str__(self) -> str:
        """Return the declaration, in one spelling."""
        return f"numbers {self.low}:{self.high} by {self.step}, bins {','.join(map(str, self.edges))}"


@dataclass(frozen=True)
class Categories:
    """One of the declared categories."""

    groups: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse an empty or repeated category."""
        if not self.groups or not all(self.groups) or len(set(self.groups)) < len(self.groups):
            raise InvalidValue("categories must be different, and none may be empty: --categories city=Aachen,Bonn")

    def code(self, text: str) -> int:
        """Return the index of a category."""
        try:
            return self.groups.index(text)
        except ValueError:
            raise InvalidValue("is none of the declared categories: add it, or correct the cell") from None

    def __str__(self) -> str:
        """Return the declaration, in one spelling."""
        return f"categories {list(self.groups)}"


@dataclass(frozen=True)
class Labels:
    """Texts that are not declared: they can be compared in WHERE, and nothing else."""

    groups: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the declaration, in one spelling."""
        return "labels"


Kind = Numbers | Categories | Labels


def write_number(number: Fraction) -> str:
    """Return a decimal number exactly, without an exponent."""
    decimal = _EXACT.divide(Decimal(number.numerator), Decimal(number.denominator))
    return f"{decimal.normalize(_EXACT):f}"


def _declared(text: str) -> Fraction:
    try:
        return read_number(text.strip())
    except InvalidValue:
        raise InvalidValue("bounds, steps and edges must be decimal numbers such as 200000 or 0.5") from None


def _steps(number: Fraction, step: Fraction) -> int:
    steps = number / step
    if steps.denominator != 1:
        raise InvalidValue("bounds and edges must be multiples of the step: round them, or declare a finer --step")
    return steps.numerator


def _fitting_step(*numbers: Fraction) -> Fraction:
    """Return a power of ten that divides all numbers, and is at most a millionth of the largest."""
    step, most = Fraction(1), max(map(abs, numbers)) / _FINENESS
    while most and (step > most or any((number / step).denominator != 1 for number in numbers)):
        step /= 10
        if step * LARGEST_UNITS * _FINENESS < most:
            raise InvalidValue("bounds and edges have too many digits: round them, or declare a --step")
    return step
