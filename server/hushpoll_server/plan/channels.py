"""The channel for means: a finite, unbiased, private table, with the least worst-case variance that there is.

A number is rounded by a coin to one of `inputs` equally spaced points; the row of that point draws an output; the
output's value, averaged over respondents, is the mean. The table comes from a linear program (channel_program.py), is
rounded to integers over 2^64 (channel_rounding.py) and compared with a bound for all mechanisms (channel_bound.py).

Law kept here: the realised odds of a table, an exact ratio of its integers, are never above the stated ones; every
row adds up to 2^64; the mean of row i is i grid steps to within 1e-12. Same odds and inputs, same table.
Variances are on [−1, 1] for each respondent.
"""

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

import numpy as np

from hushpoll_server.plan.channel_program import LARGEST_ODDS, Floats, Program, Solution, mirrored_points, on_unit_range
from hushpoll_server.plan.channel_rounding import Draft, Rows, mixed_rows, rounded
from hushpoll_server.plan.closed_forms import duchi_reach, hybrid_variance
from hushpoll_shared.designs.channel import MOST_ENTRIES, MOST_INPUTS, Channel
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.randomness import SPAN

# Beyond so many inputs only so many get a row of their own in the program: the others are mixtures of neighbours.
# At epsilon 4, with the outputs below: 21 nodes are within 2.1 % of the best, 25 within 1.5 %, 33 within 1.1 %, and
# their tables take 13, 17 and 38 kB of JSON.
MOST_NODES = 25
# Four places for each node are as good as all.
_MOST_PLACES = 101
# The best channels never reach further than 1.3 times Duchi's two points; 23 steps to there cost 0.1 to 0.5 %.
_REACH = 1.3
_STEPS = 23
_K_ARY_NODES = 101
_K_ARY_UNIT = 10**13


def default_inputs(odds: Fraction | float) -> int:
    """Return the number of points for a number question: rounding to them costs at most about 1 % of the variance."""
    # Rounding adds 1/(inputs − 1)² at most. Hybrid's variance stands in for the channel's, which is a little less.
    wanted = 11 / math.sqrt(hybrid_variance(math.log(odds)))
    return min(MOST_NODES, max(5, 2 * math.ceil(wanted / 2) + 1))


@lru_cache(maxsize=256)
def solve_channel(odds: Fraction, inputs: int, *, between: bool = True) -> Channel:
    """Return the unbiased channel with the least worst-case variance among those within the odds.

    `odds` is e^epsilon or a little less, exactly. With `between`, values between the points count too (numbers);
    without, only the points themselves (scales).
    """
    if odds <= 1:
        raise InvalidValue("odds of a channel must be above 1:1 (epsilon above 0): otherwise a report says nothing")
    if not 2 <= inputs <= MOST_INPUTS:
        raise InvalidValue(f"a channel has 2 to {MOST_INPUTS} inputs, not {inputs}")
    # Beyond the largest odds the truth is reported all but always, and the program has nothing to add.
    if inputs == 2 or odds > LARGEST_ODDS:
        return _k_ary(odds, inputs)
    nodes = mirrored_points(inputs, MOST_NODES)
    step, unit = _step(float(odds), inputs)
    outputs = 2 * _outputs(float(odds), inputs, step) / (inputs - 1)
    # The middles between neighbouring points stand for all that lies between them.
    places = np.linspace(-1, 1, min(_MOST_PLACES, 2 * inputs - 1 if between else inputs))
    solution = Program(float(odds), on_unit_range(nodes), places).solve(outputs)
    values, rows = rounded(_draft(solution, nodes, unit), odds)
    return Channel(values, unit, _cumulative(rows))


def _k_ary(odds: Fraction, inputs: int) -> Channel:
    """Return the k-ary response as a channel: for two points Warner's design, which is Duchi's and the best."""
    nodes = mirrored_points(inputs, min(_K_ARY_NODES, MOST_ENTRIES // inputs))
    others = len(nodes) - 1
    # Rounded up, so that high/low ≤ E: low = ⌈2^64/(E + k − 1)⌉
    low = -(-SPAN * odds.denominator // (odds.numerator + others * odds.denominator))
    high = SPAN - others * low
    rows = [tuple(high if there == here else low for there in nodes) for here in nodes]
    # Row x has its mean at the part (high − low)/2^64 of the way from the middle to x: the values are stretched.
    stretch, middle = Fraction(SPAN, high - low), Fraction(inputs - 1, 2)
    # Values stay below 2^53, which every reader of JSON holds exactly.
    unit = min(_K_ARY_UNIT, int(2**52 / (middle * (stretch + 1))))
    values = tuple(round((middle + stretch * (node - middle)) * unit) for node in nodes)
    return Channel(values, unit, _cumulative(mixed_rows(rows, nodes)))


def _step(odds: float, inputs: int) -> tuple[Fraction, int]:
    """Return the distance of neighbouring outputs in grid steps, and the unit in which all values are whole."""
    wanted = _REACH * duchi_reach(odds) * (inputs - 1) / 2 / _STEPS
    # One over a whole number, or a whole number: the points themselves stay among the outputs.
    step = Fraction(math.floor(wanted)) if wanted >= 1 else Fraction(1, math.ceil(1 / wanted))
    return step, 2 * step.denominator


def _outputs(odds: float, inputs: int, step: Fraction) -> Floats:
    """Return the outputs from the middle upwards, in grid steps from the middle."""
    middle = Fraction(inputs - 1, 2)
    first = middle % step if (2 * middle) % step == 0 else Fraction(0)
    count = math.ceil(_REACH * duchi_reach(odds) * float(middle) / float(step)) + 1
    return float(first) + float(step) * np.arange(count, dtype=np.float64)


def _draft(solution: Solution, nodes: tuple[int, ...], unit: int) -> Draft:
    """Return the solution's columns and their mirror images, half of the weight each, in the question's own units."""
    width = nodes[-1]
    used = np.flatnonzero(solution.weights > 0)
    columns = solution.columns.chosen(used)
    offsets = [round(output * unit * width / 2) for output in columns.outputs.tolist()]
    middle = unit * width // 2
    return Draft(
        unit,
        tuple(middle + offset for offset in offsets) + tuple(middle - offset for offset in offsets),
        np.concatenate((columns.patterns, columns.patterns[:, ::-1])),
        np.tile(solution.weights[used] / 2, 2),
        nodes,
    )


def _cumulative(rows: Iterable[tuple[int, ...]]) -> Rows:
    return tuple(tuple(accumulate(row[:-1])) for row in rows)
