"""Discrete Laplace noise on the server: outputs average to the mean.

Statement, proof and references: docs/mechanisms/laplace.md.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from typing import ClassVar

import numpy as np

from hushpoll_server.estimate.estimands import MeanEstimand
from hushpoll_server.estimate.numbers.mean_design import MeanDesign
from hushpoll_server.estimate.support import Figures
from hushpoll_server.mechanisms.bound import Bound
from hushpoll_server.mechanisms.histogram import histogram_of
from hushpoll_server.mechanisms.mechanism import Code, Counters, Side
from hushpoll_server.mechanisms.method import GHOSH, LAPLACE, Method, chance, value
from hushpoll_server.mechanisms.numbers import TAILS, Numeric
from hushpoll_server.mechanisms.variance import MeanVariance, places
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms import Draw, Laplace
from hushpoll_shared.mechanisms.domains import Numbers
from hushpoll_shared.mechanisms.grid import between_points
from hushpoll_shared.question_types import QuestionType
from hushpoll_shared.randomness import SPAN

STEPS = 16
# Noise is beyond the reach with probability below 2^−40.
_REACH_BITS = 40
SMALLEST_EPSILON = Decimal("0.01")


class LaplaceMechanism(Numeric[Laplace]):
    """The textbook mechanism for a mean, exact, for teaching and comparison."""

    DESIGN: ClassVar = Laplace
    # The channel has less variance.
    BY_NAME: ClassVar = True

    @classmethod
    def best(cls, question_type: QuestionType, bound: Bound) -> Laplace | None:
        """Return the design for questions that report a mean and have no extras."""
        match question_type.domain:
            case Numbers("mean", 0):
                return cls.of(bound)
        return None

    @classmethod
    def of(cls, bound: Bound, steps: int = STEPS) -> Laplace:
        """Return the design with the smallest threshold whose epsilon is not above the stated one."""
        if bound.epsilon.decimal < SMALLEST_EPSILON:
            raise InvalidValue(f"Laplace noise needs an epsilon of at least {SMALLEST_EPSILON}: leave mechanism out")
        with localcontext(prec=80):
            # A = ⌈M · e^(−ε/Δ)⌉
            odds = Decimal(bound.odds.numerator) / bound.odds.denominator
            threshold = int((Decimal(SPAN) * (-odds.ln() / steps).exp()).to_integral_value(rounding=ROUND_CEILING))
        reach = math.ceil(_REACH_BITS * math.log(2) / -math.log(threshold / SPAN))
        design = Laplace(steps, reach, threshold)
        return design if design.epsilon <= bound.epsilon else Laplace(steps, reach, threshold + 1)

    @property
    def shape(self) -> tuple[object, ...]:
        """Return nothing: the reach changes with every epsilon, and does not matter."""
        return ()

    def estimand(self, counts: Counters) -> MeanEstimand:
        """Return the mean."""
        design = mean_design_of(self.design, *self.type.range)
        return MeanEstimand(
            histogram=histogram_of(counts, self.outputs), design=design, epsilon=float(self.design.epsilon)
        )

    @property
    def method(self) -> Method:
        """Return the grid, the ratio of the noise, and the range of the outputs."""
        design, (low, high) = self.design, self.type.range
        step = float(high - low) / design.steps
        span = f"{value(float(low) - step * design.reach)} to {value(float(high) + step * design.reach)}"
        alpha = chance(Fraction(design.threshold, SPAN))
        return Method(
            sentence=(
                "the device rounds the number without bias to a grid and reports a number from a discrete Laplace "
                "distribution around it, in which a distance of k steps has a probability proportional to α^k "
                "(Dwork et al. 2006, Ghosh et al. 2012)"
            ),
            parameters=f"{design.steps + 1} points, α = {alpha}, outputs from {span}",
            references=(LAPLACE, GHOSH),
        )

    def variance(self) -> float:
        """Return the variance on [−1, 1], halfway between two points of the grid, where it is largest."""
        # 2α/(1 − α)² for the noise, 1/4 for the rounding to a point
        return (self._noise + 0.25) * (2 / self.design.steps) ** 2

    @property
    def _noise(self) -> float:
        alpha = self.design.threshold / SPAN
        return 2 * alpha / (1 - alpha) ** 2

    def variance_by_answer(self) -> MeanVariance:
        """Return the mean square at each point of the grid; the line between two points includes the rounding."""
        noise = self._noise * (2 / self.design.steps) ** 2
        squares = tuple(noise + x * x for x in places(self.design.steps + 1))
        return MeanVariance(squares, self.type.half_range, between=True)

    def log_likeliest(self) -> float:
        """Return ln of the largest probability of a draw."""
        # (1 − A)/(1 + A) at the answer; noise beyond the reach falls on the last output
        alpha = self.design.threshold / SPAN
        return math.log(max((1 - alpha) / (1 + alpha), alpha**self.design.reach / (1 + alpha)))

    @property
    def outputs(self) -> int:
        """Return the number of outputs."""
        return self.design.outputs

    def side(self, code: Code, draw: Draw) -> Side:
        """Return on which side of the range the output lies: it is α^Δ times as likely under the other end."""
        output = int(draw, 16) - self.design.reach
        if code not in (0, 1) or 0 < output < self.design.steps:
            return Side.NEITHER
        return Side.FOR if (output <= 0) == (code == 0) else Side.AGAINST

    def exact_output(self, code: Code) -> int:
        """Return the output without noise."""
        output: int = round(code * self.design.steps) + self.design.reach
        return output

    def row(self, code: Code) -> Figures:
        """Return the noise around a point of the grid; between two points, a mixture of theirs."""
        below, threshold = between_points(code, self.design.steps)
        low, high = noise_rows(self.design, np.array([below, below + 1.0]))
        return np.asarray(low + threshold / SPAN * (high - low))

    def chance_for(self, code: Code) -> float:
        """Return the probability that the noise does not lead from an end into the range; no output is for others."""
        return 1 / (1 + self.design.threshold / SPAN) if code in (0, 1) else 0.0

    @property
    def tails(self) -> tuple[int, ...]:
        """Return cuts inside the range: few outputs are beyond it."""
        return tuple(sorted({self.design.reach + self.design.steps * tail // TAILS for tail in range(TAILS + 1)}))


def mean_design_of(design: Laplace, low: Fraction, high: Fraction) -> MeanDesign:
    """Return the values and rows; clamping at the reach shifts the mean by less than 2^-30 steps."""
    step, points = float((high - low) / design.steps), np.arange(design.steps + 1, dtype=np.float64)
    return MeanDesign(float(low) + step * _outputs(design), float(low) + step * points, noise_rows(design, points))


def noise_rows(design: Laplace, points: Figures) -> Figures:
    """Return the probabilities of all outputs at some points of the grid, a row for each."""
    alpha, distance = design.threshold / SPAN, np.abs(_outputs(design) - points[:, np.newaxis])
    # P(k) = (1 − α)/(1 + α)·α^|k|; beyond the reach there is α^(distance)/(1 + α) on either side
    rows = (1 - alpha) / (1 + alpha) * alpha**distance
    rows[:, [0, -1]] = alpha ** distance[:, [0, -1]] / (1 + alpha)
    return np.asarray(rows)


def _outputs(design: Laplace) -> Figures:
    """Return all outputs, in steps from the lower end of the range."""
    return np.arange(-design.reach, design.steps + design.reach + 1, dtype=np.float64)


MECHANISM = LaplaceMechanism
