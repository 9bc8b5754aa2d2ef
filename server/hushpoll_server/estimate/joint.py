"""How often one report supports two categories at once: what sums and differences within a question need.

For every support design the probability that a report supports both of two categories follows from their shares, up
to what the counts cannot show; then there are bounds, and callers use the one that widens the interval.
All formulas are checked by enumeration of every report of small designs.
"""

from dataclasses import dataclass

import numpy as np

from hushpoll_server.estimate.intervals import Limits
from hushpoll_server.estimate.support import Figures, clamp


@dataclass(frozen=True)
class OneDecides:
    """Designs in which one category of the answer decides the report.

    `one` is P(both supported | one of the two decides), `least` and `most` bound P(both supported | another decides).
    Of a padded answer each of the `slots` options decides equally often. `most` applies, for the category that decides
    and another one, to at most `mates` third categories.
    """

    one: float
    least: float
    most: float
    slots: int = 1
    mates: int = 0

    @property
    def exact(self) -> bool:
        """Return whether the shares determine the joint probability."""
        return self.least == self.most

    @property
    def exclusive(self) -> bool:
        """Return whether the categories exclude each other, so that their shares add up to 1."""
        return self.slots == 1

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
        decides = (first + second) / self.slots
        # E[1_i 1_j] = P(i or j decides)·one + P(another decides)·other
        low = decides * self.one + (1 - decides) * self.least
        return Limits(low, np.asarray(decides * self.one + (1 - decides) * self.most))


@dataclass(frozen=True)
class Patterns:
    """The sampled Hamming ball: bits of the asked options, flipped together.

    With bits coded ±1, a reported bit is the true one times a flip; `single` = E[flip] and `double` = E[flip·flip'].
    """

    together: float
    single: float
    double: float

    @property
    def exact(self) -> bool:
        """Return whether the shares determine the joint probability: only if no report asks both."""
        return self.together == 0

    @property
    def exclusive(self) -> bool:
        """Return whether the options exclude each other: they do not."""
        return False

    def both(self, first: Figures, second: Figures) -> Limits:
        """Return P(report supports both | both asked) for two shares, as bounds."""
        first, second = clamp(first), clamp(second)
        # Fréchet: the shares do not determine how many hold both options
        bounds = (np.maximum(0.0, first + second - 1), np.minimum(first, second))
        low, high = sorted((self._both(first, second, held) for held in bounds), key=np.sum)
        return Limits(low, high)

    def _both(self, first: Figures, second: Figures, held: Figures) -> Figures:
        # E[1_i 1_j] = E[(1 + y_i)(1 + y_j)]/4 with E[y_i] = c(2f_i - 1), E[y_i y_j] = c₂(1 - 2f_i - 2f_j + 4f_ij)
        product = 1 - 2 * first - 2 * second + 4 * held
        return (1 + self.single * (2 * first - 1) + self.single * (2 * second - 1) + self.double * product) / 4


Joint = OneDecides | Patterns

# Each report names one category: k-ary randomized response, also when it is repeated.
NAMES_ONE = OneDecides(0.0, 0.0, 0.0)
