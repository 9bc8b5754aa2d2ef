"""Plans: two of epsilon, respondents and precision give the third, for every type."""

from __future__ import annotations

import pytest
from tests.mechanisms.cases import choices

from hushpoll_server.mechanisms import Bound, mechanism_for
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_server.plan.plans import Plan, make_plan, odds_in_100
from hushpoll_server.plan.questions import make_type
from hushpoll_server.plan.sizes import MarginGoal, PlanError, PowerGoal, Sample
from hushpoll_shared.question_types import MultiChoice, Number, QuestionType, Scale, YesNo

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


def ticks(options: int, most: int | None = None) -> MultiChoice:
    return MultiChoice(choices(options).options, most)


def limits(options: int) -> list[int]:
    return [most for most in (1, 2, 3, 5, 8) if most <= options]


@pytest.mark.parametrize("epsilon", ["0.5", "2", "4"])
@pytest.mark.parametrize("share", [None, 0.1, 0.5])
def test_a_limit_on_the_ticks_never_asks_for_more_people_nor_gives_a_wider_margin(
    share: float | None, epsilon: str
) -> None:
    bound, sample = Bound.of_epsilon(epsilon), Sample(share=share)
    for options in (2, 3, 8, 16, 64):
        goal = MarginGoal(sample, 0.05)
        people = make_plan(ticks(options), sample, bound=bound, goal=goal).n
        margin = make_plan(ticks(options), sample, bound=bound, n=1000).margin
        for most in limits(options):
            assert make_plan(ticks(options, most), sample, bound=bound, goal=goal).n <= people
            assert make_plan(ticks(options, most), sample, bound=bound, n=1000).margin <= margin * (1 + 1e-12)


@pytest.mark.parametrize(
    ("sample", "difference", "epsilon", "options", "most"),
    [
        (Sample(), 0.1, "0.5", 6, 2),
        (Sample(), 0.3, "3", 32, 8),
        (Sample(share=0.2), 0.3, "3", 6, 3),
        (Sample(population=3000), None, "2", 16, 3),
        (Sample(population=10000), None, "2", 16, 3),
    ],
)
def test_nor_does_it_with_a_difference_to_find_or_a_population(
    sample: Sample, difference: float | None, epsilon: str, options: int, most: int
) -> None:
    # Each of them was asked for more by a design that is better at the share alone.
    goal = MarginGoal(sample, 0.1) if difference is None else PowerGoal(sample, difference, 0.8)
    free, limited = (
        make_plan(question_type, sample, bound=Bound.of_epsilon(epsilon), goal=goal)
        for question_type in (ticks(options), ticks(options, most))
    )
    assert limited.n <= free.n


def test_nor_does_it_take_a_larger_epsilon() -> None:
    for share in (None, 0.1):
        goal = MarginGoal(Sample(share=share), 0.05)
        free, limited = (make_plan(each, goal.sample, n=8000, goal=goal).bound for each in (ticks(8), ticks(8, 2)))
        assert limited.epsilon <= free.epsilon


def test_a_goal_that_no_design_reaches_is_refused_with_what_the_best_one_leaves() -> None:
    sample = Sample(population=500)
    margins = [make_plan(each, sample, bound=ONE, n=500).margin for each in (ticks(8), ticks(8, 2))]
    assert margins[1] < margins[0]
    for question_type, margin in zip((ticks(8), ticks(8, 2)), margins, strict=True):
        with pytest.raises(PlanError, match=f"leaves ±{margin:.3g}: raise epsilon"):
            make_plan(question_type, sample, bound=ONE, goal=MarginGoal(sample, 0.05))


@pytest.mark.parametrize("size", [2, 16, 100])
def test_how_sure_a_report_can_make_somebody_depends_on_the_odds_alone(size: int) -> None:
    design = SubsetMechanism.of(Bound.of_odds("3:1"), size)
    assert odds_in_100(mechanism_for(choices(size), design)) == 75
