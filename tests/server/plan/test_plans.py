"""Plans: two of epsilon, respondents and precision give the third, for every type."""

from __future__ import annotations

import pytest
from tests.mechanisms.cases import choices

from hushpoll_server.mechanisms import Bound, mechanism_for
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_server.plan.plans import Plan, make_plan, odds_in_100
from hushpoll_server.plan.questions import make_type
from hushpoll_server.plan.sizes import MarginGoal, PowerGoal, Sample
from hushpoll_shared.question_types import Number, QuestionType, Scale, YesNo

SAMPLE = Sample()
ONE = Bound.of_epsilon(1)


def plan(
    question_type: QuestionType, margin: float = 0.05, bound: Bound = ONE, *, mechanism: str | None = None
) -> Plan:
    return make_plan(question_type, SAMPLE, bound=bound, goal=MarginGoal(SAMPLE, margin), mechanism=mechanism)


def test_what_was_given_stays_as_it_was_given() -> None:
    figures = plan(YesNo()).to_json()
    assert (figures["epsilon"], figures["margin"], figures["n"]) == (1.0, 0.05, 1799)


@pytest.mark.parametrize(
    ("type_", "options", "mechanism", "variance", "ratio"),
    [
        ("yes_no", None, "warner", 2.34135, 1.0),
        ("single_choice", "4", "subset", 8.30622, 1.0),
        ("single_choice", "16", "subset", 51.9139, 1.0),
        ("single_choice", "128", "subset", 464.082, 1.0),
        ("pair", "2,2", "subset", 8.30622, 1.0),
        ("single_choice", "3000", "projective", 11305, 1.03),
        ("multi_choice", "8", "ball", 9.1154, 1.28),
    ],
)
def test_the_variance_and_the_bound_are_those_of_the_documents(
    type_: str, options: str | None, mechanism: str, variance: float, ratio: float
) -> None:
    figures = plan(make_type(type_, {"options": options})).to_json()
    assert figures["mechanism"] == mechanism
    assert figures["variance"] == pytest.approx(variance, rel=2e-5 if ratio == 1.0 else 0.01)
    assert figures["variance_over_bound"] == pytest.approx(ratio, rel=0.01)


def test_a_mean_is_near_the_bound_for_all_mechanisms() -> None:
    figures = plan(Number("-1", "1")).to_json()
    # The column LP of mechanisms.md, section 6.
    assert figures["variance"] == pytest.approx(3.9906, rel=0.02)
    assert 1 <= float(str(figures["variance_over_bound"])) < 1.02


def test_the_textbook_mechanism_for_a_mean_takes_more_respondents() -> None:
    assert plan(Number("-1", "1"), mechanism="laplace").n > 1.7 * plan(Number("-1", "1")).n


def test_a_margin_is_in_the_units_of_the_question() -> None:
    assert plan(Number("0", "40"), 1.0).n == plan(Number("-1", "1")).n


@pytest.mark.parametrize("points", [5, 18, 21])
def test_the_bound_of_a_scale_counts_its_own_points_only(points: int) -> None:
    scale = plan(Scale(1, points, report="mean"), 1.0)
    assert 1 - 1e-6 <= scale.variance / scale.lower_bound < 1.1


def test_the_margin_of_a_plan_without_a_goal_is_what_its_respondents_give() -> None:
    found = make_plan(YesNo(), SAMPLE, bound=Bound.of_odds("3:1"), n=1537)
    assert found.margin == pytest.approx(0.05, abs=1e-5)
    assert found.without_privacy_n == 385


def test_a_goal_of_power_brings_its_figures_and_the_margin_that_follows() -> None:
    figures = make_plan(YesNo(), SAMPLE, bound=ONE, goal=PowerGoal(SAMPLE, 0.1, 0.8)).to_json()
    assert figures["difference"] == 0.1
    assert 0.8 <= float(str(figures["power"])) < 0.801
    assert figures["margin"] == make_plan(YesNo(), SAMPLE, bound=ONE, n=int(str(figures["n"]))).margin


@pytest.mark.parametrize("size", [2, 16, 100])
def test_how_sure_a_report_can_make_somebody_depends_on_the_odds_alone(size: int) -> None:
    design = SubsetMechanism.of(Bound.of_odds("3:1"), size)
    assert odds_in_100(mechanism_for(choices(size), design)) == 75
