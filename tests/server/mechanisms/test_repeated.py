"""Repeated draws on the server: one wave has the p, the q and the variance of the two draws combined."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from tests.mechanisms.cases import choices, law_of
from tests.mechanisms.test_repeated import of

from hushpoll_server.mechanisms import mechanism_for
from hushpoll_server.mechanisms.repeated import RepeatedMechanism
from hushpoll_shared.epsilon import Epsilon


def mechanism_of_size(size: int) -> RepeatedMechanism:
    mechanism = mechanism_for(choices(size), of("1", "2", size))
    assert isinstance(mechanism, RepeatedMechanism)
    return mechanism


@pytest.mark.parametrize("size", [2, 3, 20])
def test_a_draw_supports_the_truth_with_p_and_every_other_answer_with_q(size: int) -> None:
    mechanism = mechanism_of_size(size)
    p, q = mechanism.design.p, mechanism.design.q
    for code in range(size):
        law = law_of(mechanism.design, code)
        assert [law[draw] for draw in law] == [p if place == code else q for place in range(size)]
        for place, draw in enumerate(law):
            counters = mechanism.count(Counter({draw: 3}))
            assert mechanism.supports(counters) == [3 * int(cell == place) for cell in range(size)]
    assert np.array_equal(mechanism.support_rows(list(law)), np.eye(size))


@pytest.mark.parametrize("size", [2, 3, 20])
def test_the_likeliest_and_the_least_likely_draw_are_those_of_the_law(size: int) -> None:
    mechanism = mechanism_of_size(size)
    law = law_of(mechanism.design, 0)
    assert math.exp(mechanism.log_likeliest()) == pytest.approx(float(max(law.values())), rel=1e-12)
    expected = float(min(law.values())), size
    assert mechanism.least_likely(next(iter(law))) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("size", [2, 3, 20])
def test_the_variance_is_that_of_one_wave_and_not_below_the_bound_for_its_odds(size: int) -> None:
    mechanism = mechanism_of_size(size)
    p, q = float(mechanism.design.p), float(mechanism.design.q)
    # At uniform shares every category is named with the rate 1/k.
    total = size * (1 / size) * (1 - 1 / size) / (p - q) ** 2
    assert mechanism.variance() == pytest.approx(total)
    assert mechanism.variance() >= mechanism.lower_bound() * (1 - 1e-12)


def test_an_audit_holds_a_wave_to_its_own_epsilon_and_a_new_design_keeps_both() -> None:
    mechanism = mechanism_of_size(3)
    assert mechanism.claim == (mechanism.design.once, "one wave")
    once, always = mechanism.bounds
    assert always is not None
    assert (once.epsilon, always.epsilon) == (mechanism.design.once, mechanism.design.epsilon)
    assert once.epsilon <= Epsilon.parse("1") < always.epsilon <= Epsilon.parse("2")
