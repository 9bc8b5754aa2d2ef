"""A plan: two of epsilon, respondents and precision are given, and the third follows.

The rule here: what is given is never changed; what follows is the best possible with it. A design is chosen by what the
plan is judged by: at the stated share or at the worst one, with the goal and the population of the plan.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

from hushpoll_server.mechanisms import Bound, Mechanism
from hushpoll_server.mechanisms.ticks import has_ticks
from hushpoll_server.mechanisms.variance import AtShare, Measure, Variance
from hushpoll_server.plan.choose import choose_design, choose_mechanism
from hushpoll_server.plan.epsilons import smallest_epsilon
from hushpoll_server.plan.expected import expected_margin
from hushpoll_server.plan.sizes import Goal, MarginGoal, PowerGoal, Sample, power, respondents, smallest_n
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
    named: str | None = None

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

    @cached_property
    def expected_margin(self) -> float | None:
        """Return half the width of the interval that `hushpoll estimate` will show; None for a mean."""
        return expected_margin(self.mechanism, self.sample, self.n)

    def margin_with(self, mechanism: Mechanism[Design]) -> float:
        """Return the margin that the same number of respondents gives with another design."""
        return self.sample.margin(mechanism.variance_by_answer(), self.n)

    def best_with(self, bound: Bound) -> Mechanism[Design]:
        """Return the best design for the same number of respondents with another epsilon."""
        measure = _measure(self.sample, self.goal, self.n)
        return choose_mechanism(self.type, bound, measure=measure, mechanism=self.named)

    @cached_property
    def likely_share(self) -> AtShare | None:
        """Return the share that a survey file must state for this design, or for one near it; None if it need not."""
        if not has_ticks(self.type) or choose_design(self.type, self.bound) == self.mechanism.design:
            return None
        return AtShare(self.sample.start if isinstance(self.goal, PowerGoal) else self.sample.share)

    @property
    def compiled(self) -> Mechanism[Design]:
        """Return the design that a survey file gets which states this share."""
        return choose_mechanism(self.type, self.bound, measure=self.likely_share)

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
            "expected_margin": self.expected_margin,
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
            "likely_share": self._likely_share_to_json(),
        }

    def _likely_share_to_json(self) -> float | str | None:
        if self.likely_share is None:
            return None
        return "any" if self.likely_share.share is None else self.likely_share.share

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
    measure = _measure(sample, goal, n)
    make = partial(choose_mechanism, question_type, measure=measure, mechanism=mechanism)
    if bound is None:
        assert goal is not None, "it is given"
        assert n is not None, "it is given"
        bound = smallest_epsilon(question_type, make, goal, n)
    best = make(bound)
    if n is None:
        assert goal is not None, "it is given"
        n = smallest_n(best.variance_by_answer(), goal)
    return Plan(best, bound, n, sample, goal, mechanism)


def _measure(sample: Sample, goal: Goal | None, n: int | None) -> Measure:
    """Return what designs are compared by: the respondents that they take, or what these respondents give."""
    if goal is None:
        assert n is not None, "a plan without a goal has its respondents"
        return lambda variance: sample.margin(variance, n)
    return lambda variance: respondents(variance, goal) if n is None else goal.miss(variance, n)


def odds_in_100(mechanism: Mechanism[Design]) -> int:
    """Return how sure, in 100, a report can make somebody who was undecided between two answers: E/(E + 1), rounded."""
    odds = mechanism.design.odds
    return round(100 * odds / (odds + 1))
