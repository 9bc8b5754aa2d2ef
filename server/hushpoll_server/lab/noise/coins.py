"""Coins with exact chances: a rational one, and e to the power of a negative rational number.

The rule here: only whole numbers, so a chance is what the formula says and not its nearest float. How many bytes a coin
takes depends on how it falls.

References: Canonne, Kamath and Steinke, "The discrete Gaussian for differential privacy", 2020, algorithm 1.
"""

from __future__ import annotations

from fractions import Fraction

from hushpoll_shared.randomness import ByteSource, uniform

_ONE = Fraction(1)


def falls(chance: Fraction, source: ByteSource) -> bool:
    """Return true with exactly this chance."""
    return uniform(source, chance.denominator) < chance.numerator


def survives(rate: Fraction, source: ByteSource) -> bool:
    """Return true with chance exp(−rate), exactly, for a rate that is not negative."""
    whole, rest = divmod(rate, _ONE)
    return all(_survives(_ONE, source) for _ in range(int(whole))) and _survives(rest, source)


def _survives(rate: Fraction, source: ByteSource) -> bool:
    # The first k coins, of chances rate/1, rate/2, …, all fall with chance rate^k/k!. So the number of tosses until one
    # does not fall is odd with chance 1 − rate + rate²/2 − … = exp(−rate).
    tosses = 1
    while falls(rate / tosses, source):
        tosses += 1
    return tosses % 2 == 1
