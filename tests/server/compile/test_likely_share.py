"""The share that a survey file expects: read exactly, used for the design, not published, and what lint says of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.server.compile.survey_files import CHOICE, NUMBER, SCALE, error_of, manifest_of, survey

from hushpoll_server.compile.advice import Advice, advise
from hushpoll_server.compile.definition import compile_survey
from hushpoll_server.mechanisms import Bound, mechanism_of
from hushpoll_server.mechanisms.variance import AtShare
from hushpoll_server.plan.choose import choose_design
from hushpoll_server.plan.plans import make_plan
from hushpoll_server.plan.sizes import PowerGoal, Sample
from hushpoll_shared.mechanisms import Ball, PrivSet
from hushpoll_shared.questions import Question

EIGHT = "type: multi_choice, options: [a, b, c, d, e, f, g, h], reason: x"


def ticks(epsilon: int, *fields: str) -> str:
    return ", ".join((EIGHT, *fields, f"privacy: {{epsilon: {epsilon}}}"))


def one(epsilon: int, *fields: str) -> Question:
    [question] = manifest_of(survey(ticks(epsilon, *fields))).questions
    return question


def lint(*questions: str, head: str = "respondents: 3000\n") -> list[Advice]:
    return list(advise(compile_survey(survey(*questions, head=head), "poll.yaml")))


def test_the_ball_asks_about_one_option_fewer_if_a_tenth_tick_it() -> None:
    for epsilon, usual, rare in ((3, 3, 2), (4, 4, 3)):
        designs = one(epsilon).design, one(epsilon, "likely_share: 0.1").design
        assert [design.asked for design in designs if isinstance(design, Ball)] == [usual, rare]
        # How private the answer is does not depend on it.
        assert all(epsilon - 1e-9 < float(design.epsilon) <= epsilon for design in designs)


@pytest.mark.parametrize(("fields", "measure"), [((), None), (("likely_share: any",), AtShare(None))])
def test_a_limit_on_the_ticks_gets_the_design_for_what_it_allows_or_for_any_share(
    fields: tuple[str, ...], measure: AtShare | None
) -> None:
    question = one(2, "max_picks: 2", *fields)
    assert question.design == choose_design(question.type, Bound.of_epsilon(2), measure=measure or AtShare(2 / 8))
    assert isinstance(question.design, Ball if measure else PrivSet)


@pytest.mark.parametrize("written", ["0.1", '"0.1"', '"1/10"', "0.10", "'3/30'"])
def test_it_is_read_exactly_however_it_is_written(written: str) -> None:
    assert manifest_of(survey(ticks(4, f"likely_share: {written}"))) == manifest_of(
        survey(ticks(4, "likely_share: 0.1"))
    )


def test_json_gives_the_same_manifest_and_nothing_of_it_is_published() -> None:
    head: dict[str, Any] = {"survey": "campus", "title": "Campus", "consent": "Taking part is voluntary."}
    question = {"id": "q1", "text": "x", "type": "multi_choice", "options": list("abcdefgh"), "likely_share": 0.1}
    written = json.dumps({**head, "questions": [{**question, "privacy": {"epsilon": 4}, "reason": "x"}]})
    payload = manifest_of(written).payload
    assert payload == manifest_of(survey(ticks(4, "likely_share: 0.1"))).payload
    assert b"likely" not in payload


@pytest.mark.parametrize("written", ["2", "-0.1", "1e-3", "often", "true", "[0.1]", "null", '"1/0"', "10%", '""'])
def test_what_is_no_share_is_refused_with_the_cure(written: str) -> None:
    line, message = error_of(survey(ticks(1, f"likely_share: {written}")))
    assert (line, message) == (5, 'likely_share must be a share from 0 to 1, such as 0.1 or "1/10", or any')


@pytest.mark.parametrize("question", ["type: yes_no", CHOICE, SCALE, NUMBER])
def test_it_belongs_to_ticks_alone(question: str) -> None:
    _, message = error_of(survey(f"{question}, likely_share: 0.1, privacy: {{epsilon: 1}}"))
    assert message.endswith(": remove it, or use type: multi_choice")


@pytest.mark.parametrize("most", [None, 2])
@pytest.mark.parametrize("share", [None, 0.05, 0.1, 0.5])
def test_a_plan_with_the_same_share_has_the_same_design_and_the_same_margin(
    most: int | None, share: float | None
) -> None:
    fields = [f"likely_share: {'any' if share is None else share}", *([f"max_picks: {most}"] if most else [])]
    for epsilon in (1, 3):
        [advice] = lint(ticks(epsilon, *fields))
        question = advice.question
        plan = make_plan(question.type, Sample(share=share), bound=Bound.of_epsilon(epsilon), n=3000)
        assert plan.mechanism.design == question.design
        assert plan.margin == (advice.margin if share is None else advice.likely_margin)
        # What the plan says that a survey file must state is enough.
        assert plan.compiled.design == question.design


def test_a_plan_names_what_the_survey_file_must_state() -> None:
    def stated(most: int | None, share: float | None) -> object:
        question = one(2, *([f"max_picks: {most}"] if most else []))
        return make_plan(question.type, Sample(share=share), bound=Bound.of_epsilon(2), n=3000).to_json()[
            "likely_share"
        ]

    assert [stated(None, None), stated(None, 0.5), stated(2, 0.25)] == [None, None, None]
    assert [stated(None, 0.01), stated(2, None), stated(2, 0.9)] == [0.01, "any", 0.9]


def test_a_plan_for_a_difference_names_the_share_that_it_starts_from() -> None:
    goal = PowerGoal(Sample(), 0.3, 0.8)
    plan = make_plan(one(2, "max_picks: 3").type, goal.sample, bound=Bound.of_epsilon(2), goal=goal)
    assert plan.likely_share == AtShare(0.5)


def test_lint_says_what_it_buys_and_what_it_costs() -> None:
    [advice] = lint(ticks(4, "likely_share: 0.1"))
    [note] = advice.notes
    assert note == (
        "likely_share: for the same accuracy it needs 13 % fewer respondents than without it if 10 % tick an option, "
        "4 % more at the worst share"
    )
    assert advice.accuracy == "±3.4 points, ±2.4 at a share of 0.1,"
    assert (advice.to_json()["likely_share"], advice.to_json()["likely_margin"]) == (0.1, advice.likely_margin)


def test_lint_says_if_it_changes_nothing() -> None:
    [advice] = lint(ticks(1, "likely_share: 0.1"))
    assert advice.notes == ("likely_share: the design is the same without it",)


def test_lint_proposes_it_only_where_it_saves_more_than_a_few_per_cent() -> None:
    quiet, proposed, stated = lint(ticks(1), ticks(4), ticks(4, "likely_share: 0.5"))
    assert quiet.notes == ()
    expected = "if about 10 % tick an option, likely_share: 0.1 would need 13 % fewer respondents for the same accuracy"
    assert proposed.notes == (expected,)
    assert stated.notes == ("likely_share: the design is the same without it",)
    assert quiet.accuracy == "±11.0 points"


def test_lint_says_which_share_a_limit_on_the_ticks_stands_for() -> None:
    limited, any_share = lint(ticks(4, "max_picks: 2"), ticks(4, "max_picks: 2", "likely_share: any"))
    assert limited.notes == (
        "the design is for options that 25 % tick, as max_picks allows; likely_share states another",
    )
    assert limited.accuracy == "±3.9 points, ±2.6 at a share of 0.25,"
    assert any_share.notes == (
        "likely_share: for the same accuracy it needs 29 % fewer respondents than without it at the worst share",
    )
    assert any_share.to_json()["likely_share"] is None
    assert "likely_share" not in lint("type: yes_no, privacy: {epsilon: 1}")[0].to_json()


def test_what_an_extra_costs_is_computed_at_the_same_share() -> None:
    [advice] = lint(ticks(3, "decline: true", "likely_share: 0.1"))
    question, plain = advice.question, one(3, "likely_share: 0.1")
    more = [mechanism_of(each).variance_by_answer().at(0.1, 1.0) for each in (question, plain)]
    assert advice.notes[-1].startswith(f"decline: {100 * (more[0] / more[1] - 1):.0f} % more respondents")


def test_a_shared_budget_weighs_ticks_at_the_share_that_they_are_likely_to_have() -> None:
    def epsilons(*fields: str) -> list[float]:
        questions = (", ".join((EIGHT, *fields)), "type: yes_no")
        manifest = manifest_of(survey(*questions, head="epsilon_total: 6\n"))
        return [float(question.design.epsilon) for question in manifest.questions]

    # Rare ticks have less variance, so they need less of the budget.
    assert epsilons("likely_share: 0.02")[0] < epsilons()[0] - 0.01
    assert sum(epsilons("likely_share: 0.02")) <= 6
