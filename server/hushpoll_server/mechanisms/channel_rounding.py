"""From floating-point weights to a table of integers over 2^64 that is private exactly.

The rule here: in every column of the table no weight is more than the stated odds times another, every weight is at
least 1, every row adds up to 2^64. The check is in integers; means are right to about 2^-60 grid steps.

How: the weights are kept as integers over 2^128. A column has a low level and the high level ⌊E'·low⌋, so it is
private whatever the low level is. The errors of the rows' sums and means are computed exactly and corrected by small
changes of the low levels, in proportion to them. Rounding to 2^64 changes a weight by less than 1, so E' is slightly
less than E.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hushpoll_shared.randomness import SPAN

# Bits below 2^-64 that the levels have until the last rounding.
_EXTRA_BITS = 64
# The same survey must compile to the same table on every machine. Solvers and processors differ in the last bits of a
# weight, so that only the first ones are used, and after the repair only the first ones of a remainder.
_WEIGHT_BITS = 30
_NOISY_BITS = 52
_WHOLE = SPAN << _EXTRA_BITS
# Columns with less weight are left out if the others can be repaired without them: they only make the table larger.
_RARE_WEIGHTS = (1e-6, 1e-8, 1e-10, 0.0)
# By how much E' is less than E, as a fraction; tried in this order.
_MARGINS = tuple(Fraction(1, 10**digits) for digits in range(12, 2, -1))
_MOST_REPAIRS = 8

Rows = tuple[tuple[int, ...], ...]


class RoundingError(RuntimeError):
    """Weights that could not be made exact, which cannot happen for a solution of the program."""


@dataclass(frozen=True)
class UnroundedChannel:
    """A channel before rounding: outputs in 1/unit grid steps (both halves), patterns, probabilities where high.

    `nodes` are the inputs with a row of their own; the rows between two nodes are mixtures of theirs.
    """

    unit: int
    outputs: tuple[int, ...]
    patterns: NDArray[np.bool_]
    weights: NDArray[np.float64]
    nodes: tuple[int, ...]

    def without_rare(self, least: float) -> "UnroundedChannel":
        """Return the channel without the columns that are hardly used."""
        used = self.weights > least
        outputs = tuple(output for output, is_used in zip(self.outputs, used, strict=True) if is_used)
        return UnroundedChannel(self.unit, outputs, self.patterns[used], self.weights[used], self.nodes)


def rounded(draft: UnroundedChannel, odds: Fraction) -> tuple[tuple[int, ...], Rows]:
    """Return the values used, in order, and the integer weights of every input's row."""
    for least in _RARE_WEIGHTS:
        thinned = draft.without_rare(least)
        for margin in _MARGINS:
            levels = _repaired(thinned, odds * (1 - margin))
            if levels is None:
                break
            values, rows = _merged(thinned, levels)
            table = tuple(_to_span(row) for row in mixed_rows(rows, thinned.nodes))
            if keeps_odds(table, odds):
                return values, table
    raise RoundingError("the weights of a channel could not be rounded: choose a smaller epsilon or fewer inputs")


def mixed_rows(rows: Sequence[Sequence[int]], nodes: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the rows of all inputs, each rounded down: between two nodes a mixture, as if one was chosen at random."""
    pairs = zip(pairwise(nodes), pairwise(rows), strict=True)
    between = ((right - left, step, *ends) for (left, right), ends in pairs for step in range(right - left))
    mixed = (tuple(((gap - s) * a + s * b) // gap for a, b in zip(x, y, strict=True)) for gap, s, x, y in between)
    return [*mixed, tuple(rows[-1])]


def keeps_odds(rows: Rows, odds: Fraction) -> bool:
    """Return whether all weights are at least 1 and none is more than the odds times another in its column."""
    columns = list(zip(*rows, strict=True))
    return all(min(column) >= 1 for column in columns) and realised_odds(rows) <= odds


def realised_odds(rows: Rows) -> Fraction:
    """Return the largest ratio of two weights in one column, exactly."""
    return max(Fraction(max(column), min(column)) for column in zip(*rows, strict=True))


def _repaired(draft: UnroundedChannel, odds: Fraction) -> list[list[int]] | None:
    """Return the weights over 2^128, a row for each node, with sums and means that are exact to a few units."""
    low = [int(Fraction(weight) * _WHOLE / odds) for weight in _without_noise(draft.weights)]
    effect = _effect(draft, float(odds))
    for _ in range(_MOST_REPAIRS):
        if min(low) < 1:
            return None
        rows = _levels(draft, low, odds)
        deficits = _deficits(draft, rows)
        if max(map(abs, deficits)) <= _tolerance(draft):
            return rows
        # Least squares in proportion to the levels: rare columns change little and stay positive.
        moves, *_ = np.linalg.lstsq(effect, np.array([deficit / _WHOLE for deficit in deficits]), rcond=1e-13)
        low = [level + int(Fraction(float(move)) * level) for level, move in zip(low, moves, strict=True)]
    return None


def _without_noise(weights: NDArray[np.float64]) -> list[float]:
    mantissas, exponents = np.frexp(weights)
    return list(np.ldexp(np.round(mantissas * 2**_WEIGHT_BITS), exponents - _WEIGHT_BITS).tolist())


def _tolerance(draft: UnroundedChannel) -> int:
    # Flooring a level costs less than E units in it; 2^-16 of the last place of the table is more than enough.
    return (1 << (_EXTRA_BITS - 16)) * max(map(abs, draft.outputs))


def _levels(draft: UnroundedChannel, low: Sequence[int], odds: Fraction) -> list[list[int]]:
    high = [level * odds.numerator // odds.denominator for level in low]
    return [
        [above if raised else below for above, below, raised in zip(high, low, pattern, strict=True)]
        for pattern in draft.patterns.T.tolist()
    ]


def _deficits(draft: UnroundedChannel, rows: list[list[int]]) -> list[int]:
    """Return the deficit of each row's sum, then that of each row's mean, the latter in units."""
    sums = [_WHOLE - sum(row) for row in rows]
    means = [
        node * draft.unit * _WHOLE - sum(value * weight for value, weight in zip(draft.outputs, row, strict=True))
        for node, row in zip(draft.nodes, rows, strict=True)
    ]
    return sums + means


def _effect(draft: UnroundedChannel, odds: float) -> NDArray[np.float64]:
    """Return how much sums and means grow when a level grows by its own size."""
    rows = np.where(draft.patterns.T, draft.weights, draft.weights / odds)
    return np.concatenate((rows, rows * np.array(draft.outputs, dtype=np.float64)))


def _merged(draft: UnroundedChannel, rows: list[list[int]]) -> tuple[tuple[int, ...], list[list[int]]]:
    """Return the distinct values, and the rows with the columns of equal value added."""
    values = sorted(set(draft.outputs))
    place = {value: index for index, value in enumerate(values)}
    merged = [[0] * len(values) for _ in rows]
    for old, new in zip(rows, merged, strict=True):
        for value, weight in zip(draft.outputs, old, strict=True):
            new[place[value]] += weight
    return tuple(values), merged


def _to_span(row: tuple[int, ...]) -> tuple[int, ...]:
    """Round a row from 2^128 to 2^64 so that it adds up, by largest remainders."""
    whole = [weight >> _EXTRA_BITS for weight in row]
    missing = SPAN - sum(whole)
    # Columns that mirror each other have the same remainder, up to noise: of these the first one is rounded up.
    remainders = [(weight - (part << _EXTRA_BITS)) >> _NOISY_BITS for weight, part in zip(row, whole, strict=True)]
    by_remainder = sorted(range(len(row)), key=lambda place: -remainders[place])
    for place in by_remainder[:missing]:
        whole[place] += 1
    return tuple(whole)
