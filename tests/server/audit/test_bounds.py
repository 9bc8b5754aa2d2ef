"""Bounds on epsilon from two counts."""

from __future__ import annotations

from math import comb, exp, inf, log

import numpy as np
import pytest

from hushpoll_server.audit.bounds import largest_epsilon, least_epsilon, most_epsilon


def tail(n: int, rate: float, least: int) -> float:
    """Return P(at least this many of n)."""
    return sum(comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(least, n + 1))


def test_the_lower_bound_is_the_ratio_of_two_exact_limits() -> None:
    bound = float(least_epsilon(40, 50, 10, 50, 0.05))
    # Both limits have binomial tails of 0.025: by symmetry the upper limit of 10 is one minus the lower limit of 40.
    low = next(rate / 1e4 for rate in range(10_000) if tail(50, rate / 1e4, 40) >= 0.025)
    assert bound == pytest.approx(log(low / (1 - low)), abs=1e-3)


def test_the_upper_bound_turns_the_two_counts_around() -> None:
    assert float(most_epsilon(40, 50, 10, 50, 0.05)) == -float(least_epsilon(10, 50, 40, 50, 0.05))
    assert float(most_epsilon(40, 50, 10, 50, 0.05)) > log(4)


def test_what_was_never_seen_bounds_nothing() -> None:
    assert float(least_epsilon(0, 50, 10, 50, 0.05)) == -inf
    assert float(most_epsilon(40, 50, 0, 50, 0.05)) == inf


def test_a_client_at_its_claim_is_wronged_no_more_often_than_the_risk() -> None:
    # Exact: two binomial counts of 20 with rates in the ratio 3:1, all outcomes weighted.
    n, high, low, risk = 20, 0.6, 0.2, 0.2
    wrong = sum(
        comb(n, a) * high**a * (1 - high) ** (n - a) * comb(n, b) * low**b * (1 - low) ** (n - b)
        for a in range(n + 1)
        for b in range(n + 1)
        if exp(float(least_epsilon(a, n, b, n, risk))) > high / low
    )
    assert 0 < wrong <= risk


def test_the_largest_of_many_bounds_is_found_with_its_place() -> None:
    favourable, adverse, runs = np.array([50.0, 90.0, 60.0]), np.array([50.0, 3.0, 40.0]), np.full(3, 100.0)
    bound, place = largest_epsilon(favourable, runs, adverse, runs, 0.01)
    assert (bound, place) == (float(least_epsilon(90, 100, 3, 100, 0.01)), 1)


def test_the_largest_of_many_bounds_is_found_among_more_than_are_computed() -> None:
    source, runs = np.random.default_rng(1), np.full(2000, 500.0)
    favourable, adverse = (source.binomial(500, rate, 2000).astype(np.float64) for rate in (0.3, 0.2))
    every = least_epsilon(favourable, runs, adverse, runs, 1e-4)
    assert largest_epsilon(favourable, runs, adverse, runs, 1e-4) == (float(every.max()), int(every.argmax()))


def test_no_comparison_bounds_nothing() -> None:
    none, never = np.zeros(0), np.zeros(3)
    assert largest_epsilon(none, none, none, none, 0.01) == (-inf, -1)
    assert largest_epsilon(never, never, never, never, 0.01)[0] == -inf
