"""Designs in which the truth splits the possible reports in two: those inside weigh E, those outside weigh 1.

Warner's design, k-ary randomized response, subset selection, projective geometry response, the Hamming ball and the
square wave are all of this kind. They differ only in the split, so their threshold and their exact odds are defined
here, once.

Privacy: every report has one of two probabilities, T/(M·inside) and (M−T)/(M·outside), whatever the truth is. If the
numbers of reports inside and outside do not depend on the truth, the worst ratio is the ratio of these two.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms.design import Design
from hushpoll_shared.randomness import SPAN


class TwoWeights(Design):
    """A design with one threshold over 2^64: the probability of a report inside."""

    threshold: int

    @property
    @abstractmethod
    def inside(self) -> int:
        """Return the number of reports inside, up to a factor that it shares with `outside`."""

    @property
    @abstractmethod
    def outside(self) -> int:
        """Return the number of reports outside, up to the same factor."""

    def check_threshold(self) -> None:
        """Refuse thresholds that reveal everything or nothing."""
        if not 0 < self.threshold < SPAN or self.odds <= 1:
            raise InvalidValue("a threshold reveals everything or nothing")

    @property
    def keep(self) -> Fraction:
        """Return the probability of a report inside."""
        return Fraction(self.threshold, SPAN)

    @property
    def odds(self) -> Fraction:
        """Return the exact ratio of the two probabilities of a report."""
        # (T / inside) / ((M − T) / outside)
        return Fraction(self.threshold * self.outside, (SPAN - self.threshold) * self.inside)
