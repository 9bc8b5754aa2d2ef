"""Chances of counts: never below the true tails, which are computed here from the law of the counts."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

from hushpoll_server.audit.chances import chance_beyond, chance_together


def law_of_sum(rates: list[float]) -> list[float]:
    """Return the probabilities of the sum of independent bits."""
    law = [1.0]
    for rate in rates:
        law = [a * (1 - rate) + b * rate for a, b in zip([*law, 0.0], [0.0, *law], strict=True)]
    return law


@pytest.mark.parametrize(
    "rates", [[0.3] * 40, [0.01] * 30 + [0.9] * 10, [0.5] * 64, [1e-3] * 50, [0.0] * 20 + [0.2] * 20, [1.0] * 5]
)
def test_a_count_of_unequal_bits_is_never_called_less_likely_than_it_is(rates: list[float]) -> None:
    law, n, mean = law_of_sum(rates), len(rates), sum(rates)
    counts = np.arange(n + 1, dtype=np.float64)
    chances = chance_beyond(counts, np.array(float(n)), np.array(mean))
    for count, chance in enumerate(chances.tolist()):
        tail = sum(law[count:]) if count > mean else sum(law[: count + 1])
        assert chance >= min(1, tail) * (1 - 1e-9)


def test_equal_bits_have_exactly_twice_the_binomial_tail() -> None:
    tail = sum(Fraction(comb(40, count), 2**40) for count in range(33, 41))
    [chance] = chance_beyond(np.array([33.0]), np.array([40.0]), np.array([20.0]))
    assert chance == pytest.approx(float(2 * tail), rel=1e-9)


def test_what_the_design_rules_out_has_no_chance_and_what_it_expects_is_certain() -> None:
    counts, means = np.array([1.0, 99.0, 0.0, 100.0, 51.0]), np.array([0.0, 100.0, 0.0, 100.0, 50.0])
    assert chance_beyond(counts, np.array(100.0), means).tolist() == [0, 0, 1, 1, 1]


def test_a_rare_event_that_happens_once_has_at_most_its_mean_as_chance() -> None:
    [chance] = chance_beyond(np.array([1.0]), np.array([1000.0]), np.array([1e-6]))
    assert 1e-6 <= chance <= 2.1e-6


@pytest.mark.parametrize(("lines", "first", "second"), list(product([30], [3, 10, 15, 22, 30], [5, 15, 29])))
def test_two_things_at_once_are_never_called_less_likely_than_they_are(lines: int, first: int, second: int) -> None:
    least, most = max(0, first + second - lines), min(first, second)
    law = {
        both: comb(first, both) * comb(lines - first, second - both) / comb(lines, second)
        for both in range(least, most + 1)
    }
    for both in law:
        [[chance]] = chance_together(
            np.array([[float(both)]]), np.array([float(first)]), np.array([float(second)]), lines
        )
        mean = first * second / lines
        tail = sum(p for count, p in law.items() if (count >= both if both > mean else count <= both))
        assert chance >= min(1, tail) * (1 - 1e-9)


def test_two_things_that_always_come_together_are_noticed() -> None:
    [[chance]] = chance_together(np.array([[50.0]]), np.array([50.0]), np.array([50.0]), 100)
    assert 0 < chance < 1e-9
