"""Calibrated noise with a budget: discrete Laplace noise on counts, and the law of what it hides.

P(N = k) is proportional to α^|k| with α = e^(−ε/Δ), so that one person, who changes the answer by at most Δ, changes
the probability of every answer by at most the factor e^ε. A budget divides ε among the answers, and then there are no
more.

The rule here: this is for simulations, many draws at a time under a seed. The law is that of the table of thresholds
over 2^64 below, which differs from the exact one by less than 10^−15; the statistical database of the lab draws
exactly.

References: C. Dwork, F. McSherry, K. Nissim, A. Smith (2006), TCC; A. Ghosh, T. Roughgarden, M. Sundararajan (2012),
SIAM J. Comput. 41.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.lab.stream import Places, SeededStream, bits, numbers
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.randomness import SPAN

# A smaller epsilon would need a table of more than five million thresholds.
LEAST_EPSILON = 1e-5
_REACH_BITS = 64


@dataclass(frozen=True)
class CountNoise:
    """Noise for answers that one person changes by at most `sensitivity`."""

    epsilon: float
    sensitivity: int = 1

    def __post_init__(self) -> None:
        """Refuse an epsilon that has no practicable table."""
        if self.epsilon / self.sensitivity < LEAST_EPSILON:
            raise InvalidValue("so many answers leave too little epsilon for each: ask fewer, or raise epsilon")

    @property
    def alpha(self) -> float:
        """Return the ratio of neighbouring probabilities."""
        return math.exp(-self.epsilon / self.sensitivity)

    @property
    def variance(self) -> float:
        """Return the variance: 2α/(1 − α)²."""
        return 2 * self.alpha / (1 - self.alpha) ** 2

    @property
    def at_zero(self) -> float:
        """Return P(N = 0) = (1 − α)/(1 + α) = tanh(ε/2Δ)."""
        return math.tanh(self.epsilon / self.sensitivity / 2)

    @property
    def difference_at_zero(self) -> float:
        """Return P(N = N′) of two independent draws: Σ P(k)² = (1 − α)(1 + α²)/(1 + α)³."""
        alpha = self.alpha
        return (1 - alpha) * (1 + alpha**2) / (1 + alpha) ** 3

    def half_width(self, level: float) -> int:
        """Return the smallest w with P(|N| ≤ w) ≥ level, from P(|N| > w) = 2α^(w+1)/(1 + α)."""
        return max(0, math.ceil(math.log((1 - level) * (1 + self.alpha) / 2) / math.log(self.alpha)) - 1)

    def draw(self, stream: SeededStream, count: int) -> Places:
        """Draw `count` times."""
        sizes = len(self._thresholds) - np.searchsorted(self._thresholds, numbers(stream, count), side="right")
        return np.asarray(sizes * (2 * bits(stream, count) - 1))

    @cached_property
    def _thresholds(self) -> NDArray[np.uint64]:
        # P(|N| ≥ k) = 2α^k/(1 + α) over 2^64, for k = reach … 1
        reach = math.ceil(_REACH_BITS * math.log(2) * self.sensitivity / self.epsilon) + 1
        powers = self.alpha ** np.arange(reach, 0, -1)
        return np.asarray(powers * (2 / (1 + self.alpha) * float(SPAN))).astype(np.uint64)
