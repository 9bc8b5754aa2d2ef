"""A plan: of epsilon, respondents and precision two are given, and the third follows.

Law kept here: whatever was given stays as it was given; what follows is the best that it allows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

from hushpoll_server.plan.channel_bound import variance_bound
from hushpoll_server.plan.choose import choose_design
from hushpoll_server.plan.epsilons import smallest_epsilon
from hushpoll_server.plan.sizes import Goal, MarginGoal, PowerGoal, Sample, power, smallest_n
from hushpoll_server.plan.spread import Spread, is_mean, spread_of, without_privacy
from hushpoll_shared.designs import Bound, Channel, Design, SubsetSelection, Warner
from hushpoll_shared.epsilon import format_odds
from hushpoll_shared.questions import Choice, Kind, MultiChoice, Scale, YesNo

# The bound for means counts the variance at so many answers at most.
_MOST_POINTS = 17


@dataclass(frozen=True)
class Plan:
    """A question with its design, the number of respondents and what they give."""

    kind: Kind
    bound: Bound
    design: Design
    n: int
    sample: Sample
    goal: Goal | None

    @cached_property
    def spread(self) -> Spread:
        """Return the spread of the question's figures."""
        return spread_of(self.kind, self.design)

    @property
    def margin(self) -> float:
        """Return the margin that was asked for, or else the one that the respondents give."""
        return self.goal.margin if isinstance(self.goal, MarginGoal) else self.margin_with(self.design)

    def margin_with(self, design: Design) -> float:
        """Return the margin that as many respondents give with another design."""
        return self.sample.margin(spread_of(self.kind, design), self.n)

    @property
    def variance(self) -> float:
        """Return the variance for each respondent, in the measure of the question's type."""
        # A scale has no answers between its points.
        if isinstance(self.kind, Scale) and isinstance(self.design, Channel):
            return self.design.variance_at_points()
        return self.design.variance()

    @cached_property
    def lower_bound(self) -> float:
        """Return what no design with the same odds can fall below, in the same measure."""
        if is_mean(self.kind):
            return variance_bound(float(self.design.odds), _bound_points(self.kind))
        return self.design.lower_bound()

    @property
    def without_privacy_n(self) -> int:
        """Return how many respondents would do the same if they were asked directly."""
        goal = self.goal or MarginGoal(self.sample, self.margin)
        return smallest_n(without_privacy(self.kind), goal)

    def to_json(self) -> dict[str, object]:
        """Return the figures by name."""
        return {
            "type": self.kind.TYPE,
            "options": len(self.kind.cells) if isinstance(self.kind, Choice | MultiChoice) else None,
            "epsilon": float(self.bound.epsilon),
            "n": self.n,
            "margin": self.margin,
            "mechanism": self.design.NAME,
            "variance": self.variance,
            "lower_bound": self.lower_bound,
            "variance_over_bound": self.variance / self.lower_bound,
            "without_privacy_n": self.without_privacy_n,
            "level": self.sample.level,
            "share": self.sample.share,
            "population": self.sample.population,
            **self._power_to_json(),
            "odds_in_100": odds_in_100(self.design),
            "design": self._design_to_json(),
        }

    def _power_to_json(self) -> dict[str, object]:
        if not isinstance(self.goal, PowerGoal):
            return {}
        reached = power(self.spread, self.sample, self.goal.difference, self.n)
        return {"difference": self.goal.difference, "power": reached}

    def _design_to_json(self) -> dict[str, object]:
        # The table of a channel is long, and belongs into a manifest.
        if isinstance(self.design, Channel):
            outputs = len(self.design.values)
            return {"inputs": self.design.inputs, "outputs": outputs, "epsilon": str(self.design.epsilon)}
        return {**self.design.parameters(), "odds": format_odds(self.design.odds), "epsilon": str(self.design.epsilon)}


def make_plan(
    kind: Kind,
    sample: Sample,
    *,
    bound: Bound | None = None,
    n: int | None = None,
    goal: Goal | None = None,
    mechanism: str | None = None,
) -> Plan:
    """Return the plan that two of bound, n and goal determine."""
    assert [bound, n, goal].count(None) == 1, "two are given, one is solved for"
    make = partial(best_design, kind, mechanism=mechanism)
    if bound is None:
        assert goal is not None, "it is given"
        assert n is not None, "it is given"
        bound = smallest_epsilon(kind, make, goal, n)
    design = make(bound)
    if n is None:
        assert goal is not None, "it is given"
        n = smallest_n(spread_of(kind, design), goal)
    return Plan(kind, bound, design, n, sample, goal)


def best_design(kind: Kind, bound: Bound, *, mechanism: str | None = None) -> Design:
    """Return the best design for a question; one on two categories in Warner's spelling if it asks yes or no."""
    design = choose_design(kind, bound, mechanism=mechanism)
    if isinstance(kind, YesNo) and isinstance(design, SubsetSelection) and design.size == 2:
        return Warner(design.threshold)
    return design


def odds_in_100(design: Design) -> int:
    """Return how sure, in 100, a report can make somebody who wavered between two answers: E/(E + 1), rounded."""
    return round(100 * design.odds / (design.odds + 1))


def _bound_points(kind: Kind) -> int:
    """Return at how many answers the bound counts the variance: equally spaced ones that the question has."""
    if not isinstance(kind, Scale):
        return _MOST_POINTS
    steps = kind.max - kind.min
    return 1 + max(part for part in range(1, _MOST_POINTS) if steps % part == 0)
