"""Verdicts for every type: honest clients are consistent, one that keeps the true answer 3 % too often is violated.

Most tests judge the expected counts of a client, from the law of its draws: nothing is random.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import log

import pytest
from tests.mechanisms.cases import Law, law_of
from tests.samples.designs import warner
from tests.server.audit.broken_client import break_design
from tests.vectors.surveys import epsilon, every_type, surveys

from hushpoll_server.audit.findings import EXACT, POOLED, Finding, find
from hushpoll_server.audit.inputs import contrast_of
from hushpoll_server.audit.run import Tally
from hushpoll_server.mechanisms.channel_table import solve_channel
from hushpoll_server.mechanisms.projective import ProjectiveMechanism
from hushpoll_shared.mechanisms import Channel, Design, Draw, Laplace, Projective, Repeated
from hushpoll_shared.mechanisms.domains import Code
from hushpoll_shared.question_types import SingleChoice, YesNo
from hushpoll_shared.questions import Question

RUNS = 10_000
# The part of one question in a survey of twelve, at the default level.
RISK = 0.005 / 12
WAVES = surveys()["panel"][0].questions[0]


def _as_published(question: Question) -> Question:
    """Return the question with a codebook of 40, not 2100, whose law is too long to list, and the best channel."""
    if isinstance(question.design, Projective) and isinstance(question.type, SingleChoice):
        codebook = SingleChoice(question.type.options[:40])
        return replace(question, type=codebook, design=ProjectiveMechanism.of(epsilon("1"), 40))
    if question.id == "hours":
        table = solve_channel(epsilon("1").odds, 7)
        return replace(question, design=Channel(table.values, table.unit, table.table))
    return question


QUESTIONS = [*(_as_published(question) for question in every_type()), WAVES]
every_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)

Client = Callable[[Design, Code], Law]


# Typed: an extra has the code 0, the lower end of a range Fraction(0).
@lru_cache(maxsize=None, typed=True)
def honest(design: Design, code: Code) -> Law:
    """Return the law of an honest client's draws."""
    return law_of(design, code)


@lru_cache(maxsize=None, typed=True)
def broken(design: Design, code: Code) -> Law:
    """Return the law of the draws of tests/server/audit/broken_client.py."""
    if not isinstance(design, Laplace):
        return honest(break_design(design), code)
    # The inputs are points of the grid.
    assert isinstance(code, Fraction)
    rate, law = Fraction(3, 100), {draw: p * Fraction(97, 100) for draw, p in honest(design, code).items()}
    law[f"{int(code * design.steps) + design.reach:0{design.width}x}"] += rate
    return law


def expected(question: Question, client: Client, runs: int = RUNS) -> Tally:
    """Return the expected counts of a client."""
    contrast, tally = contrast_of(question), Counter[tuple[int, int, Draw]]()
    for place, given in enumerate(contrast.inputs):
        partners = contrast.partners[place] or (-1,)
        for partner in partners:
            for draw, probability in client(question.design, given.code).items():
                tally[place, partner, draw] = round(probability * runs / len(partners))
    return tally


def judge(question: Question, client: Client, risk: float = RISK) -> Finding:
    return find(question, contrast_of(question), expected(question, client), risk)


@every_question
def test_an_honest_client_is_consistent_and_its_lower_bound_near_the_claim(question: Question) -> None:
    finding = judge(question, honest)
    assert finding.verdict == "consistent"
    assert finding.claimed - 0.1 < finding.lower < finding.claimed


@every_question
def test_an_honest_client_is_far_from_a_false_alarm(question: Question) -> None:
    # At a risk of one half for the question, the expected counts must still be within the claim.
    assert judge(question, honest, risk=0.5).verdict == "consistent"


@every_question
def test_a_client_that_keeps_the_truth_too_often_is_violated_with_room_to_spare(question: Question) -> None:
    finding = judge(question, broken)
    assert finding.verdict == "violated"
    # At a risk of one in 10^8, stricter by 2 standard errors: most samples are detected, not only the expected one.
    assert judge(question, broken, risk=1e-8).verdict == "violated"


def test_a_client_that_sends_the_answer_is_violated_far_beyond_its_claim() -> None:
    finding = judge(QUESTIONS[0], lambda _, code: {str(code): Fraction(1)})
    assert finding.lower > 5
    assert finding.upper is None


def test_a_client_that_sends_always_the_same_shows_nothing() -> None:
    finding = judge(QUESTIONS[0], lambda *_: {"1": Fraction(1)})
    assert (finding.lower, finding.event, finding.verdict) == (0.0, "none", "consistent")


def test_the_upper_bound_holds_for_small_domains_and_is_left_out_for_others() -> None:
    uppers = {question.id: judge(question, honest).upper for question in QUESTIONS}
    small = {"cheated", "asked", "way", "stress", "pain", "mood"}
    assert {name for name, upper in uppers.items() if upper is not None} == small
    for question in QUESTIONS:
        finding = judge(question, honest)
        assert finding.upper is None or finding.upper > finding.claimed
        assert finding.upper_if_symmetric is not None
        assert finding.upper_if_symmetric > finding.claimed


def test_the_event_that_shows_most_is_named() -> None:
    assert judge(QUESTIONS[0], broken).event == POOLED
    [noise] = [question for question in QUESTIONS if question.id == "noise"]
    assert judge(noise, broken).event == EXACT


def test_a_repeated_question_is_held_to_the_epsilon_of_one_wave() -> None:
    finding = judge(WAVES, honest)
    assert isinstance(WAVES.design, Repeated)
    assert (finding.claim, finding.claimed) == ("one wave", float(WAVES.design.once))
    assert finding.claimed < float(WAVES.design.epsilon)


def test_leaving_a_question_out_because_of_its_answer_is_found() -> None:
    [asked] = [question for question in QUESTIONS if question.id == "asked"]

    def shy(design: Design, code: Code) -> Law:
        left_out = Fraction(9, 10) if code == 0 else Fraction(1, 10)
        law = {draw: p * (1 - left_out) for draw, p in honest(design, code).items()}
        return {**law, design.blank: left_out}

    finding = judge(asked, shy)
    # A report for the other answer is 9 times as likely because it is sent at all, and E times as usual.
    assert finding.claimed + log(5) < finding.lower < finding.claimed + log(9)
    assert finding.runs < RUNS / 9


def test_more_questions_share_the_same_risk() -> None:
    question = Question("q", "q?", YesNo(), warner(epsilon="1"))
    assert judge(question, honest, risk=0.005).lower > judge(question, honest, risk=0.005 / 50).lower


def test_json_has_the_names_of_the_contract() -> None:
    written = judge(QUESTIONS[0], honest).to_json()
    assert written.keys() >= {"claimed", "lower", "upper", "runs", "verdict"}
    assert (written["runs"], written["verdict"], written["inputs"]) == (RUNS, "consistent", 2)
