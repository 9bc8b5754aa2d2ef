"""Events show the whole ratio: by the exact law of the real draws, not by what the audit believes of them."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest
from tests.support.laws import Law, law
from tests.support.make_design_vectors import channel_with_extras, epsilon, every_type, exact_channel, wide_channel
from tests.support.surveys import two_questions

from hushpoll_server.audit.events import AGAINST, BLANK, FOR, Events
from hushpoll_server.audit.inputs import Code, contrast_of
from hushpoll_shared.designs import Ball, Design, Laplace, Padded, Projective, Subset, Warner, Wave
from hushpoll_shared.randomness import SPAN

NOTHING, EVERYTHING = (0, 0, 0, 0), (1, 1, 1, 1)
ENDS = (Fraction(0), Fraction(1))
CASES: list[tuple[Design, tuple[Code, ...]]] = [
    (Warner.from_odds("3:1"), (0, 1)),
    (Warner(SPAN // 4), (0, 1)),
    (Subset.from_bound(epsilon("1"), 4), (0, 1, 2, 3)),
    (Subset.from_bound(epsilon("0.5"), 5), (0, 2, 4)),
    (Projective(13, 3, 3, SPAN * 55 // 100), (0, 5, 12)),
    (Ball.from_bound(epsilon("2"), 4), (NOTHING, EVERYTHING, (1, 0, 0, 0))),
    (Ball(4, 3, 2, SPAN * 3 // 4), (NOTHING, EVERYTHING)),
    (Padded.from_bound(epsilon("1"), 4, 2), (NOTHING, (1, 1, 0, 0), (0, 0, 1, 1))),
    (Padded(4, 2, 3, SPAN * 3 // 4), (NOTHING, (1, 1, 0, 0))),
    (exact_channel(), ENDS),
    (wide_channel(), ENDS),
    (channel_with_extras(), ENDS),
    (Wave.from_bound(epsilon("1"), 16, 4, 2), (*ENDS, 0, 1)),
    (Wave.from_bound(epsilon("1"), 16, 4), (*ENDS, Fraction(1, 2))),
]
every_case = pytest.mark.parametrize(("design", "codes"), CASES, ids=lambda value: getattr(value, "NAME", ""))


def probability(events: Events, x: int, other: int, reports: Law) -> Fraction:
    """Give the probability of a report that speaks for x and against the other."""
    sides = {draw: events.sides(draw) for draw in reports}
    return sum(
        (p for draw, p in reports.items() if (sides[draw][x], sides[draw][other]) == (FOR, AGAINST)), start=Fraction(0)
    )


@every_case
def test_reports_for_one_input_and_against_another_have_the_whole_odds(design: Design, codes: tuple[Code, ...]) -> None:
    events, laws = Events(design, codes), [law(design, code) for code in codes]
    for x, other in permutations(range(len(codes)), 2):
        here, there = (probability(events, x, other, laws[place]) for place in (x, other))
        # Tables are rounded to integers over 2^64.
        assert float(here / there) == pytest.approx(float(design.odds), rel=1e-9)


@every_case
def test_they_are_frequent_enough_to_be_measured(design: Design, codes: tuple[Code, ...]) -> None:
    events = Events(design, codes)
    assert probability(events, 0, 1, law(design, codes[0])) > Fraction(1, 10)


@every_case
def test_every_report_belongs_to_known_events_only(design: Design, codes: tuple[Code, ...]) -> None:
    events = Events(design, codes)
    names = {name for draw in law(design, codes[0]) for name in events.plain(draw)}
    # All are seen, and a blank report beside them.
    assert len(names) <= events.number - 1
    assert sum(events.is_output(name) for name in names) == (events.outputs if events.few_outputs else 0)


def test_laplace_noise_beyond_an_end_shows_the_whole_odds() -> None:
    design = Laplace.from_bound(epsilon("1"))
    events = Events(design, ENDS)
    draws = [f"{output:0{design.width}x}" for output in range(design.outputs)]
    assert {events.sides(draw) for draw in draws[: design.reach + 1]} == {(FOR, AGAINST)}
    assert {events.sides(draw) for draw in draws[design.reach + design.steps :]} == {(AGAINST, FOR)}
    assert {events.sides(draw) for draw in draws[design.reach + 1 : design.reach + design.steps]} == {(0, 0)}


def test_the_truth_itself_is_an_event_of_its_own_where_there_is_one() -> None:
    assert Events(CASES[5][0], (NOTHING, EVERYTHING)).exact("-00-") == (True, False)
    assert Events(wide_channel(), ENDS).exact("3") == (False, True)
    assert Events(channel_with_extras(), ENDS).exact("4") == (False, True)
    laplace = Laplace.from_bound(epsilon("1"))
    assert Events(laplace, ENDS).exact(f"{laplace.reach:0{laplace.width}x}") == (True, False)
    assert Events(CASES[-1][0], ENDS).exact("04") == (True, False)
    assert not Events(CASES[0][0], (0, 1)).has_exact


def test_a_blank_report_speaks_for_nobody() -> None:
    for question in every_type()[1:]:
        events = Events(question.design, tuple(given.code for given in contrast_of(question).inputs))
        assert set(events.sides(question.design.blank)) == {0}
        assert events.plain(question.design.blank) == [BLANK]
        if events.has_exact:
            assert not any(events.exact(question.design.blank))


def test_many_outputs_are_not_looked_at_one_by_one() -> None:
    [code] = [question for question in every_type() if question.id == "code"]
    events = Events(code.design, (0, 1))
    assert not events.few_outputs
    assert events.number == 1
    assert Events(two_questions().questions[0].design, (0, 1)).number == 3
