"""Laplace noise on the server, against its law: the real draws have too many outcomes to enumerate."""

from __future__ import annotations

import math

import pytest
from tests.mechanisms.cases import law_of, places

from hushpoll_server.mechanisms import Bound, mechanism_for
from hushpoll_server.mechanisms.laplace import LaplaceMechanism
from hushpoll_server.mechanisms.mechanism import Side
from hushpoll_shared.question_types import Number


@pytest.mark.parametrize("epsilon", ["0.5", "1", "4", "12"])
def test_the_likeliest_draw_is_as_likely_as_the_alarm_for_equal_reports_takes_it(epsilon: str) -> None:
    design = LaplaceMechanism.of(Bound.of_epsilon(epsilon), 4)
    likeliest = max(max(law_of(design, code).values()) for code in places(5))
    mechanism = mechanism_for(Number("0", "1"), design)
    assert math.exp(mechanism.log_likeliest()) == pytest.approx(float(likeliest), rel=1e-12)


@pytest.mark.parametrize("epsilon", ["0.5", "1", "4"])
def test_a_draw_for_one_end_and_against_the_other_is_as_much_likelier_as_the_odds_say(epsilon: str) -> None:
    design = LaplaceMechanism.of(Bound.of_epsilon(epsilon), 4)
    mechanism, (here, there) = mechanism_for(Number("0", "1"), design), places(2)
    laws, telling = [law_of(design, code) for code in (here, there)], 0
    for draw in laws[0]:
        if (mechanism.side(here, draw), mechanism.side(there, draw)) == (Side.FOR, Side.AGAINST):
            telling += 1
            assert float(laws[0][draw] / laws[1][draw]) == pytest.approx(float(design.odds), rel=1e-9)
    assert telling == design.reach + 1


def test_every_draw_counts_for_its_own_output() -> None:
    mechanism = mechanism_for(Number("0", "1"), LaplaceMechanism.of(Bound.of_epsilon("4"), 4))
    draws = list(law_of(mechanism.design, places(5)[0]))
    assert [mechanism.counters(draw) for draw in draws] == [(draw,) for draw in draws]
    assert len(draws) == mechanism.outputs
