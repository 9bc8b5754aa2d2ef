"""Verdicts for every type: on honest clients, and on those that keep the true answer 3 % too often or too rarely.

Most tests judge the expected counts of a client, from the law of its draws: nothing is random.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache
from itertools import accumulate
from math import log
from typing import Any

import numpy as np
import pytest
from tests.mechanisms.cases import Law, law_of
from tests.samples.designs import warner
from tests.server.audit.broken_client import break_design
from tests.vectors.surveys import epsilon, every_type, surveys

from hushpoll_server.audit.design import NO_DIFFERENCE, Difference, own_law
from hushpoll_server.audit.events import EXACT, SPEAKS, Events
from hushpoll_server.audit.findings import Finding, find
from hushpoll_server.audit.inputs import contrast_of
from hushpoll_server.audit.plan import draw_plan
from hushpoll_server.audit.privacy import Output
from hushpoll_server.audit.reports import Draws
from hushpoll_server.audit.runs import Runs
from hushpoll_server.mechanisms import mechanism_of
from hushpoll_server.mechanisms.channel_table import solve_channel
from hushpoll_server.mechanisms.projective import ProjectiveMechanism
from hushpoll_shared.mechanisms import Channel, Design, Laplace, Projective, Repeated
from hushpoll_shared.mechanisms.domains import Code
from hushpoll_shared.question_types import SingleChoice, YesNo
from hushpoll_shared.questions import Question
from hushpoll_shared.randomness import SPAN

RUNS = 10_000
# The part of one question in a survey of twelve, at the default level, for one of the two verdicts.
RISK = 0.005 / 2 / 12
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
    """Return the law of the draws of tests/server/audit/broken_client.py, which keeps the truth 3 % too often."""
    if not isinstance(design, Laplace):
        return honest(break_design(design), code)
    # The inputs are points of the grid.
    assert isinstance(code, Fraction)
    rate, law = Fraction(3, 100), {draw: p * Fraction(97, 100) for draw, p in honest(design, code).items()}
    law[f"{int(code * design.steps) + design.reach:0{design.width}x}"] += rate
    return law


@lru_cache(maxsize=None, typed=True)
def noisier(design: Any, code: Code) -> Law:
    """Return the law of a client that keeps the truth 3 % too rarely; some numbers it draws without looking at all."""
    if isinstance(design, Channel):
        # One output of eight is any.
        rows = [[w - w // 8 + SPAN // 8 // len(row) for w in row] for row in design.weights]
        return honest(replace(design, table=tuple(tuple(accumulate(row))[:-1] for row in rows)), code)
    if isinstance(design, Laplace):
        wider = replace(design, threshold=design.threshold + (SPAN - design.threshold) // 6)
        return honest(wider, code)
    lowered = {name: getattr(design, name) - SPAN * 3 // 100 for name in design.THRESHOLDS}
    return honest(replace(design, **lowered), code)


@cache
def planned(question: Question) -> list[int]:
    """Return how often an audit gives each input, in a survey in which another question has six."""
    other = next(question for question in QUESTIONS if question.id == "stress")
    contrasts = [contrast_of(question), contrast_of(other)]
    inputs = draw_plan(contrasts, RUNS, random.Random(7).randbytes).inputs[:, 0]
    return [int(number) for number in np.bincount(inputs)]


@cache
def expected(question: Question, client: Client, asked: float = 1.0) -> Runs:
    """Return the expected runs of a client."""
    contrast, found, drawn = contrast_of(question), [], dict[str, int]()
    for place, code in enumerate(contrast.codes):
        others = [(place + step) % contrast.size for step in range(1, contrast.size)]
        partners = others if contrast.mates is None else [contrast.mates[place]]
        for draw, probability in client(question.design, code).items():
            draw_place = drawn.setdefault(draw, len(drawn))
            for partner, times in shared_out(round(probability * planned(question)[place]), partners, draw_place):
                found.append((place, partner, draw_place, times))
    places, partner_places, draws, times_ = np.array(found).T
    events = Events(mechanism_of(question), contrast.codes, asked)
    return Runs(events, places, partner_places, draws, tuple(drawn), times_)


def shared_out(times: int, partners: list[int], first: int) -> Iterator[tuple[int, int]]:
    """Share runs out evenly; what is left over begins with another partner each time."""
    each, rest = divmod(times, len(partners))
    for place in range(len(partners)):
        yield partners[(first + place) % len(partners)], each + (place < rest)


def judge(question: Question, client: Client, risk: float = RISK, asked: float = 1.0) -> Finding:
    runs = expected(question, client, asked=asked)
    return find(Output(runs, contrast_of(question)), difference(question, client, risk, asked), risk)


def difference(question: Question, client: Client, risk: float = RISK, asked: float = 1.0) -> Difference:
    """Return the largest difference of the client's draws from their law."""
    runs = expected(question, client, asked=asked)
    lines = np.repeat(np.arange(len(runs.times), dtype=np.int32), runs.times)
    return own_law(Draws(question.id, runs, lines, np.ones(len(lines), dtype=bool)), risk)


@every_question
def test_every_input_is_tried_and_those_that_are_compared_at_least_5_000_times(question: Question) -> None:
    contrast, runs = contrast_of(question), planned(question)
    assert (len(runs), sum(runs)) == (contrast.size, 6 * RUNS)
    assert min(runs) >= 6 * RUNS // 2 // contrast.size
    assert min(runs[place] for place in contrast.compared) >= min(5_000, 6 * RUNS // contrast.size)


@every_question
def test_an_honest_client_is_consistent_and_its_lower_bound_near_the_claim(question: Question) -> None:
    finding = judge(question, honest)
    assert (finding.verdict, finding.design) == ("consistent", "stated")
    assert finding.claimed - 0.1 < finding.lower < finding.claimed


@every_question
def test_an_honest_client_is_far_from_a_false_alarm(question: Question) -> None:
    # At a risk of one half for the question, the expected counts must still be within the claim and the design.
    finding = judge(question, honest, risk=0.5)
    assert (finding.verdict, finding.design) == ("consistent", "stated")


@every_question
def test_a_client_that_keeps_the_truth_too_often_is_violated_with_room_to_spare(question: Question) -> None:
    finding = judge(question, broken)
    assert (finding.verdict, finding.design) == ("violated", "different")
    # At a risk of one in 10^8, stricter by 2 standard errors: most samples are detected, not only the expected one.
    assert judge(question, broken, risk=1e-8).verdict == "violated"


@every_question
def test_a_client_that_is_too_noisy_keeps_its_claim_but_not_its_design(question: Question) -> None:
    finding = judge(question, noisier, risk=1e-8)
    assert (finding.verdict, finding.design) == ("consistent", "different")


@every_question
def test_a_client_that_sends_always_the_same_shows_nothing_and_is_not_as_stated(question: Question) -> None:
    always = next(iter(honest(question.design, contrast_of(question).codes[0])))
    finding = judge(question, lambda *_: {always: Fraction(1)})
    assert (finding.lower, finding.event, finding.verdict) == (0.0, "none", "consistent")
    assert finding.design == "different"


def test_a_client_that_sends_the_answer_is_violated_far_beyond_its_claim() -> None:
    finding = judge(QUESTIONS[0], lambda _, code: {str(code): Fraction(1)})
    assert finding.lower > 5
    assert finding.upper is None


def test_the_difference_says_what_was_counted_and_what_was_stated() -> None:
    told = judge(QUESTIONS[0], lambda *_: {"1": Fraction(1)}).difference
    assert told == "cheated is 0: 0 of 60000, not about 30000"


def test_the_upper_bound_holds_for_small_domains_and_is_left_out_for_others() -> None:
    findings = {question.id: judge(question, honest) for question in QUESTIONS}
    small = {"cheated", "asked", "way", "stress", "pain", "mood"}
    assert {name for name, finding in findings.items() if finding.upper is not None} == small
    for finding in findings.values():
        assert finding.upper is None or finding.upper > finding.claimed
        assert finding.upper_if_symmetric is not None
        assert finding.upper_if_symmetric > finding.claimed


def test_the_event_that_shows_most_is_named() -> None:
    assert judge(QUESTIONS[0], broken).event == SPEAKS
    [noise] = [question for question in QUESTIONS if question.id == "noise"]
    assert judge(noise, broken).event == EXACT


def test_a_repeated_question_is_held_to_the_epsilon_of_one_wave() -> None:
    finding = judge(WAVES, honest)
    assert isinstance(WAVES.design, Repeated)
    assert (finding.claim, finding.claimed) == ("one wave", float(WAVES.design.once))
    assert finding.claimed < float(WAVES.design.epsilon)


def left_out(of_first: Fraction, of_others: Fraction) -> Client:
    """Return a client that leaves the question out, with one probability for the first answer and one for others."""

    def client(design: Design, code: Code) -> Law:
        share = of_first if code == 0 else of_others
        return {**{draw: p * (1 - share) for draw, p in honest(design, code).items()}, design.blank: share}

    return client


def test_leaving_a_question_out_because_of_its_answer_is_found() -> None:
    [asked] = [question for question in QUESTIONS if question.id == "asked"]
    finding = judge(asked, left_out(Fraction(9, 10), Fraction(1, 10)), asked=0.3)
    # A report for the other answer is 9 times as likely because it is sent at all, and E times as usual.
    assert finding.claimed + log(5) < finding.lower < finding.claimed + log(9)
    assert finding.runs < min(planned(asked)) / 9
    assert finding.design == "different"


def test_leaving_a_question_out_more_often_than_stated_is_found() -> None:
    [asked] = [question for question in QUESTIONS if question.id == "asked"]
    often, stated = (left_out(share, share) for share in (Fraction(7, 10), Fraction(2, 3)))
    finding = judge(asked, often, asked=1 / 3)
    assert (finding.verdict, finding.design) == ("consistent", "different")
    assert judge(asked, stated, asked=1 / 3).design == "stated"


def test_more_questions_share_the_same_risk() -> None:
    question = Question("q", "q?", YesNo(), warner(epsilon="1"))
    assert judge(question, honest, risk=0.005).lower > judge(question, honest, risk=0.005 / 50).lower


def test_json_has_the_names_of_the_contract() -> None:
    written = judge(QUESTIONS[0], honest).to_json()
    assert written.keys() >= {"claimed", "lower", "upper", "runs", "verdict", "design", "difference"}
    assert (written["runs"], written["verdict"], written["inputs"]) == (3 * RUNS, "consistent", 2)
    assert (written["design"], written["difference"]) == ("stated", None)


def test_no_difference_is_never_real() -> None:
    assert not NO_DIFFERENCE.is_real
