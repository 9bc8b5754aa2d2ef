"""The channel for means on the server: the value of an output, averaged over the reports, is the mean.

Utility: the table has the least worst-case variance on its grid (channel_table.py).
Statement, proof and references: docs/mechanisms/channel.md.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import permutations
from typing import ClassVar

import numpy as np

from hushpoll_server.estimate.estimands import MeanEstimand, MeanOfSomeEstimand
from hushpoll_server.estimate.numbers.mean_design import MeanDesign
from hushpoll_server.estimate.numbers.mean_of_some import Scores
from hushpoll_server.estimate.support import Figures, SupportDesign
from hushpoll_server.mechanisms.bound import Bound
from hushpoll_server.mechanisms.channel_extras import solve_with_extras
from hushpoll_server.mechanisms.channel_table import default_inputs, solve_channel, variance_at_points, worst_variance
from hushpoll_server.mechanisms.histogram import histogram_of
from hushpoll_server.mechanisms.mechanism import Code, Counters, Side
from hushpoll_server.mechanisms.method import DUCHI, Method, value
from hushpoll_server.mechanisms.numbers import Numeric
from hushpoll_server.mechanisms.thresholds import log_ratio
from hushpoll_server.mechanisms.variance import MeanVariance
from hushpoll_shared.mechanisms import Channel, Draw
from hushpoll_shared.mechanisms.domains import Numbers
from hushpoll_shared.mechanisms.grid import between_points
from hushpoll_shared.question_types import QuestionType
from hushpoll_shared.randomness import SPAN

# A ratio counts as the worst if it equals the odds, apart from the rounding of a table to integers.
_ROUNDING = Fraction(1, 10**6)
_SENTENCE = (
    "the device reports one of a few values by a public table of probabilities under which the expected value is the "
    "true number (a finite unbiased channel, after Duchi et al. 2018)"
)
_WITH_EXTRAS = f"{_SENTENCE}; part of the draws report instead, also randomized, whether there is a number"


class ChannelMechanism(Numeric[Channel]):
    """A finite unbiased channel."""

    DESIGN: ClassVar = Channel

    @classmethod
    def best(cls, question_type: QuestionType, bound: Bound) -> Channel | None:
        """Return the table with the least worst-case variance, for questions that report a mean."""
        match question_type.domain:
            case Numbers("mean", extras, points):
                inputs = default_inputs(bound.odds) if points is None else points
                solve = partial(solve_with_extras, extras=extras) if extras else solve_channel
                return solve(bound.odds, inputs, between=points is None)
        return None

    @property
    def shape(self) -> tuple[object, ...]:
        """Return nothing: the grid changes with epsilon at times, but the variance by less than 1 %."""
        return ()

    def summary(self) -> dict[str, object]:
        """Return the sizes and the epsilon; the table is long, and belongs in a manifest."""
        return {"inputs": self.design.inputs, "outputs": self.outputs, "epsilon": str(self.design.epsilon)}

    def estimand(self, counts: Counters) -> MeanEstimand | MeanOfSomeEstimand:
        """Return the mean, among those who gave a number if there are extras."""
        design, epsilon = self.design, float(self.design.epsilon)
        histogram = histogram_of(counts, self.outputs)
        if design.extras:
            scores = scores_of(design, *self.type.range)
            return MeanOfSomeEstimand(histogram=histogram, scores=scores, extras=self.type.extras, epsilon=epsilon)
        return MeanEstimand(histogram=histogram, design=mean_design_of(design, *self.type.range), epsilon=epsilon)

    @property
    def method(self) -> Method:
        """Return the table of outputs, with their values on the question's range."""
        design, (low, high) = self.design, self.type.range
        places = [Fraction(each, design.unit * design.steps) for each in design.values if each is not None]
        least, most = (value(float(low + (high - low) * end)) for end in (min(places), max(places)))
        numbers = f"{design.inputs} points, {len(places)} outputs with values from {least} to {most}"
        apart = f", {design.first} outputs that say whether there is a number" if design.extras else ""
        return Method(
            sentence=_WITH_EXTRAS if design.extras else _SENTENCE, parameters=numbers + apart, references=(DUCHI,)
        )

    def variance(self) -> float:
        """Return the worst variance on [−1, 1]; a scale has no answers between its points."""
        return worst_variance(self.design) if self.type.points is None else variance_at_points(self.design)

    def variance_by_answer(self) -> MeanVariance:
        """Return the mean square of the outputs at each point of the grid."""
        design, middle, scale = self.design, self.design.steps / 2, 2 / self.design.steps
        # The mean of row i is i, so E[(y − middle)²] = E[y²] − i² + (i − middle)²
        exact = (float(design.moment(row, 2) - row**2) for row in range(design.inputs))
        squares = tuple((variance + (row - middle) ** 2) * scale**2 for row, variance in enumerate(exact))
        return MeanVariance(squares, self.type.half_range, between=self.type.points is None)

    def log_likeliest(self) -> float:
        """Return ln of the largest probability of a draw."""
        return log_ratio(max(map(max, self.design.weights)), SPAN)

    @property
    def outputs(self) -> int:
        """Return the number of outputs."""
        return len(self.design.values)

    def side(self, code: Code, draw: Draw) -> Side:
        """Return FOR if the output has the largest weight of its column under the answer, AGAINST if the smallest."""
        return self._side(code, int(draw, 16))

    def _side(self, code: Code, output: int) -> Side:
        column = [row[output] for row in self.design.weights]
        # Exact: the largest over the smallest weight against the odds.
        if max(column) < self.design.odds * (1 - _ROUNDING) * min(column):
            return Side.NEITHER
        weight = self._weight(code, output)
        if weight >= max(column) * (1 - _ROUNDING):
            return Side.FOR
        return Side.AGAINST if weight <= min(column) * (1 + _ROUNDING) else Side.NEITHER

    def _weight(self, code: Code, output: int) -> Fraction:
        """Return the weight of an output for an extra or a number, which may lie between two points of the grid."""
        weights = self.design.weights
        if isinstance(code, int):
            return Fraction(weights[self.design.inputs + code][output])
        below, threshold = between_points(code, self.design.steps)
        low, high = (weights[row][output] for row in (below, below + 1))
        return low + Fraction(threshold, SPAN) * (high - low)

    def row(self, code: Code) -> Figures:
        """Return the row of an extra or a point; between two points, a mixture of theirs."""
        return np.array([float(self._weight(code, output) / SPAN) for output in range(self.outputs)])

    def exact_output(self, code: Code) -> int:
        """Return the most likely of the outputs for the answer: no output is the answer itself."""
        outputs = [output for output in range(self.outputs) if self._side(code, output) is Side.FOR]
        return max(outputs, key=lambda output: self._weight(code, output), default=-1)

    @property
    def worst_places(self) -> tuple[Fraction, Fraction]:
        """Return two points whose rows differ as much as the odds say: the ends, except in unusual tables."""
        design, limit = self.design, self.design.odds * (1 - _ROUNDING)
        for first, second in ((0, design.steps), *permutations(range(design.inputs), 2)):
            rows = zip(design.weights[first], design.weights[second], strict=True)
            if any(Fraction(weight, other) >= limit for weight, other in rows):
                return Fraction(first, design.steps), Fraction(second, design.steps)
        # Only an extra and a number differ as much as the odds say.
        return super().worst_places


def mean_design_of(design: Channel, low: Fraction, high: Fraction) -> MeanDesign:
    """Return the values of the outputs and the rows, on the range from low to high."""
    step = float((high - low) / design.steps)
    points = float(low) + step * np.arange(design.inputs, dtype=np.float64)
    rows = np.array([[weight / SPAN for weight in row] for row in design.weights])
    values = [value / design.unit for value in design.values if value is not None]
    return MeanDesign(float(low) + step * np.array(values), points, rows)


def scores_of(design: Channel, low: Fraction, high: Fraction) -> Scores:
    """Return the scores of a channel with extras: its first outputs distinguish a number from the extras."""
    weights, extras, first = design.weights, design.extras, design.first
    part = sum(weights[0][:first]) / SPAN
    # In the part of the draws that says whether there is a number, a number is reported as one with probability p, and
    # an extra as a number with q.
    p, q = (Fraction(row[0], sum(row[:first])) for row in (weights[0], weights[-1]))
    presence = np.array([float((1 - q) / (p - q)), *[float(-q / (p - q))] * extras]) / part
    places = [value / design.unit - design.steps / 2 for value in design.values if value is not None]
    numbers = np.array(places) * float((high - low) / design.steps) / (1 - part)
    return Scores(
        numbers=np.concatenate((np.zeros(first), numbers)),
        answered=np.concatenate((presence, np.zeros(len(numbers)))),
        chances=np.array(weights, np.float64) / SPAN,
        low=float(low),
        high=float(high),
        support=SupportDesign(p, q),
        extras=tuple(slice(1 + extra, 2 + extra) for extra in range(extras)),
        among=slice(0, first),
    )


MECHANISM = ChannelMechanism
