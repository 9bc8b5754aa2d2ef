"""Events show the whole ratio: by the law of the draws that the tests write down, not by what the audit assumes."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest
from tests.mechanisms.cases import Law, choices, law_of
from tests.mechanisms.test_channel import channel_with_extras, exact_channel, wide_channel
from tests.samples.designs import warner
from tests.samples.surveys import two_questions
from tests.vectors.surveys import epsilon, every_type

from hushpoll_server.audit.events import BLANK, Events
from hushpoll_server.audit.inputs import contrast_of
from hushpoll_server.mechanisms import Mechanism, mechanism_for, mechanism_of
from hushpoll_server.mechanisms.ball import BallMechanism
from hushpoll_server.mechanisms.laplace import LaplaceMechanism
from hushpoll_server.mechanisms.mechanism import Side
from hushpoll_server.mechanisms.privset import PrivSetMechanism
from hushpoll_server.mechanisms.repeated import RepeatedMechanism
from hushpoll_server.mechanisms.square_wave import SquareWaveMechanism
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_shared.mechanisms import Ball, Projective
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


def probability(events: Events, x: int, other: int, law: Law) -> Fraction:
    """Return the probability of a draw that speaks for one input and against the other."""
    sides = {draw: events.sides(draw) for draw in law}
    return sum(
        (p for draw, p in law.items() if (sides[draw][x], sides[draw][other]) == (FOR, AGAINST)), start=Fraction(0)
    )


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
    assert events.outputs == len(law)
    names = {name for draw in law for name in events.plain(draw)}
    # All occur, and a blank report too.
    assert len(names) <= events.number - 1
    assert sum(events.is_output(name) for name in names) == (events.outputs if events.few_outputs else 0)


def test_laplace_noise_beyond_an_end_shows_the_whole_odds() -> None:
    design, events = LAPLACE.design, Events(LAPLACE, ENDS)
    draws = [f"{output:0{design.width}x}" for output in range(design.outputs)]
    assert {events.sides(draw) for draw in draws[: design.reach + 1]} == {(FOR, AGAINST)}
    assert {events.sides(draw) for draw in draws[design.reach + design.steps :]} == {(AGAINST, FOR)}
    inside = draws[design.reach + 1 : design.reach + design.steps]
    assert {events.sides(draw) for draw in inside} == {(NEITHER, NEITHER)}


def test_the_truth_itself_is_an_event_of_its_own_where_there_is_one() -> None:
    assert Events(BALL, (NOTHING, EVERYTHING)).exact("-00-") == (True, False)
    assert Events(WIDE, ENDS).exact("3") == (False, True)
    assert Events(TELLING, ENDS).exact("4") == (False, True)
    laplace = LAPLACE.design
    assert Events(LAPLACE, ENDS).exact(f"{laplace.reach:0{laplace.width}x}") == (True, False)
    assert Events(WAVE, ENDS).exact("04") == (True, False)
    assert not Events(WARNER, (0, 1)).has_exact


def test_a_blank_report_speaks_for_nobody() -> None:
    for question in every_type():
        blank, codes = question.design.blank, tuple(given.code for given in contrast_of(question).inputs)
        events = Events(mechanism_of(question), codes)
        assert events.sides(blank) == (NEITHER,) * len(codes)
        assert events.plain(blank) == [BLANK]
        assert not any(events.exact(blank))


def test_many_outputs_are_not_looked_at_one_by_one() -> None:
    [code] = [question for question in every_type() if question.id == "code"]
    events = Events(mechanism_of(code), (0, 1))
    assert not events.few_outputs
    assert events.number == 1
    assert Events(mechanism_of(two_questions().questions[0]), (0, 1)).number == 3
