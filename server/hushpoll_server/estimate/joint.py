"""How often one report supports two categories at once: what sums and differences within a question need.

For every support design the probability that a report supports both of two categories follows from their shares, up
to what the counts cannot tell; then bounds are given, and whoever uses them takes the bound that widens the interval.
All formulas are checked by enumeration of every report of small designs.
"""

import math
from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.intervals import Limits
from hushpoll_server.estimate.support import Figures, clamp
from hushpoll_shared.designs import Ball, Design, Padded, Projective, Repeated, SubsetSelection
from hushpoll_shared.designs.projective import number_of_points


@dataclass(frozen=True)
class OneDecides:
    """Designs in which one category of the answer decides about the report.

    `one` is P(both supported | one of the two decides), `least` and `most` bound P(both supported | another decides).
    Of a padded answer each of the `slots` options decides equally often. `most` holds, for the category that decides
    and another, with no more than `mates` third ones.
    """

    one: float
    least: float
    most: float
    slots: int = 1
    mates: int = 0

    @property
    def exact(self) -> bool:
        """Tell whether the shares fix the joint probability."""
        return self.least == self.most

    @property
    def exclusive(self) -> bool:
        """Tell whether the categories share out one whole."""
        return self.slots == 1

    @property
    def together(self) -> float:
        """Give the part of the reports that ask both: all."""
        return 1.0

    def pairs(self, size: int) -> float:
        """Bound the sum of P(both supported | another decides) over all ordered pairs of so many categories."""
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
        """Tell whether the shares fix the joint probability: only if no report asks both."""
        return self.together == 0

    @property
    def exclusive(self) -> bool:
        """Tell whether the categories share out one whole: options may be ticked together."""
        return False

    def both(self, first: Figures, second: Figures) -> Limits:
        """Return P(report supports both | both asked) for two shares, as bounds."""
        first, second = clamp(first), clamp(second)
        # Fréchet: how many hold both options is not fixed by the shares
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


@singledispatch
def joint_of(design: Design) -> Joint:
    """Return the joint support of a design from the shared core."""
    raise EstimateError(f"reports of the design {design.NAME} support no categories: use its own estimator")


@joint_of.register
def _(design: SubsetSelection) -> Joint:
    k, d, p = design.size, design.picks, float(design.p)
    # Given that the set holds the truth, d - 1 of the k - 1 others are in it, else d of them.
    one = p * (d - 1) / (k - 1)
    if k == 2:
        return OneDecides(one, one, one)
    neither = (p * (d - 1) * (d - 2) + (1 - p) * d * (d - 1)) / ((k - 1) * (k - 2))
    return OneDecides(one, neither, neither)


@joint_of.register
def _(_design: Repeated) -> Joint:
    return NAMES_ONE


@joint_of.register
def _(design: Padded) -> Joint:
    inner = joint_of(design.inner)
    assert isinstance(inner, OneDecides), "the inner design is subset selection"
    return OneDecides(inner.one, inner.least, inner.most, slots=design.most)


@joint_of.register
def _(design: Projective) -> Joint:
    field, dimension, keep = design.field, design.dimension, float(design.keep)
    # Points at right angles to two categories, and to three that are not on one line.
    two, three = (number_of_points(dimension - less, field) for less in (2, 3)) if dimension > 2 else (0, 0)
    # If the truth is on the line through the two categories, every such report is inside;
    # which truths are on it the two shares do not tell.
    on_line = keep * two / design.inside
    off_line = keep * three / design.inside + (1 - keep) * (two - three) / design.outside
    # A line has F + 1 points: two categories on it leave F - 1.
    return OneDecides(on_line, off_line, on_line, mates=field - 1)


@joint_of.register
def _(design: Ball) -> Joint:
    t, keep = design.asked, float(design.keep)
    if t == 1:
        return Patterns(0.0, float(design.p - design.q), 0.0)
    chances = np.array([math.comb(t, a) for a in range(t + 1)], float)
    near = np.arange(t + 1) >= design.agree
    chances *= np.where(near, keep / design.inside, (1 - keep) / design.outside)
    # With a agreements the flips add up to s = 2a - t, and s² = t + Σ over ordered pairs of flip·flip'.
    total = 2 * np.arange(t + 1) - t
    double = float(chances @ (total**2 - t)) / (t * (t - 1))
    together = t * (t - 1) / (design.options * (design.options - 1))
    return Patterns(together, float(design.p - design.q), double)
