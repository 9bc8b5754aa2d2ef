"""A noisy choice of the highest count: permute-and-flip, the exponential mechanism drawn without replacement.

The categories are visited in random order. One whose count is d below the highest is taken with chance exp(−ε · d),
else the next is visited; the highest is always taken when its turn comes. With replacement this would be the
exponential mechanism, which errs up to twice as much and never less.

Privacy: one row changes one count by 1, and all counts in the same direction, so the choice is ε-differentially private
without the factor 2 that scores need which may move apart. Both that and the margin are proved in docs/lab.md.

References: McSherry and Talwar, 2007; McKenna and Sheldon, 2020; Ding, Kifer and others, 2021.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from hushpoll_server.lab.noise.coins import survives
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.randomness import ByteSource, choose


def permute_and_flip(counts: Sequence[int], rate: Fraction, source: ByteSource) -> int:
    """Return the index of a category whose count is the highest or close to it; the rate is ε."""
    if not counts:
        raise InvalidValue("a choice needs at least one category")
    highest = max(counts)
    order = choose(source, len(counts), len(counts))
    return next(index for index in order if survives(rate * (highest - counts[index]), source))


def margin(categories: int, rate: Fraction, beta: Fraction) -> int:
    """Return how far the chosen count may be below the highest: it is further with chance at most beta."""
    # A category more than m below is taken only if it is visited before the highest, with chance 1/2, and its coin
    # falls, with chance at most exp(−rate (m + 1)); there are at most K − 1 of them.
    allowed = 2 * beta / max(1, categories - 1)
    if categories < 2 or allowed >= 1:
        return 0
    return max(0, math.ceil(-math.log(allowed) / rate * (1 + Fraction(1, 10**12))) - 1)
