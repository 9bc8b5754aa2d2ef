"""A plan: two of epsilon, respondents and precision are given, and the third follows.

The rule here: what is given is never changed; what follows is the best possible with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

from hushpoll_server.mechanisms import Bound, Mechanism
from hushpoll_server.mechanisms.variance import Variance
from hushpoll_server.plan.choose import choose_mechanism
from hushpoll_server.plan.epsilons import smallest_epsilon
from hushpoll_server.plan.sizes import Goal, MarginGoal, PowerGoal, Sample, power, smallest_n
from hushpoll_server.plan.variances import without_privacy
from hushpoll_shared.mechanisms import Design
from hushpoll_shared.question_types import QuestionType


@dataclass(frozen=True)
class Plan:
    """A question with its mechanism, the number of respondents and the precision that they give."""

    mechanism: Mechanism[Design]
    bound: Bound
    n: int
    sample: Sample
    goal: Goal | None

    @property
    def type(self) -> QuestionType:
        """Return the type of the question."""
        return self.mechanism.type

    @cached_property
    def variance_by_answer(self) -> Variance:
        """Return the variance of the question's figures as a function of the true answers."""
        return self.mechanism.variance_by_answer()

    @property
    def margin(self) -> float:
        """Return the margin that was asked for, or the one that the respondents give."""
        return self.goal.margin if isinstance(self.goal, MarginGoal) else self.margin_with(self.mechanism)

    def margin_with(self, mechanism: Mechanism[Design]) -> float:
        """Return the margin that the same number of respondents gives with another design."""
        return self.sample.margin(mechanism.variance_by_answer(), self.n)

    @cached_property
    def variance(self) -> float:
        """Return the variance for each respondent, in the measure of the question's type."""
        return self.mechanism.variance()

    @cached_property
    def lower_bound(self) -> float:
        """Return the lower bound for all designs with the same odds, in the same measure."""
        return self.mechanism.lower_bound()

    @property
    def without_privacy_n(self) -> int:
        """Return how many respondents would give the same precision if they were asked directly."""
        goal = self.goal or MarginGoal(self.sample, self.margin)
        return smallest_n(without_privacy(self.type), goal)

    def to_json(self) -> dict[str, object]:
        """Return the figures by name."""
        return {
            "type": self.type.NAME,
            "options": len(self.type.cells) or None,
            "epsilon": float(self.bound.epsilon),
            "n": self.n,
            "margin": self.margin,
            "mechanism": self.mechanism.name,
            "variance": self.variance,
            "lower_bound": self.lower_bound,
            "variance_over_bound": self.variance / self.lower_bound,
            "without_privacy_n": self.without_privacy_n,
            "level": self.sample.level,
            "share": self.sample.share,
            "population": self.sample.population,
            **self._power_to_json(),
            "odds_in_100": odds_in_100(self.mechanism),
            "design": self.mechanism.summary(),
        }

    def _power_to_json(self) -> dict[str, object]:
        if not isinstance(self.goal, PowerGoal):
            return {}
        reached = power(self.variance_by_answer, self.sample, self.goal.difference, self.n)
        return {"difference": self.goal.difference, "power": reached}


def make_plan(
    question_type: QuestionType,
    sample: Sample,
    *,
    bound: Bound | None = None,
    n: int | None = None,
    goal: Goal | None = None,
    mechanism: str | None = None,
) -> Plan:
    """Return the plan that two of bound, n and goal determine."""
    assert [bound, n, goal].count(None) == 1, "give two of the three"
    make = partial(choose_mechanism, question_type, mechanism=mechanism)
    if bound is None:
        assert goal is not None, "it is given"
        assert n is not None, "it is given"
        bound = smallest_epsilon(question_type, make, goal, n)
    best = make(bound)
    if n is None:
        assert goal is not None, "it is given"
        n = smallest_n(best.variance_by_answer(), goal)
    return Plan(best, bound, n, sample, goal)


def odds_in_100(mechanism: Mechanism[Design]) -> int:
    """Return how sure, in 100, a report can make somebody who was undecided between two answers: E/(E + 1), rounded."""
    odds = mechanism.design.odds
    return round(100 * odds / (odds + 1))
