"""What the server must know of a mechanism: one class for each, called MECHANISM in the module of that name.

The design itself (parameters, exact probabilities, spelling) is in the shared core. The device's half, from answer to
draw, is the client's, and the server cannot import it. The rest is here: the best parameters for a bound, draw to
counters, counters to what is estimated, variance, and what an audit looks for.

The rule here: code that needs to know something about a mechanism asks it, and never checks which mechanism it is. A
missing part is an error of the type checker, or at import. The few defaults are right for every mechanism: an audit
that knows of no exact answers looks for fewer events, and finds nothing that is not there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from enum import IntEnum
from fractions import Fraction
from typing import Any, ClassVar, Generic, TypeVar

from hushpoll_server.estimate.estimands import Estimand
from hushpoll_server.estimate.support import Figures
from hushpoll_server.mechanisms.bound import Bound
from hushpoll_server.mechanisms.method import Method
from hushpoll_server.mechanisms.notation import Notation
from hushpoll_server.mechanisms.variance import Measure, Rank, Variance
from hushpoll_shared.epsilon import Epsilon, format_odds
from hushpoll_shared.mechanisms import Design, Draw
from hushpoll_shared.question_types import QuestionType

D = TypeVar("D", bound=Design)

# The counters of one question: the number of reports by the counter's name.
Counters = Mapping[str, int]
# The counter that counts every report to a question.
TOTAL = "n"
# A code of the domain (hushpoll_shared.mechanisms.domains); each mechanism knows the type of its own.
Code = Any
# Up to this many outputs, an audit looks at every single one.
FEW_OUTPUTS = 32


class Side(IntEnum):
    """Whether a draw is as likely under an answer as the design allows, as unlikely, or neither."""

    FOR = 1
    NEITHER = 0
    AGAINST = -1


class Mechanism(ABC, Generic[D]):
    """The design of one question, with everything that the server does with it."""

    DESIGN: ClassVar[type[Design]]
    # Whether a survey file must ask for the mechanism by name; the others compete.
    BY_NAME: ClassVar[bool] = False

    def __init__(self, question_type: QuestionType, design: D) -> None:
        """Store the type of question and the design that randomizes its answers."""
        self.type, self.design = question_type, design

    @property
    def name(self) -> str:
        """Return the name that people read: in plans, labels and pages."""
        return self.design.NAME

    # --- the best parameters for a bound ------------------------------------------------------------------------------

    @classmethod
    @abstractmethod
    def best(cls, question_type: QuestionType, bound: Bound) -> D | None:
        """Return the best design for a question within a bound; None where this mechanism is not for it."""

    @classmethod
    def best_by(cls, question_type: QuestionType, bound: Bound, measure: Measure) -> D | None:  # noqa: ARG003
        """Return the best design by a measure; for most mechanisms one design is the best whatever people answer."""
        return cls.best(question_type, bound)

    @property
    def shape(self) -> tuple[object, ...]:
        """Return what stays the same when epsilon grows slightly: everything but the thresholds."""
        sizes = (field.name for field in fields(self.design) if field.name not in self.design.THRESHOLDS)
        return tuple(getattr(self.design, name) for name in sizes)

    @property
    def bounds(self) -> tuple[Bound, Bound | None]:
        """Return the bound of one report, and that of all waves of a panel where it is different."""
        return Bound(self.design.odds, self.design.epsilon), None

    def summary(self) -> dict[str, object]:
        """Return the parameters, the odds and the epsilon, for people who compare designs."""
        claims = {"odds": format_odds(self.design.odds), "epsilon": str(self.design.epsilon)}
        return {**self.design.parameters(), **claims}

    # --- draw to counters, counters to estimand -----------------------------------------------------------------------

    @property
    @abstractmethod
    def notation(self) -> Notation:
        """Return how a draw is read from its text."""

    @abstractmethod
    def counters(self, draw: Draw) -> tuple[str, ...]:
        """Return the names of the counters that a draw counts for."""

    def count(self, times: Counter[Draw]) -> Counter[str]:
        """Return the counters of many draws, given how often each occurs."""
        counted: Counter[str] = Counter()
        for draw, number in times.items():
            for name in self.counters(draw):
                counted[name] += number
        return counted

    @abstractmethod
    def estimand(self, counts: Counters) -> Estimand:
        """Return what the counters of a question estimate: shares, a mean or a distribution."""

    @abstractmethod
    def scores(self, draws: Sequence[Draw]) -> Figures:
        """Return a row of unbiased figures for each draw, for tables of several questions.

        Where cells are estimated there is one for each, whose mean is 1 if the cell is true and 0 otherwise; NaN for
        what a draw does not ask. Numbers have two: whether there is one, and its distance from the middle of the range.
        """

    def answer_weights(self, draws: Sequence[Draw]) -> Figures | None:  # noqa: ARG002 (subclasses use them)
        """Return a row for each draw that is proportional to its probabilities under the answers of `type.cells`.

        None where the answers are not a few that exclude each other: ticks, and numbers of a range.
        """
        return None

    # --- how well -----------------------------------------------------------------------------------------------------

    @abstractmethod
    def variance(self) -> float:
        """Return the variance for each respondent, in the measure that planning uses for this type of question."""

    @abstractmethod
    def lower_bound(self) -> float:
        """Return the lower bound for all designs with the same odds, in the same measure."""

    def compared_by(self, measure: Measure) -> Rank:  # noqa: ARG002 (the mechanisms for ticks use it)
        """Return what mechanisms for the same question are compared by."""
        # Over categories Σλ(1 − λ)/(p − q)² depends on the shares by −Σf² alone, which is the same for all designs.
        return self.variance()

    @abstractmethod
    def figure_variance(self) -> float:
        """Return the variance of one figure for each respondent, sampling included, on a range of length 1."""

    @abstractmethod
    def variance_by_answer(self) -> Variance:
        """Return the variance of the figures as a function of the true answers."""

    @abstractmethod
    def log_likeliest(self) -> float:
        """Return ln of the largest probability that the design gives to any draw, under any answer."""

    @abstractmethod
    def least_likely(self, draw: Draw) -> tuple[float, int] | None:
        """Return the least chance of a draw and the number of draws, where a draw names one answer; otherwise None."""

    # --- what researchers are told ------------------------------------------------------------------------------------

    @property
    def advice(self) -> tuple[str, ...]:
        """Return what a researcher should know before publishing, in addition to the odds."""
        return ()

    @property
    @abstractmethod
    def method(self) -> Method:
        """Return how a paper describes the mechanism, with the parameters of this design."""

    # --- what an audit looks for --------------------------------------------------------------------------------------

    @property
    def claim(self) -> tuple[Epsilon, str]:
        """Return the epsilon to audit, and what it is for."""
        return self.design.epsilon, "one report"

    @property
    @abstractmethod
    def outputs(self) -> int:
        """Return the number of possible draws."""

    @abstractmethod
    def side(self, code: Code, draw: Draw) -> Side:
        """Return whether a draw speaks for an answer, against it, or neither."""

    @property
    def has_exact(self) -> bool:
        """Return whether some of the draws for an answer are the answer as it is."""
        return False

    def is_exact(self, code: Code, draw: Draw) -> bool:  # noqa: ARG002 (subclasses use them)
        """Return whether a draw is the answer as it is."""
        return False

    @abstractmethod
    def chance_for(self, code: Code) -> float:
        """Return the probability that a draw to an answer speaks for it."""

    def chance_exact(self, code: Code) -> float:  # noqa: ARG002 (subclasses use it)
        """Return the probability that a draw to an answer is the answer as it is."""
        return 0.0

    @property
    @abstractmethod
    def number_of_parts(self) -> int:
        """Return how many parts draws can have that are events of their own; 0 where an audit knows of none."""

    def parts(self, draw: Draw) -> list[str]:
        """Return the names of the parts of a draw that are events of their own."""
        return [f"supports {name}" for name in self.counters(draw)]

    @abstractmethod
    def part_chances(self, code: Code) -> Mapping[str, float]:
        """Return the probability of every such part in a draw to an answer, by its name."""

    @property
    @abstractmethod
    def supported(self) -> int | None:
        """Return how many answers every draw supports, where all answers are treated alike; otherwise None."""

    @property
    @abstractmethod
    def worst_places(self) -> tuple[Fraction, Fraction]:
        """Return two numbers, as fractions of the range, whose draws differ as much as the odds say."""

    @property
    @abstractmethod
    def shows_odds_everywhere(self) -> bool:
        """Return whether any two answers that are far apart show the whole odds, not only the worst two."""


def whole(draw: Draw) -> str:
    """Return the name of the event that a draw is exactly this one."""
    return f"is {draw}"
