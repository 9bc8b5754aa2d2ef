"""What each respondent adds to the variance of an estimate, as a function of the true answers.

Of a population of N people, n are asked, and each answer is randomized. With S the variance of the true answers and V
that of the randomizing, both for one respondent,

    Var = (V + s·S)/n,   s = 1 − n/N,   s = 1 without a declared population.

The rule here: s multiplies S alone. Asking everybody does not reduce V.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise


class Variance(ABC):
    """The variance that each respondent adds, as a function of the true answers."""

    @abstractmethod
    def at(self, share: float | None, unsampled: float) -> float:
        """Return V + s·S at a share, or at the worst answers that people can have."""


@dataclass(frozen=True)
class ShareVariance(Variance):
    """V(f) = constant + linear·f + curve·f(1 − f) of an estimated share f; S is f(1 − f)."""

    constant: float
    linear: float = 0.0
    curve: float = 0.0

    def at(self, share: float | None, unsampled: float) -> float:
        """Return V + s·S at this share or at the worst."""
        f = self.worst_share(unsampled) if share is None else share
        return self.constant + self.linear * f + (self.curve + unsampled) * f * (1 - f)

    def worst_share(self, unsampled: float) -> float:
        """Return the share with the largest variance: the maximum of a parabola, or the nearer end."""
        bend = self.curve + unsampled
        if abs(self.linear) >= bend:
            return 1.0 if self.linear > 0 else 0.0
        return (1 + self.linear / bend) / 2


@dataclass(frozen=True)
class MeanVariance(Variance):
    """E[y²|x] at equally spaced answers x from −1 to 1, and half of the range in the question's own units.

    Between two of them it is linear, if there are answers between. S is at most x², the variance of the answers ±x;
    designs treat x and −x alike, so no answers are worse than the worst x on both sides.
    """

    squares: tuple[float, ...]
    half: float = 1.0
    between: bool = False

    @classmethod
    def even(cls, privacy: float, half: float) -> MeanVariance:
        """Return a variance that is the same for every answer; the ends are the worst answers of a sample."""
        return cls((privacy + 1, privacy + 1), half)

    def at(self, share: float | None, unsampled: float) -> float:
        """Return the largest V(x) + s·x² = E[y²|x] − (1 − s)·x²."""
        assert share is None, "a mean has no share"
        points = list(zip(places(len(self.squares)), self.squares, strict=True))
        worst = max(square - (1 - unsampled) * x * x for x, square in points)
        if self.between and unsampled < 1:
            worst = max(worst, *(_top(left, right, 1 - unsampled) for left, right in pairwise(points)))
        return worst * self.half**2


# What designs are compared by: the less, the better.
Rank = float | tuple[float, float]
Measure = Callable[[Variance], Rank]


@dataclass(frozen=True)
class AtShare:
    """The measure of designs by their variance at a share, each at its worst if there is none; for a sample."""

    share: float | None

    def __call__(self, variance: Variance) -> float:
        """Return V + S."""
        return variance.at(self.share, 1.0)


def places(count: int) -> list[float]:
    """Return equally spaced answers from −1 to 1."""
    return [2 * place / (count - 1) - 1 for place in range(count)]


def _top(left: tuple[float, float], right: tuple[float, float], curve: float) -> float:
    """Return the maximum of the line from one point to the next, minus curve·x²."""
    slope = (right[1] - left[1]) / (right[0] - left[0])
    x = min(right[0], max(left[0], slope / (2 * curve)))
    return left[1] + slope * (x - left[0]) - curve * x * x
