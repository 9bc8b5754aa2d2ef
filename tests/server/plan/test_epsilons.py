"""How much privacy a goal allows: the smallest epsilon, design switches included."""

from __future__ import annotations

from functools import partial

import pytest

from hushpoll_server.mechanisms import Bound
from hushpoll_server.plan.choose import choose_mechanism
from hushpoll_server.plan.epsilons import STEPS, smallest_epsilon
from hushpoll_server.plan.sizes import Goal, MarginGoal, PlanError, PowerGoal, Sample
from hushpoll_server.plan.variances import without_privacy
from hushpoll_shared.question_types import MultiChoice, Number, Option, QuestionType, Scale, SingleChoice, YesNo


def options(count: int) -> tuple[Option, ...]:
    return tuple(Option(name, name) for name in map(str, range(count)))


def smallest(question_type: QuestionType, n: int, goal: Goal, mechanism: str | None = None) -> int:
    """Return the smallest epsilon, in steps."""
    make = partial(choose_mechanism, question_type, mechanism=mechanism)
    return int(smallest_epsilon(question_type, make, goal, n).epsilon.decimal * STEPS)


def reaches(question_type: QuestionType, step: int, n: int, goal: Goal, mechanism: str | None = None) -> bool:
    best = choose_mechanism(question_type, Bound.of_epsilon(f"{step}/{STEPS}"), mechanism=mechanism)
    return goal.miss(best.variance_by_answer(), n) <= 0


GOAL = MarginGoal(Sample(), 0.05)
CASES: list[tuple[QuestionType, int, Goal, str | None]] = [
    (YesNo(), 1799, GOAL, None),
    (YesNo(), 1509, MarginGoal(Sample(population=2000), 0.05), None),
    (YesNo(), 917, PowerGoal(Sample(), 0.1, 0.8), None),
    (SingleChoice(options(5)), 5000, GOAL, None),
    (SingleChoice(options(16)), 6632, GOAL, None),
    (SingleChoice(options(5000)), 4000, GOAL, None),
    (MultiChoice(options(8)), 4000, GOAL, None),
    (Scale(1, 5, report="mean"), 4000, MarginGoal(Sample(), 0.1), None),
    (Number("0", "40"), 2000, MarginGoal(Sample(), 2), "laplace"),
]


@pytest.mark.parametrize(("question_type", "n", "goal", "mechanism"), CASES)
def test_the_epsilon_reaches_the_goal_and_the_one_below_does_not(
    question_type: QuestionType, n: int, goal: Goal, mechanism: str | None
) -> None:
    found = smallest(question_type, n, goal, mechanism)
    assert reaches(question_type, found, n, goal, mechanism)
    assert not reaches(question_type, found - 1, n, goal, mechanism)


@pytest.mark.parametrize("size", [4, 5, 16])
def test_no_smaller_epsilon_reaches_the_goal_where_the_best_design_changes(size: int) -> None:
    question_type, n = SingleChoice(options(size)), 6000
    found = smallest(question_type, n, GOAL)
    assert not any(reaches(question_type, step, n, GOAL) for step in range(found // 2, found, 37))


def test_a_larger_epsilon_can_miss_what_a_smaller_one_reaches() -> None:
    # Why bisection is not enough: with 16 categories one pick fewer is better in total, worse at the worst share.
    question_type = SingleChoice(options(16))
    found = smallest(question_type, 6632, GOAL)
    assert found < STEPS
    assert not all(reaches(question_type, step, 6632, GOAL) for step in range(found, STEPS, 10))


def test_the_epsilon_of_the_table_is_found_back() -> None:
    assert smallest(YesNo(), 1799, GOAL) == STEPS
    assert smallest(YesNo(), 24842, GOAL) == STEPS // 4


def test_too_few_respondents_are_told_how_many_it_takes_even_without_privacy() -> None:
    with pytest.raises(PlanError, match="takes 385 respondents even without privacy, more than 384: ask more"):
        smallest(YesNo(), 384, GOAL)


def test_an_epsilon_without_protection_is_not_proposed() -> None:
    question_type = Number("0", "40")
    direct = MarginGoal(Sample(), Sample().margin(without_privacy(question_type), 1000))
    with pytest.raises(PlanError, match="takes an epsilon above 10, which is no protection: ask more people"):
        smallest(question_type, 1000, direct, "laplace")


def test_the_smallest_step_is_enough_where_everything_is() -> None:
    assert smallest(YesNo(), 10**12, GOAL) == 1
