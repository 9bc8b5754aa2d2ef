"""How often one report supports two categories at once: what sums and differences within a question need.

For every support design the probability that a report supports both of two categories follows from their shares, up
to what the counts cannot show; then there are bounds, and callers use the one that widens the interval.
All formulas are checked by enumeration of every report of small designs.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hushpoll_server.estimate.intervals import Limits
from hushpoll_server.estimate.support import Figures, clamp


class Joint(Protocol):
    """How often one report supports two categories; a mechanism whose law is its own brings a class of its own."""

    @property
    def exact(self) -> bool:
        """Return whether the shares determine the joint probability."""

    @property
    def exclusive(self) -> bool:
        """Return whether the categories exclude each other, so that their shares add up to 1."""

    @property
    def together(self) -> float:
        """Return the fraction of reports that ask both."""

    def both(self, first: Figures, second: Figures) -> Limits:
        """Return P(report supports both | both asked) for two shares, as bounds."""


def held_by_both(first: Figures, second: Figures) -> Limits:
    """Return Fréchet's bounds on the share of people who hold both of two options: the shares do not determine it."""
    first, second = clamp(first), clamp(second)
    return Limits(np.maximum(0.0, first + second - 1), np.minimum(first, second))


@dataclass(frozen=True)
class OneDecides:
    """Designs in which one category of the answer decides the report.

    `one` is P(both supported | one of the two decides), `least` and `most` bound P(both supported | another decides).
    `most` applies, for the category that decides and another one, to at most `mates` third categories.
    """

    one: float
    least: float
    most: float
    mates: int = 0

    @property
    def exact(self) -> bool:
        """Return whether the shares determine the joint probability."""
        return self.least == self.most

    @property
    def exclusive(self) -> bool:
        """Return whether the categories exclude each other, so that their shares add up to 1."""
        return True

    @property
    def together(self) -> float:
        """Return the fraction of reports that ask both: all of them."""
        return 1.0

    def pairs(self, size: int) -> float:
        """Bound the sum of P(both supported | another decides) over all ordered pairs of `size` categories."""
        mates = min(self.mates, size - 1)
        return size * (mates * self.most + (size - 1 - mates) * self.least)

    def both(self, first: Figures, second: Figures) -> Limits:
        """Return P(report supports both) for two shares, as bounds."""
        decides = first + second
        # E[1_i 1_j] = P(i or j decides)·one + P(another decides)·other
        low = decides * self.one + (1 - decides) * self.least
        return Limits(low, np.asarray(decides * self.one + (1 - decides) * self.most))


# Each report names one category: k-ary randomized response, also when it is repeated.
NAMES_ONE = OneDecides(0.0, 0.0, 0.0)
