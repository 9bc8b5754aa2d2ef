"""What the mechanisms for numbers have in common: ordered outputs, counted one by one."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import TypeVar

from hushpoll_server.mechanisms.channel_bound import variance_bound
from hushpoll_server.mechanisms.mechanism import Code, Mechanism
from hushpoll_shared.mechanisms import Design, Draw
from hushpoll_shared.question_types import QuestionType

D = TypeVar("D", bound=Design)

# The variance of a number that is uniform on a range of length 1.
UNIFORM_VARIANCE = 1 / 12
# Ordered outputs are cut into this many parts, and each cut gives two tails.
TAILS = 8
# The lower bound for means uses the variance at this many answers at most.
_MOST_POINTS = 17


class Numeric(Mechanism[D]):
    """A mechanism whose draws are ordered outputs."""

    def __init__(self, question_type: QuestionType, design: D) -> None:
        """Store a type of question and a design, with a cache of the outputs that an audit asks for repeatedly."""
        super().__init__(question_type, design)
        self._exact_outputs: dict[Code, int] = {}

    def counters(self, draw: Draw) -> tuple[str, ...]:
        """Return the counter of the output."""
        return (draw,)

    def lower_bound(self) -> float:
        """Return the lower bound for unbiased designs with these odds, at answers that the question has."""
        return variance_bound(float(self.design.odds), _bound_points(self.type))

    def figure_variance(self) -> float:
        """Return the variance of the mean, as a fraction of the range, for uniform answers."""
        # Variances are measured on [−1, 1], which has length 2.
        return self.variance() / 4 + UNIFORM_VARIANCE

    @property
    def tails(self) -> tuple[int, ...]:
        """Return the outputs at which the tails begin."""
        return tuple(self.outputs * tail // TAILS for tail in range(1, TAILS))

    @property
    def has_exact(self) -> bool:
        """Return True: each answer has an output that stands for it."""
        return True

    def is_exact(self, code: Code, draw: Draw) -> bool:
        """Return whether the draw is the output that stands for the answer."""
        if code not in self._exact_outputs:
            self._exact_outputs[code] = self.exact_output(code)
        return int(draw, 16) == self._exact_outputs[code]

    @abstractmethod
    def exact_output(self, code: Code) -> int:
        """Return the output that stands for an answer."""

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
        """Return 0: the outputs themselves are the events."""
        return 0

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
