"""Channels for numbers that may be declined: a part of the draws says whether there is a number, or which extra.

Which part a report belongs to is drawn independently of the answer and visible in the report. In the first part the
answer is one of "a number" and the extras, randomized by k-ary randomized response. The second part is the channel;
somebody who gave no number reports in it as if it were the middle of the range, which the estimator corrects for.

The rule here: the odds of the whole table, an exact ratio of its integers, are never above the stated ones.
"""

import math
from fractions import Fraction
from itertools import accumulate

from hushpoll_server.mechanisms.channel_table import solve_channel, variance_at_points, worst_variance
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms import Channel
from hushpoll_shared.randomness import SPAN

# Scaling the channel changes its weights by about a unit: it is solved for odds that are smaller by such a margin.
_MARGINS = (Fraction(1, 10**12), Fraction(1, 10**9), Fraction(1, 10**6), Fraction(1, 10**4))
# The size of the parts is best for a mean halfway from the middle of the range to an end.
_PLANNED_MEAN = 0.5


def solve_with_extras(odds: Fraction, inputs: int, extras: int, *, between: bool) -> Channel:
    """Return the channel for numbers and extras."""
    for margin in _MARGINS:
        table = solve_channel(odds * (1 - margin), inputs, between=between)
        variance = worst_variance(table) if between else variance_at_points(table)
        channel = _combined(table, extras, odds, _first_part(variance, extras, float(odds)))
        if channel.odds <= odds:
            return channel
    raise InvalidValue("no channel with extras keeps these odds: choose another epsilon")


def _first_part(variance: float, extras: int, odds: float) -> int:
    """Return how many of 2^64 draws are in the first part, so that the variance of the mean is least."""
    p, q = odds / (odds + extras), 1 / (odds + extras)
    rate = (p + q) / 2
    presence = _PLANNED_MEAN**2 * rate * (1 - rate) / (p - q) ** 2
    # a/α + b/(1 − α) is least at α = √a/(√a + √b)
    share = math.sqrt(presence) / (math.sqrt(presence) + math.sqrt(variance))
    # A multiple of 2^40: more digits would make no difference.
    return round(share * 2**24) << 40


def _combined(table: Channel, extras: int, odds: Fraction, part: int) -> Channel:
    numbers = [_scaled(row, SPAN - part) for row in table.weights]
    middle = (table.inputs - 1) // 2
    # With an even number of points the middle lies between two.
    undecided = _average(numbers[middle], numbers[table.inputs // 2])
    rows = [_first_weights(0, extras, odds, part) + row for row in numbers]
    rows += [_first_weights(extra, extras, odds, part) + undecided for extra in range(1, extras + 1)]
    thresholds = tuple(tuple(accumulate(row[:-1])) for row in rows)
    return Channel((*[None] * (extras + 1), *table.values), table.unit, thresholds, extras)


def _first_weights(answer: int, extras: int, odds: Fraction, part: int) -> list[int]:
    """Return the weights of the outputs of the first part: "a number", then each extra."""
    # other = ⌈part/(E + e)⌉, so that (part − e·other)/other ≤ E
    share = part / (odds + extras)
    other = -(-share.numerator // share.denominator)
    return [part - extras * other if output == answer else other for output in range(extras + 1)]


def _scaled(row: tuple[int, ...], total: int) -> list[int]:
    """Return weights over 2^64 as weights over a smaller total; the largest takes the rounding error."""
    scaled = [weight * total // SPAN for weight in row]
    scaled[scaled.index(max(scaled))] += total - sum(scaled)
    return scaled


def _average(one: list[int], other: list[int]) -> list[int]:
    total = sum(one)
    half = [(a + b) // 2 for a, b in zip(one, other, strict=True)]
    half[half.index(max(half))] += total - sum(half)
    return half
