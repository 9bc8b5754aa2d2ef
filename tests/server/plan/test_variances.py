"""Variances to plan with that belong to no mechanism: without privacy, and the least that privacy allows."""

from __future__ import annotations

import math

import pytest
from tests.mechanisms.cases import choices

from hushpoll_server.mechanisms import Bound
from hushpoll_server.plan.choose import choose_mechanism
from hushpoll_server.plan.variances import best_possible, is_mean, without_privacy
from hushpoll_shared.question_types import MultiChoice, Number, QuestionType, Scale, YesNo


def test_without_privacy_only_the_answers_vary() -> None:
    assert without_privacy(YesNo()).at(0.1, 1.0) == pytest.approx(0.09)
    assert without_privacy(YesNo()).at(None, 1.0) == 0.25
    assert without_privacy(Number("0", "40")).at(None, 1.0) == 400


@pytest.mark.parametrize(
    ("question_type", "mean"),
    [
        (YesNo(), False),
        (choices(5), False),
        (MultiChoice(choices(5).options), False),
        (Scale(1, 5), False),
        (Scale(1, 5, report="mean"), True),
        (Number("0", "40"), True),
        (Number("0", "40", "distribution"), True),
    ],
)
def test_a_mean_and_a_distribution_are_planned_by_the_mean_and_all_others_by_a_share(
    question_type: QuestionType, mean: bool
) -> None:
    assert is_mean(question_type) == mean


@pytest.mark.parametrize("epsilon", ["0.5", "1", "2", "4"])
@pytest.mark.parametrize("question_type", [YesNo(), Scale(1, 5, report="mean"), Number("0", "40")])
def test_the_best_mechanism_is_no_better_than_what_is_possible(question_type: QuestionType, epsilon: str) -> None:
    best = choose_mechanism(question_type, Bound.of_epsilon(epsilon)).variance_by_answer()
    possible = best_possible(question_type, math.exp(float(epsilon)))
    for unsampled in (0.0, 0.5, 1.0):
        assert best.at(None, unsampled) >= possible.at(None, unsampled) * (1 - 1e-9)
