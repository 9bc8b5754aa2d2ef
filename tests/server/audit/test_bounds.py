"""Bounds on epsilon from two counts."""

from __future__ import annotations

from math import comb, exp, inf, log

import pytest

from hushpoll_server.audit.bounds import least_epsilon, most_epsilon


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
