"""Channels for numbers that may be declined: a part of the draws tells a number from an extra.

Which part a report belongs to is drawn without looking at the answer and shows in the report. In the first part the
answer is one of "a number" and the extras, randomized by k-ary randomized response. The second part is the channel;
somebody who gave no number reports in it as if it were the middle of the range, which the estimator takes out again.

Law kept here: the odds of the whole table, an exact ratio of its integers, are never above the stated ones.
"""

import math
from fractions import Fraction
from itertools import accumulate

from hushpoll_server.plan.channels import solve_channel
from hushpoll_shared.designs import Channel
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.randomness import SPAN

# Scaling the channel moves its weights by a unit or so: it is solved for odds that are less by a hair.
_HAIRS = (Fraction(1, 10**12), Fraction(1, 10**9), Fraction(1, 10**6), Fraction(1, 10**4))
# The parts are weighed for a mean that lies half of the way from the middle to an end.
_MEAN = 0.5


def solve_with_extras(odds: Fraction, inputs: int, extras: int, *, between: bool) -> Channel:
    """Return the channel for numbers and extras."""
    for hair in _HAIRS:
        table = solve_channel(odds * (1 - hair), inputs, between=between)
        variance = table.variance() if between else table.variance_at_points()
        channel = _joined(table, extras, odds, _telling_part(variance, extras, float(odds)))
        if channel.odds <= odds:
            return channel
    raise InvalidValue("no channel with extras keeps these odds: choose another epsilon")


def _telling_part(variance: float, extras: int, odds: float) -> int:
    """Return how many of 2^64 draws tell a number from an extra: the part with the least variance of the mean."""
    p, q = odds / (odds + extras), 1 / (odds + extras)
    rate = (p + q) / 2
    telling = _MEAN**2 * rate * (1 - rate) / (p - q) ** 2
    # a/α + b/(1 − α) is least at α = √a/(√a + √b)
    share = math.sqrt(telling) / (math.sqrt(telling) + math.sqrt(variance))
    # A multiple of 2^40: no reader needs more digits.
    return round(share * 2**24) << 40


def _joined(table: Channel, extras: int, odds: Fraction, telling: int) -> Channel:
    numbers = [_scaled(row, SPAN - telling) for row in table.weights]
    middle = (table.inputs - 1) // 2
    # With an even number of points the middle lies between two.
    undecided = _average(numbers[middle], numbers[table.inputs // 2])
    rows = [_told(0, extras, odds, telling) + row for row in numbers]
    rows += [_told(extra, extras, odds, telling) + undecided for extra in range(1, extras + 1)]
    thresholds = tuple(tuple(accumulate(row[:-1])) for row in rows)
    return Channel((*[None] * (extras + 1), *table.values), table.unit, thresholds, extras)


def _told(truth: int, extras: int, odds: Fraction, telling: int) -> list[int]:
    """Return the weights of the outputs that tell a number from each extra."""
    # other = ⌈telling/(E + e)⌉, so that (telling − e·other)/other ≤ E
    share = telling / (odds + extras)
    other = -(-share.numerator // share.denominator)
    return [telling - extras * other if output == truth else other for output in range(extras + 1)]


def _scaled(row: tuple[int, ...], total: int) -> list[int]:
    """Return weights over 2^64 as weights over a smaller total; what rounding leaves goes to the largest."""
    scaled = [weight * total // SPAN for weight in row]
    scaled[scaled.index(max(scaled))] += total - sum(scaled)
    return scaled


def _average(one: list[int], other: list[int]) -> list[int]:
    total = sum(one)
    half = [(a + b) // 2 for a, b in zip(one, other, strict=True)]
    half[half.index(max(half))] += total - sum(half)
    return half
