"""How far an estimate scatters: what each respondent adds to its variance.

Of a population of N people n are asked, then each answer is randomized. With S the variance of the true answers and V
that of the randomizing, both for one respondent,

    Var = (V + s·S)/n,   s = 1 − n/N,   s = 1 without a declared population.

Law kept here: s multiplies S alone. Asking everybody leaves all of V.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import pairwise

from hushpoll_server.estimate.support import SupportDesign
from hushpoll_shared.designs import Ball, Channel, Design, Laplace, Padded, Projective, Repeated, SubsetSelection
from hushpoll_shared.questions import Kind, Number, Scale


class Spread(ABC):
    """The variance that each respondent adds, as a function of the true answers."""

    @abstractmethod
    def at(self, share: float | None, unsampled: float) -> float:
        """Return V + s·S at a share, or at the worst answers that people can have."""


@dataclass(frozen=True)
class ShareSpread(Spread):
    """Hold V(f) = constant + linear·f + curve·f(1 − f) of an estimated share f; S is f(1 − f)."""

    constant: float
    linear: float = 0.0
    curve: float = 0.0

    def at(self, share: float | None, unsampled: float) -> float:
        """Return V + s·S at this share or at the worst."""
        f = self.worst_share(unsampled) if share is None else share
        return self.constant + self.linear * f + (self.curve + unsampled) * f * (1 - f)

    def worst_share(self, unsampled: float) -> float:
        """Return the share with the largest variance: the top of a parabola, or the nearer end."""
        bend = self.curve + unsampled
        if abs(self.linear) >= bend:
            return 1.0 if self.linear > 0 else 0.0
        return (1 + self.linear / bend) / 2


@dataclass(frozen=True)
class MeanSpread(Spread):
    """Hold E[y²|x] at equally spaced answers x from −1 to 1, and half of the range in the question's own units.

    Between two of them it is a straight line, if there are answers between. S is at most what the answers ±x give, x²;
    designs treat x and −x alike, so no answers are worse than the worst x on both sides.
    """

    squares: tuple[float, ...]
    half: float = 1.0
    between: bool = False

    def at(self, share: float | None, unsampled: float) -> float:
        """Return the largest V(x) + s·x² = E[y²|x] − (1 − s)·x²."""
        assert share is None, "a mean has no share"
        points = list(zip(_places(len(self.squares)), self.squares, strict=True))
        worst = max(square - (1 - unsampled) * x * x for x, square in points)
        if self.between and unsampled < 1:
            worst = max(worst, *(_top(left, right, 1 - unsampled) for left, right in pairwise(points)))
        return worst * self.half**2


def without_privacy(kind: Kind) -> Spread:
    """Return the spread of answers that are not randomized."""
    return MeanSpread((1.0, 1.0), half_range(kind)) if is_mean(kind) else ShareSpread(0.0)


def best_possible(kind: Kind, odds: float) -> Spread:
    """Return what no design can fall below: Warner's variance for the two answers that are furthest apart."""
    # E/(E − 1)² for answers 0 and 1, four times as much for −1 and 1
    warner = odds / (odds - 1) ** 2
    return _even(4 * warner, kind) if is_mean(kind) else ShareSpread(warner)


def spread_of(kind: Kind, design: Design) -> Spread:
    """Return the spread of the figures that a question reports with this design."""
    if isinstance(design, Channel):
        return MeanSpread(_channel_squares(design), half_range(kind), isinstance(kind, Number))
    if isinstance(design, Laplace):
        return MeanSpread(_laplace_squares(design), half_range(kind), between=True)
    if isinstance(design, Ball):
        # (m/t)·(1/c² − 1)/4 + (m/t − 1)·f(1 − f)
        return ShareSpread(design.variance_at(0.0), curve=design.options / design.asked - 1)
    if isinstance(design, SubsetSelection | Projective | Padded | Repeated):
        support = SupportDesign(design.p, design.q)
        ends = support.privacy_variance(0.0), support.privacy_variance(1.0)
        return ShareSpread(ends[0], ends[1] - ends[0])
    return _even(design.variance(), kind)


def is_mean(kind: Kind) -> bool:
    """Tell whether the figure of a question is a mean; that of a distribution is judged by its mean, too."""
    return isinstance(kind, Number) or (isinstance(kind, Scale) and kind.report == "mean")


def half_range(kind: Kind) -> float:
    """Return half of the distance between the least and the largest answer."""
    if isinstance(kind, Number):
        return float(kind.high - kind.low) / 2
    assert isinstance(kind, Scale), "only numbers and scales have a range"
    return (kind.max - kind.min) / 2


def _even(privacy: float, kind: Kind) -> MeanSpread:
    # The same variance whatever the answer; the ends are the worst answers of a sample.
    return MeanSpread((privacy + 1, privacy + 1), half_range(kind))


def _channel_squares(design: Channel) -> tuple[float, ...]:
    middle, scale = design.steps / 2, 2 / design.steps
    # The mean of row i is i, so E[(y − middle)²] = E[y²] − i² + (i − middle)²
    exact = (float(design.moment(row, 2) - row**2) for row in range(design.inputs))
    return tuple((variance + (row - middle) ** 2) * scale**2 for row, variance in enumerate(exact))


def _laplace_squares(design: Laplace) -> tuple[float, ...]:
    # Its variance holds 1/4 of a step squared for the rounding to a point, which the line between two points brings.
    noise = design.variance() - 1 / design.steps**2
    return tuple(noise + x * x for x in _places(design.steps + 1))


def _places(count: int) -> list[float]:
    return [2 * place / (count - 1) - 1 for place in range(count)]


def _top(left: tuple[float, float], right: tuple[float, float], curve: float) -> float:
    """Return the top of a line from one point to the next, less curve·x²."""
    slope = (right[1] - left[1]) / (right[0] - left[0])
    x = min(right[0], max(left[0], slope / (2 * curve)))
    return left[1] + slope * (x - left[0]) - curve * x * x
