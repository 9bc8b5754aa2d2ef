"""The square wave on the server: outputs are counted one by one, for a distribution and its mean.

`half` follows the closed form of Li et al. (2020), b = (εE − E + 1)/(2E(E − 1 − ε)) on [0, 1], rounded up to the grid.
Rounding up was chosen by measured error (Wasserstein distance, three shapes, n = 2000, epsilon .5 to 6): at epsilon 4
on 64 bins half = 2 errs by .0077 where the nearest width, half = 1, errs by .0088; below epsilon 3 both are alike. The
half with the most mutual information for uniform answers is smaller (11 instead of 17 at epsilon 1) and no better.

Statement, proof and references: docs/mechanisms/square_wave.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
from scipy import linalg

from hushpoll_server.estimate.estimands import DistributionEstimand, MeanEstimand, MeanOfSomeEstimand
from hushpoll_server.estimate.numbers.mean_design import MeanDesign
from hushpoll_server.estimate.numbers.mean_of_some import Scores
from hushpoll_server.estimate.numbers.number_law import NumberLaw, number_law
from hushpoll_server.estimate.support import Figures, SupportDesign
from hushpoll_server.mechanisms.bound import Bound
from hushpoll_server.mechanisms.histogram import histogram_of
from hushpoll_server.mechanisms.mechanism import Code, Counters, Side
from hushpoll_server.mechanisms.method import SQUARE_WAVE, Method, chance
from hushpoll_server.mechanisms.numbers import Numeric
from hushpoll_server.mechanisms.thresholds import largest_threshold, log_likelier
from hushpoll_server.mechanisms.variance import MeanVariance
from hushpoll_shared.mechanisms import Draw, SquareWave
from hushpoll_shared.mechanisms.domains import Numbers
from hushpoll_shared.mechanisms.grid import bin_of
from hushpoll_shared.question_types import QuestionType

# Measured: two peaks are separated better than on 32 bins (distance .015 against .024 at epsilon 2, n = 2000).
BINS = 64
# A smaller fraction of a bin is not rounded up to another bin on each side: at large epsilons the report is the bin.
_LEAST_FRACTION = 0.1
# Below this epsilon the closed form loses all digits; it tends to one half.
_SMALLEST_EPSILON = 1e-4


class SquareWaveMechanism(Numeric[SquareWave]):
    """The square wave on a grid."""

    DESIGN: ClassVar = SquareWave

    @classmethod
    def best(cls, question_type: QuestionType, bound: Bound) -> SquareWave | None:
        """Return the best design for questions that report a distribution, None for others."""
        match question_type.domain:
            case Numbers("distribution", extras):
                return cls.of(bound, BINS, choose_half(BINS, float(bound.odds)), extras)
        return None

    @classmethod
    def of(cls, bound: Bound, bins: int, half: int, extras: int = 0) -> SquareWave:
        """Return the design with the largest threshold."""
        near = 2 * half + 1
        return SquareWave(bins, half, extras, largest_threshold(bound, near, bins - 1 + extras * near))

    def estimand(self, counts: Counters) -> DistributionEstimand:
        """Return the distribution, and the mean among those who gave a number."""
        design, (low, high), epsilon = self.design, self.type.range, float(self.design.epsilon)
        histogram = histogram_of(counts, design.outputs)
        law = law_of(design, tuple((Fraction(mass) - low) / (high - low) for mass in self.type.point_masses))
        mean: MeanEstimand | MeanOfSomeEstimand
        if design.extras:
            scores, names = scores_of(design, law, low, high), (*self.type.point_masses, *self.type.extras)
            mean = MeanOfSomeEstimand(histogram=histogram, scores=scores, extras=names, epsilon=epsilon)
        else:
            mean = MeanEstimand(histogram=histogram, design=mean_design_of(design, low, high), epsilon=epsilon)
        return DistributionEstimand(mean=mean, law=law, low=low, high=high, epsilon=epsilon)

    @property
    def method(self) -> Method:
        """Return the bins, how near an output is, and how often."""
        design = self.design
        return Method(
            sentence=(
                "the range is divided into g equal bins and the device reports a place on a grid of the same width; "
                "places within h bins of the true one are likelier than the others, and the report is among them with "
                "probability p (square wave; Li et al. 2020)"
            ),
            parameters=f"g = {design.bins}, h = {design.half}, {design.outputs} outputs, p = {chance(design.keep)}",
            references=(SQUARE_WAVE,),
        )

    def variance(self) -> float:
        """Return the worst variance on [−1, 1] of the unbiased mean of the outputs."""
        worst = max(self._output_variance(start) for start in (0, self.design.bins // 2, self.design.bins - 1))
        return worst / float(self.design.slope) ** 2 * (2 / self.design.bins) ** 2

    def _output_variance(self, start: int) -> float:
        design, keep = self.design, self.design.keep
        far, near = float(1 - keep) / design.outside, float(keep) / design.inside
        weights = [near if start <= output < start + design.inside else far for output in range(design.numbers)]
        # Reports near an extra say nothing about the number: they count as the middle of the range.
        places = [output - (design.numbers - 1) / 2 for output in range(design.numbers)]
        mean = sum(place * weight for place, weight in zip(places, weights, strict=True))
        return sum(place**2 * weight for place, weight in zip(places, weights, strict=True)) - mean**2

    def variance_by_answer(self) -> MeanVariance:
        """Return the worst variance for every answer."""
        return MeanVariance.even(self.variance(), self.type.half_range)

    def log_likeliest(self) -> float:
        """Return ln of the largest probability of a draw."""
        return log_likelier(self.design, self.design.inside, self.design.outside)

    @property
    def shows_odds_everywhere(self) -> bool:
        """Return True: any two answers with different near outputs show the whole odds."""
        return True

    @property
    def outputs(self) -> int:
        """Return the number of outputs."""
        return self.design.outputs

    def side(self, code: Code, draw: Draw) -> Side:
        """Return FOR if the output is near the answer."""
        return Side.FOR if 0 <= int(draw, 16) - self._first_near(code) < self.design.inside else Side.AGAINST

    def row(self, code: Code) -> Figures:
        """Return the two weights: near the answer, and elsewhere."""
        [row] = rows_of(self.design, [self._first_near(code)])
        return np.asarray(row)

    def _first_near(self, code: Code) -> int:
        return self.design.first_near(code) if isinstance(code, int) else bin_of(code, self.design.bins)

    def exact_output(self, code: Code) -> int:
        """Return the middle of the outputs near the answer."""
        return self._first_near(code) + self.design.half


def choose_half(bins: int, odds: float) -> int:
    """Return how many bins on each side of the true one count as near."""
    return max(0, math.ceil(wave_reach(math.log(odds)) * bins - _LEAST_FRACTION))


def wave_reach(epsilon: float) -> float:
    """Return b, half of the width of the square wave when the range is 1."""
    if epsilon < _SMALLEST_EPSILON:
        return 0.5
    less = math.expm1(epsilon)
    odds = less + 1
    return (epsilon * odds - less) / (2 * odds * (less - epsilon))


@lru_cache(maxsize=64)
def law_of(design: SquareWave, masses: tuple[Fraction, ...] = ()) -> NumberLaw:
    """Return the law of a square wave: bins in order, then extras, the first of which are point masses."""
    chances = rows_of(design, [*range(design.bins), *map(design.first_near, range(design.extras))])
    return number_law(chances, design.bins, np.array([float(mass) for mass in masses]), _basis(design))


def rows_of(design: SquareWave, first: Sequence[int]) -> Figures:
    """Return the probabilities of all outputs for answers whose near outputs begin at these places, a row for each."""
    distance = np.arange(design.outputs) - np.array(first)[:, np.newaxis]
    near, far = float(design.keep) / design.inside, float(1 - design.keep) / design.outside
    return np.where((distance >= 0) & (distance < design.inside), near, far)


def _basis(design: SquareWave) -> Figures:
    """Return what the scores are made of: a parabola in the outputs for numbers, a constant for each extra.

    The means of all three powers are parabolas in the bin: near outputs are a window around it, and the sum over all
    outputs is fixed.
    """
    places = (np.arange(design.numbers) - (design.numbers - 1) / 2) / design.numbers
    powers = np.column_stack((np.ones(design.numbers), places, places**2))
    return np.asarray(linalg.block_diag(powers, *[np.ones((design.inside, 1))] * design.extras))


def mean_design_of(design: SquareWave, low: Fraction, high: Fraction) -> MeanDesign:
    """Return the values and rows of a square wave without extras; a true number counts as the middle of its bin."""
    law, start, width = law_of(design), float(low), float(high - low)
    return MeanDesign(start + width * (law.numbers + 0.5), start + width * law.points, law.chances)


def scores_of(design: SquareWave, law: NumberLaw, low: Fraction, high: Fraction) -> Scores:
    """Return the scores of a square wave with extras."""
    near, places = design.inside, design.numbers
    return Scores(
        numbers=law.numbers * float(high - low),
        answered=law.answered,
        chances=law.chances,
        low=float(low),
        high=float(high),
        support=SupportDesign(design.keep, (1 - design.keep) * Fraction(near, design.outside)),
        extras=tuple(slice(places + extra * near, places + (extra + 1) * near) for extra in range(design.extras)),
        among=slice(0, design.outputs),
    )


MECHANISM = SquareWaveMechanism
