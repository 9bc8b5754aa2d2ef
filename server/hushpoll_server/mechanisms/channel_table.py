"""The channel for means: a finite, unbiased, private table with the least possible worst-case variance.

A number is rounded at random to one of `inputs` equally spaced points; the row of that point draws an output; the
output's value, averaged over respondents, is the mean. The table comes from a linear program (channel_program.py), is
rounded to integers over 2^64 (channel_rounding.py) and compared with a bound for all mechanisms (channel_bound.py).

The rule here: the realised odds of a table, an exact ratio of its integers, are never above the stated ones; every
row adds up to 2^64; the mean of row i is i grid steps to within 1e-12. Equal odds and inputs give equal tables.
Variances are on [−1, 1] for each respondent.
"""

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

import numpy as np

from hushpoll_server.mechanisms.channel_program import (
    LARGEST_ODDS,
    Floats,
    Program,
    Solution,
    mirrored_points,
    on_unit_range,
)
from hushpoll_server.mechanisms.channel_rounding import Rows, UnroundedChannel, mixed_rows, rounded
from hushpoll_server.mechanisms.closed_forms import duchi_reach, hybrid_variance
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms.channel import MOST_ENTRIES, MOST_INPUTS, Channel
from hushpoll_shared.randomness import SPAN

# At most this many inputs have a row of their own in the program: the others are mixtures of their neighbours.
# At epsilon 4, with the outputs below: 21 nodes are within 2.1 % of the best, 25 within 1.5 %, 33 within 1.1 %, and
# their tables take 13, 17 and 38 kB of JSON.
MOST_NODES = 25
# Four places for each node are as good as all of them.
_MOST_PLACES = 101
# The outputs of the best channels are within 1.3 times Duchi's two points; 23 steps up to there cost 0.1 to 0.5 %.
_REACH_FACTOR = 1.3
_OUTPUT_STEPS = 23
_K_ARY_NODES = 101
_K_ARY_UNIT = 10**13


def default_inputs(odds: Fraction | float) -> int:
    """Return the number of points for a number question: rounding to them costs at most about 1 % of the variance."""
    # Rounding adds at most 1/(inputs − 1)². Hybrid's variance is used for the channel's, which is slightly less.
    needed = 11 / math.sqrt(hybrid_variance(math.log(odds)))
    return min(MOST_NODES, max(5, 2 * math.ceil(needed / 2) + 1))


@lru_cache(maxsize=256)
def solve_channel(odds: Fraction, inputs: int, *, between: bool = True) -> Channel:
    """Return the unbiased channel with the least worst-case variance among those within the odds.

    `odds` is e^epsilon or slightly less, exactly. With `between`, values between the points count too (numbers);
    without, only the points themselves (scales).
    """
    if odds <= 1:
        raise InvalidValue("odds of a channel must be above 1:1 (epsilon above 0): otherwise a report says nothing")
    if not 2 <= inputs <= MOST_INPUTS:
        raise InvalidValue(f"a channel has 2 to {MOST_INPUTS} inputs, not {inputs}")
    # Beyond the largest odds the answer is nearly always reported as it is, and the program gains nothing.
    if inputs == 2 or odds > LARGEST_ODDS:
        return _k_ary(odds, inputs)
    nodes = mirrored_points(inputs, MOST_NODES)
    step, unit = _step(float(odds), inputs)
    outputs = 2 * _outputs(float(odds), inputs, step) / (inputs - 1)
    # The middle between two neighbouring points represents all values between them.
    places = np.linspace(-1, 1, min(_MOST_PLACES, 2 * inputs - 1 if between else inputs))
    solution = Program(float(odds), on_unit_range(nodes), places).solve(outputs)
    values, rows = rounded(_draft(solution, nodes, unit), odds)
    return Channel(values, unit, _cumulative(rows))


def _k_ary(odds: Fraction, inputs: int) -> Channel:
    """Return the k-ary response as a channel: for two points Warner's design, which is also Duchi's, and optimal."""
    nodes = mirrored_points(inputs, min(_K_ARY_NODES, MOST_ENTRIES // inputs))
    others = len(nodes) - 1
    # Rounded up, so that high/low ≤ E: low = ⌈2^64/(E + k − 1)⌉
    low = -(-SPAN * odds.denominator // (odds.numerator + others * odds.denominator))
    high = SPAN - others * low
    rows = [tuple(high if there == here else low for there in nodes) for here in nodes]
    # The mean of row x is (high − low)/2^64 of the way from the middle to x, so the values are stretched.
    stretch, middle = Fraction(SPAN, high - low), Fraction(inputs - 1, 2)
    # Values stay below 2^53, so every JSON parser reads them exactly.
    unit = min(_K_ARY_UNIT, int(2**52 / (middle * (stretch + 1))))
    values = tuple(round((middle + stretch * (node - middle)) * unit) for node in nodes)
    return Channel(values, unit, _cumulative(mixed_rows(rows, nodes)))


def _step(odds: float, inputs: int) -> tuple[Fraction, int]:
    """Return the distance of neighbouring outputs in grid steps, and the unit in which all values are integers."""
    distance = _REACH_FACTOR * duchi_reach(odds) * (inputs - 1) / 2 / _OUTPUT_STEPS
    # One over a whole number, or a whole number: the points themselves stay among the outputs.
    step = Fraction(math.floor(distance)) if distance >= 1 else Fraction(1, math.ceil(1 / distance))
    return step, 2 * step.denominator


def _outputs(odds: float, inputs: int, step: Fraction) -> Floats:
    """Return the outputs from the middle upwards, in grid steps from the middle."""
    middle = Fraction(inputs - 1, 2)
    first = middle % step if (2 * middle) % step == 0 else Fraction(0)
    count = math.ceil(_REACH_FACTOR * duchi_reach(odds) * float(middle) / float(step)) + 1
    return float(first) + float(step) * np.arange(count, dtype=np.float64)


def _draft(solution: Solution, nodes: tuple[int, ...], unit: int) -> UnroundedChannel:
    """Return the solution's columns and their mirror images, half of the weight each, in the question's own units."""
    width = nodes[-1]
    used = np.flatnonzero(solution.weights > 0)
    columns = solution.columns.chosen(used)
    offsets = [round(output * unit * width / 2) for output in columns.outputs.tolist()]
    middle = unit * width // 2
    return UnroundedChannel(
        unit,
        tuple(middle + offset for offset in offsets) + tuple(middle - offset for offset in offsets),
        np.concatenate((columns.patterns, columns.patterns[:, ::-1])),
        np.tile(solution.weights[used] / 2, 2),
        nodes,
    )


def _cumulative(rows: Iterable[tuple[int, ...]]) -> Rows:
    return tuple(tuple(accumulate(row[:-1])) for row in rows)


def worst_variance(design: Channel) -> float:
    """Return the worst variance on [−1, 1], including between the points of the grid."""
    return max(_variance_between(design, row) for row in range(design.steps)) / float(design.valued)


def variance_at_points(design: Channel) -> float:
    """Return the worst variance on [−1, 1] at the points of the grid."""
    worst = max(float(design.moment(row, 2) - row**2) for row in range(design.inputs))
    return worst / float(design.valued) * (2 / design.steps) ** 2


def _variance_between(design: Channel, row: int) -> float:
    # E[y²] is linear from m_i to m_{i+1}; minus (i + s)² it is a parabola in s with its maximum here.
    low, high = float(design.moment(row, 2)), float(design.moment(row + 1, 2))
    top = min(1.0, max(0.0, (high - low) / 2 - row))
    return (low + top * (high - low) - (row + top) ** 2) * (2 / design.steps) ** 2
