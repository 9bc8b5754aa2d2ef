"""The exact posterior of a share in fractions: the likelihood multiplied out is a finite mixture of Beta laws."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb, prod

import numpy as np
from scipy import special, stats

from hushpoll_server.estimate.bayes.posterior import Prior
from hushpoll_server.estimate.support import Figures
from hushpoll_server.estimate.yes_no_designs import YesNoDesign


@dataclass(frozen=True)
class Mixture:
    """The posterior after `yes` of `n` reports; k of the n respondents hold the trait with the weight of place k."""

    yes: int
    n: int
    design: YesNoDesign
    prior: Prior

    @cached_property
    def weights(self) -> list[Fraction]:
        p, q, yes, no = self.design.p, self.design.q, self.yes, self.n - self.yes
        ways = [Fraction(0)] * (self.n + 1)
        for i in range(yes + 1):
            for j in range(no + 1):
                ways[i + j] += comb(yes, i) * p**i * q ** (yes - i) * comb(no, j) * (1 - p) ** j * (1 - q) ** (no - j)
        # B(a + k, b + n - k)/B(a, b) is a ratio of rising factorials.
        a, b = self.parameters
        masses = [way * _rising(a, k) * _rising(b, self.n - k) for k, way in enumerate(ways)]
        return [mass / sum(masses) for mass in masses]

    @property
    def parameters(self) -> tuple[Fraction, Fraction]:
        return Fraction(self.prior.a), Fraction(self.prior.b)

    def _moment(self, power: int) -> Fraction:
        (a, b), n = self.parameters, self.n
        rows = enumerate(self.weights)
        return sum((w * _rising(a + k, power) / _rising(a + b + n, power) for k, w in rows), start=Fraction(0))

    @property
    def mean(self) -> Fraction:
        return self._moment(1)

    @property
    def variance(self) -> Fraction:
        return self._moment(2) - self._moment(1) ** 2

    def below(self, t: float) -> float:
        """Return P(f < t): a sum of positive terms."""
        return float(self.cumulative(np.array([t]))[0])

    def cumulative(self, x: Figures) -> Figures:
        a, b = map(float, self.parameters)
        rows = (float(w) * special.betainc(a + k, b + self.n - k, x) for k, w in enumerate(self.weights))
        return np.asarray(sum(rows))

    def density(self, x: Figures) -> Figures:
        a, b = map(float, self.parameters)
        rows = (float(w) * stats.beta.pdf(x, a + k, b + self.n - k) for k, w in enumerate(self.weights))
        return np.asarray(sum(rows))


def _rising(x: Fraction, k: int) -> Fraction:
    return prod((x + i for i in range(k)), start=Fraction(1))
