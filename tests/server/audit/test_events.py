"""Events show the whole ratio: by the law of the draws that the tests write down, not by what the audit assumes."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from tests.mechanisms.cases import Law, choices, law_of
from tests.mechanisms.test_channel import channel_with_extras, exact_channel, wide_channel
from tests.samples.designs import warner
from tests.samples.surveys import two_questions
from tests.vectors.surveys import epsilon, every_type

from hushpoll_server.audit.events import BLANK, EXACT, SPEAKS, Events
from hushpoll_server.audit.inputs import contrast_of
from hushpoll_server.audit.runs import Runs
from hushpoll_server.mechanisms import Mechanism, mechanism_for, mechanism_of
from hushpoll_server.mechanisms.ball import BallMechanism
from hushpoll_server.mechanisms.laplace import LaplaceMechanism
from hushpoll_server.mechanisms.mechanism import Side
from hushpoll_server.mechanisms.privset import PrivSetMechanism
from hushpoll_server.mechanisms.repeated import RepeatedMechanism
from hushpoll_server.mechanisms.square_wave import SquareWaveMechanism
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_shared.mechanisms import Ball, Draw, Projective
from hushpoll_shared.mechanisms.domains import Code
from hushpoll_shared.question_types import EXTRAS, MultiChoice, Number, YesNo
from hushpoll_shared.randomness import SPAN

FOR, NEITHER, AGAINST = Side.FOR, Side.NEITHER, Side.AGAINST
NOTHING, EVERYTHING = (0, 0, 0, 0), (1, 1, 1, 1)
ENDS = (Fraction(0), Fraction(1))
TICKS, TWO_TICKS = MultiChoice(choices(4).options), MultiChoice(choices(4).options, 2)
NUMBER, SHAPE = Number("0", "1"), Number("0", "1", "distribution")
NUMBER_OR_NOT, SHAPE_OR_NOT = Number("0", "1", "mean", EXTRAS), Number("0", "1", "distribution", EXTRAS)

WARNER = mechanism_for(YesNo(), warner(odds="3:1"))
BALL = mechanism_for(TICKS, BallMechanism.of(epsilon("2"), 4))
WIDE = mechanism_for(NUMBER, wide_channel())
TELLING = mechanism_for(NUMBER_OR_NOT, channel_with_extras())
LAPLACE = mechanism_for(NUMBER, LaplaceMechanism.of(epsilon("1")))
WAVE = mechanism_for(SHAPE, SquareWaveMechanism.of(epsilon("1"), 16, 4))
CASES: list[tuple[Mechanism[Any], tuple[Code, ...]]] = [
    (WARNER, (0, 1)),
    (mechanism_for(choices(4), SubsetMechanism.of(epsilon("1"), 4)), (0, 1, 2, 3)),
    (mechanism_for(choices(5), SubsetMechanism.of(epsilon("0.5"), 5)), (0, 2, 4)),
    (mechanism_for(choices(13), Projective(13, 3, 3, SPAN * 55 // 100)), (0, 5, 12)),
    (BALL, (NOTHING, EVERYTHING, (1, 0, 0, 0))),
    (mechanism_for(TICKS, Ball(4, 3, 2, SPAN * 3 // 4)), (NOTHING, EVERYTHING)),
    (mechanism_for(TWO_TICKS, PrivSetMechanism.of(epsilon("1"), 4, 2)), (NOTHING, (1, 1, 0, 0), (0, 0, 1, 1))),
    (mechanism_for(TWO_TICKS, PrivSetMechanism.of(epsilon("1"), 4, 2, 3)), (NOTHING, (1, 1, 0, 0))),
    (mechanism_for(NUMBER, exact_channel()), ENDS),
    (WIDE, ENDS),
    (TELLING, ENDS),
    (LAPLACE, ENDS),
    (mechanism_for(SHAPE_OR_NOT, SquareWaveMechanism.of(epsilon("1"), 16, 4, 2)), (*ENDS, 0, 1)),
    (WAVE, (*ENDS, Fraction(1, 2))),
    (mechanism_for(choices(3), RepeatedMechanism.of(epsilon("1"), epsilon("2"), 3)), (0, 1, 2)),
]
every_case = pytest.mark.parametrize(("mechanism", "codes"), CASES, ids=lambda value: getattr(value, "name", ""))


def sides(events: Events, draw: Draw) -> tuple[Side, ...]:
    return tuple(events.side(place, draw) for place in range(len(events.codes)))


def exact(events: Events, draw: Draw) -> tuple[bool, ...]:
    return tuple(events.is_exact(place, draw) for place in range(len(events.codes)))


def probability(events: Events, x: int, other: int, law: Law) -> Fraction:
    """Return the probability of a draw that speaks for one input and against the other."""
    separating = {draw: (events.side(x, draw), events.side(other, draw)) == (FOR, AGAINST) for draw in law}
    return sum((p for draw, p in law.items() if separating[draw]), start=Fraction(0))


@every_case
def test_draws_for_one_input_and_against_another_have_the_whole_odds(
    mechanism: Mechanism[Any], codes: tuple[Code, ...]
) -> None:
    events, laws = Events(mechanism, codes), [law_of(mechanism.design, code) for code in codes]
    once, _ = mechanism.bounds
    for x, other in permutations(range(len(codes)), 2):
        here, there = (probability(events, x, other, laws[place]) for place in (x, other))
        # Tables are rounded to integers over 2^64.
        assert float(here / there) == pytest.approx(float(once.odds), rel=1e-9)


@every_case
def test_they_are_frequent_enough_to_be_measured(mechanism: Mechanism[Any], codes: tuple[Code, ...]) -> None:
    events = Events(mechanism, codes)
    assert probability(events, 0, 1, law_of(mechanism.design, codes[0])) > Fraction(1, 10)


@every_case
def test_every_draw_belongs_to_known_events_only(mechanism: Mechanism[Any], codes: tuple[Code, ...]) -> None:
    events, law = Events(mechanism, codes), law_of(mechanism.design, codes[0])
    names = {name for draw in law for name in events.plain(draw)}
    # All occur, and a blank report too.
    assert len(names) <= events.number - 1
    assert names >= set(events.parts)


@every_case
def test_the_marks_of_the_runs_are_as_likely_as_the_events_say(
    mechanism: Mechanism[Any], codes: tuple[Code, ...]
) -> None:
    events = Events(mechanism, codes, asked=0.25)
    for place, code in enumerate(codes):
        law = {draw: p / 4 for draw, p in law_of(mechanism.design, code).items()} | {
            mechanism.design.blank: Fraction(3, 4)
        }
        each = np.arange(len(law), dtype=np.int32)
        runs = Runs(events, np.full_like(each, place), np.full_like(each, -1), each, tuple(law), np.ones_like(each))
        likely = np.array([float(p) for p in law.values()]) @ runs.marks
        assert likely.tolist() == pytest.approx(events.chances[place].tolist(), abs=1e-12)


def test_laplace_noise_beyond_an_end_shows_the_whole_odds() -> None:
    design, events = LAPLACE.design, Events(LAPLACE, ENDS)
    draws = [f"{output:0{design.width}x}" for output in range(design.outputs)]
    assert {sides(events, draw) for draw in draws[: design.reach + 1]} == {(FOR, AGAINST)}
    assert {sides(events, draw) for draw in draws[design.reach + design.steps :]} == {(AGAINST, FOR)}
    inside = draws[design.reach + 1 : design.reach + design.steps]
    assert {sides(events, draw) for draw in inside} == {(NEITHER, NEITHER)}


def test_the_truth_itself_is_an_event_of_its_own_where_there_is_one() -> None:
    assert exact(Events(BALL, (NOTHING, EVERYTHING)), "-00-") == (True, False)
    assert exact(Events(WIDE, ENDS), "3") == (False, True)
    assert exact(Events(TELLING, ENDS), "4") == (False, True)
    laplace = LAPLACE.design
    assert exact(Events(LAPLACE, ENDS), f"{laplace.reach:0{laplace.width}x}") == (True, False)
    assert exact(Events(WAVE, ENDS), "04") == (True, False)
    assert not Events(WARNER, (0, 1)).has_exact


def test_an_extra_is_not_the_number_that_has_the_same_code() -> None:
    events = Events(TELLING, (Fraction(0), 0))
    assert exact(events, "3") == (True, False)
    assert events.chances[0].tolist() != events.chances[1].tolist()


def test_a_blank_report_speaks_for_nobody() -> None:
    for question in every_type():
        blank, codes = question.design.blank, contrast_of(question).codes
        events = Events(mechanism_of(question), codes)
        assert sides(events, blank) == (NEITHER,) * len(codes)
        assert events.plain(blank) == [BLANK]
        assert not any(exact(events, blank))


def test_many_outputs_are_not_looked_at_one_by_one() -> None:
    [code] = [question for question in every_type() if question.id == "code"]
    events = Events(mechanism_of(code), (0, 1))
    assert not events.few_outputs
    assert events.number == 1
    assert events.marks == (SPEAKS,)
    warner_events = Events(mechanism_of(two_questions().questions[0]), (0, 1))
    assert warner_events.plain("1") == ["is 1"]
    assert warner_events.marks == ("is 0", "is 1", SPEAKS)


def test_where_questions_may_be_left_out_a_blank_is_a_mark() -> None:
    assert Events(WIDE, ENDS, asked=0.5).marks[-3:] == (BLANK, SPEAKS, EXACT)
