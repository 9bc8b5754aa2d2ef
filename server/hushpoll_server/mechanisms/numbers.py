"""What the mechanisms for numbers have in common: ordered outputs, counted one by one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

import numpy as np

from hushpoll_server.estimate.estimands import DistributionEstimand, MeanEstimand, MeanOfSomeEstimand
from hushpoll_server.estimate.support import Figures
from hushpoll_server.mechanisms.channel_bound import variance_bound
from hushpoll_server.mechanisms.mechanism import FEW_OUTPUTS, Code, Mechanism, Side, whole
from hushpoll_server.mechanisms.notation import Notation
from hushpoll_shared.mechanisms import Design, Draw, wire
from hushpoll_shared.question_types import QuestionType

D = TypeVar("D", bound=Design)

# The variance of a number that is uniform on a range of length 1.
UNIFORM_VARIANCE = 1 / 12
# Ordered outputs are cut into this many parts; what lies at or below a cut is an event.
TAILS = 8
# The lower bound for means uses the variance at this many answers at most.
_MOST_POINTS = 17


class Numeric(Mechanism[D]):
    """A mechanism whose draws are ordered outputs."""

    def __init__(self, question_type: QuestionType, design: D) -> None:
        """Store a type of question and a design, with a cache of the outputs that an audit asks for repeatedly."""
        super().__init__(question_type, design)
        # An extra and a number can be equal as codes, and are told apart by their types.
        self._exact_outputs: dict[tuple[type, Code], int] = {}

    @property
    def notation(self) -> Notation:
        """Return that a draw is an output."""
        return Notation.OUTPUT

    def counters(self, draw: Draw) -> tuple[str, ...]:
        """Return the counter of the output."""
        return (draw,)

    def scores(self, draws: Sequence[Draw]) -> Figures:
        """Return for each draw whether there is a number, and its distance from the middle of the range."""
        outputs = np.array([int(draw, 16) for draw in draws], np.intp)
        return self._output_scores[outputs]

    @cached_property
    def _output_scores(self) -> Figures:
        estimand = self.estimand({})
        mean = estimand.mean if isinstance(estimand, DistributionEstimand) else estimand
        if isinstance(mean, MeanOfSomeEstimand):
            return np.column_stack((mean.scores.answered, mean.scores.numbers))
        assert isinstance(mean, MeanEstimand), "draws that are outputs estimate a mean"
        return np.column_stack((np.ones(self.outputs), mean.design.values - float(sum(self.type.range) / 2)))

    def lower_bound(self) -> float:
        """Return the lower bound for unbiased designs with these odds, at answers that the question has."""
        return variance_bound(float(self.design.odds), _bound_points(self.type))

    def figure_variance(self) -> float:
        """Return the variance of the mean, as a fraction of the range, for uniform answers."""
        # Variances are measured on [−1, 1], which has length 2.
        return self.variance() / 4 + UNIFORM_VARIANCE

    @property
    def tails(self) -> tuple[int, ...]:
        """Return the cuts: the last output of each lower tail."""
        return tuple(sorted({self.outputs * tail // TAILS for tail in range(1, TAILS)}))

    @property
    def has_exact(self) -> bool:
        """Return True: each answer has an output that stands for it."""
        return True

    def is_exact(self, code: Code, draw: Draw) -> bool:
        """Return whether the draw is the output that stands for the answer."""
        key = type(code), code
        if key not in self._exact_outputs:
            self._exact_outputs[key] = self.exact_output(code)
        return int(draw, 16) == self._exact_outputs[key]

    @abstractmethod
    def exact_output(self, code: Code) -> int:
        """Return the output that stands for an answer; −1 where none does."""

    @abstractmethod
    def row(self, code: Code) -> Figures:
        """Return the probability of every output under an answer."""

    def answer_weights(self, draws: Sequence[Draw]) -> Figures | None:
        """Return the probabilities of the outputs under the points of a scale and the extras."""
        if self.type.points is None:
            return None
        steps, outputs = len(self.type.points) - 1, [int(draw, 16) for draw in draws]
        codes = [*(Fraction(place, steps) for place in range(steps + 1)), *range(len(self.type.extras))]
        return np.array([self.row(code)[outputs] for code in codes]).T

    def chance_for(self, code: Code) -> float:
        """Return the probability of the outputs that speak for an answer."""
        outputs = enumerate(self.row(code))
        return float(sum(chance for output, chance in outputs if self.side(code, self.written(output)) is Side.FOR))

    def chance_exact(self, code: Code) -> float:
        """Return the probability of the output that stands for an answer."""
        output = self.exact_output(code)
        return float(self.row(code)[output]) if output >= 0 else 0.0

    def written(self, output: int) -> Draw:
        """Return an output as it is written in a report."""
        return wire.write_index(output, self.outputs - 1)

    @property
    def shows_odds_everywhere(self) -> bool:
        """Return False: only some answers differ as much as the odds say."""
        return False

    @property
    def worst_places(self) -> tuple[Fraction, Fraction]:
        """Return the ends of the range."""
        return Fraction(0), Fraction(1)

    @property
    def number_of_parts(self) -> int:
        """Return the number of cuts, and of outputs where there are few."""
        return len(self.tails) + (self.outputs if self.outputs <= FEW_OUTPUTS else 0)

    def parts(self, draw: Draw) -> list[str]:
        """Return the cuts that the output does not exceed, and the output itself where there are few."""
        output = int(draw, 16)
        tails = [f"at most {tail}" for tail in self.tails if output <= tail]
        return [whole(draw), *tails] if self.outputs <= FEW_OUTPUTS else tails

    def part_chances(self, code: Code) -> Mapping[str, float]:
        """Return the sums of the row of an answer up to each cut, and the row itself where it is short."""
        row = self.row(code)
        chances = {f"at most {tail}": float(row[: tail + 1].sum()) for tail in self.tails}
        if self.outputs <= FEW_OUTPUTS:
            chances |= {whole(self.written(output)): float(chance) for output, chance in enumerate(row)}
        return chances

    @property
    def supported(self) -> None:
        """Return None: an output supports no single answer."""

    def least_likely(self, draw: Draw) -> None:
        """Return None: an output names no single answer."""


def _bound_points(question_type: QuestionType) -> int:
    """Return at how many answers the bound uses the variance: equally spaced ones that the question has."""
    if question_type.points is None:
        return _MOST_POINTS
    steps = len(question_type.points) - 1
    return 1 + max(part for part in range(1, _MOST_POINTS) if steps % part == 0)
