"""Designs in which the truth splits the possible reports in two: those inside weigh E, those outside weigh 1.

Warner's design, k-ary randomized response, subset selection, projective geometry response, the Hamming ball and the
square wave are all of this kind. They differ in the split alone, so the rounding toward privacy, the exact odds and
the one draw that matters stand here, once.

Privacy: every report has one of two probabilities, T/(M·inside) and (M−T)/(M·outside), whatever the truth is. If the
numbers of reports inside and outside do not depend on the truth, the worst ratio is the ratio of these two.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction

from hushpoll_shared.designs.bound import Bound
from hushpoll_shared.designs.design import Design
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.randomness import SPAN


class TwoWeights(Design):
    """A design with one threshold over 2^64: the probability of a report inside."""

    threshold: int

    @property
    @abstractmethod
    def inside(self) -> int:
        """Give the number of reports inside, up to a factor that it shares with `outside`."""

    @property
    @abstractmethod
    def outside(self) -> int:
        """Give the number of reports outside, up to the same factor."""

    def check_threshold(self) -> None:
        """Refuse thresholds that reveal everything or nothing."""
        if not 0 < self.threshold < SPAN or self.odds <= 1:
            raise InvalidValue("a threshold reveals everything or nothing")

    @property
    def keep(self) -> Fraction:
        """Give the probability of a report inside."""
        return Fraction(self.threshold, SPAN)

    @property
    def odds(self) -> Fraction:
        """Give the exact ratio of the two probabilities of a report."""
        # (T / inside) / ((M − T) / outside)
        return Fraction(self.threshold * self.outside, (SPAN - self.threshold) * self.inside)

    @property
    def times_in_100(self) -> int:
        """Give, to the nearest whole number, how often in 100 the report lies inside."""
        return (200 * self.threshold + SPAN) // (2 * SPAN)


def largest_threshold(bound: Bound, inside: int, outside: int) -> int:
    """Give the largest threshold whose odds do not exceed the bound."""
    # T = ⌊M · inside·E / (inside·E + outside)⌋
    scaled = SPAN * bound.odds * inside / (inside * bound.odds + outside)
    threshold = min(SPAN - 1, scaled.numerator // scaled.denominator)
    if threshold < 1:
        raise InvalidValue("the privacy is too strict for so many possible answers: raise epsilon")
    # 70 digits leave no doubt about the floor; this line makes it a law and not an estimate.
    odds = max(Fraction(1), Fraction(threshold * outside, (SPAN - threshold) * inside))
    return threshold if Epsilon.of_odds(odds) <= bound.epsilon else threshold - 1
