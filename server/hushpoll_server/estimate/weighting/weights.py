"""The weights of reports: how many people each stands for, up to a common factor.

The rule here: a weight is a positive finite number and belongs to a row, never to what the row reports. Only ratios of
weights matter. A report with weight 0 says nothing and must be left out, so that n counts what was used.

References: L. Kish (1965), Survey Sampling, Wiley; J. Hájek (1971), in Foundations of Statistical Inference.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from hushpoll_server.estimate.errors import EstimateError, check_population
from hushpoll_server.estimate.support import Counts, Figures

# Below this fraction of a person a weight is less than one by more than rounding.
_ONE_PERSON = 1 - 1e-9


@dataclass(frozen=True, eq=False)
class Weights:
    """The weights of classes of reports, the largest scaled to 1, and how many reports each class has."""

    values: Figures
    n: Counts
    population: int | None = None

    @classmethod
    def of(cls, weights: ArrayLike, n: Counts, population: int | None = None) -> Weights:
        """Return checked weights, one for each class."""
        values = _read(weights, n.size)
        check_population(population, int(n.sum()))
        return cls(values / values.max(initial=0.0) if values.size else values, n, population)

    @property
    def reports(self) -> int:
        """Return the number of reports."""
        return int(self.n.sum())

    @property
    def equal(self) -> bool:
        """Return whether all reports weigh the same."""
        used = self.values[self.n > 0]
        return bool(used.size == 0 or (used == used[0]).all())

    @cached_property
    def total(self) -> float:
        """Return the sum of the weights of all reports."""
        return float(self.values @ self.n)

    @cached_property
    def kish(self) -> float:
        """Return Kish's effective number of reports: as many of equal weight would tell as much."""
        # n_K = (Σw)²/Σw²
        return self.total**2 / float(self.values**2 @ self.n)

    @cached_property
    def inclusion(self) -> Figures:
        """Return the chance with which a person of each class was asked: 0 in an infinite population."""
        if self.population is None:
            return np.zeros_like(self.values)
        # w = N·w/Σw people for each report, so π = 1/w; nobody is asked with a chance above 1
        return np.minimum(1.0, 1 / self.people)

    @cached_property
    def people(self) -> Figures:
        """Return how many people of the population each report stands for."""
        assert self.population is not None, "an infinite population has no number of people"
        return self.values * self.population / self.total

    @property
    def below_one(self) -> bool:
        """Return whether some report stands for less than one person."""
        return self.population is not None and not self.equal and bool((self.people < _ONE_PERSON).any())

    @cached_property
    def unsampled(self) -> float:
        """Return the part of the sampling variance that a finite population leaves: 1 if it is infinite."""
        # s = Σ(1 - π)w²/Σw², which is 1 - n/N for equal weights
        squares = self.values**2 * self.n
        return float((1 - self.inclusion) @ squares / squares.sum())


def _read(weights: ArrayLike, size: int) -> Figures:
    try:
        values = np.asarray(weights, float)
    except (TypeError, ValueError):
        raise EstimateError("a weight is not a number: give a positive number for each report") from None
    if values.shape != (size,):
        raise EstimateError(f"there is not one weight for each of {size} reports or classes: give as many")
    wrong = np.flatnonzero(~((values > 0) & (values < np.inf)))
    if wrong.size:
        raise EstimateError(
            f"the weight in row {wrong[0] + 1} is not a positive finite number: correct it, or leave the row out if it "
            "stands for nobody"
        )
    return values
