"""Shuffling: the bounds against published values, against a sum over everything, and against what they bound."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from hushpoll_server.plan.shuffling import (
    Crowd,
    any_randomizer,
    central_epsilon,
    closed_bound,
    divergence,
    local_epsilon,
    warner_blanket,
)
from hushpoll_shared.errors import InvalidValue

TEN_THOUSAND = Crowd(10_000, 1e-6)


def test_the_three_bounds_have_the_known_values() -> None:
    # From the code of Feldman, McMillan and Talwar, and a blanket computed apart from this module
    assert closed_bound(1.0, TEN_THOUSAND) == pytest.approx(0.214026, abs=5e-7)
    assert central_epsilon(1.0, TEN_THOUSAND, hiding=any_randomizer) == pytest.approx(0.0530053, abs=5e-8)
    assert central_epsilon(1.0, TEN_THOUSAND) == pytest.approx(0.0432062, abs=5e-8)


@pytest.mark.parametrize("hiding", [any_randomizer, warner_blanket])
@pytest.mark.parametrize(("n", "local", "central"), [(2, 1.0, 0.3), (12, 1.0, 0.2), (30, 2.0, 0.9), (30, 0.3, 0.0)])
def test_the_divergence_is_the_sum_over_all_pairs(n: int, local: float, central: float, hiding: object) -> None:
    clones = hiding(local)  # type: ignore[operator]
    keep = math.exp(local) / (1 + math.exp(local))
    total = 0.0
    for c in range(n):
        law = binom.pmf(np.arange(-1, c + 2), c, 0.5)
        p, q = keep * law[:-1] + (1 - keep) * law[1:], (1 - keep) * law[:-1] + keep * law[1:]
        total += binom.pmf(c, n - 1, clones) * np.maximum(0, p - math.exp(central) * q).sum()
    assert divergence(central, local, Crowd(n, 1e-6), clones) == pytest.approx(total, rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("ones", [0, 7, 20, 39])
@pytest.mark.parametrize("local", [0.5, 1.0, 3.0])
def test_what_shuffled_warner_reports_really_leak_is_never_more_than_the_blanket(ones: int, local: float) -> None:
    # A shuffled batch tells the number of yes and nothing else: its exact law for two neighbouring tables
    keep, n = math.exp(local) / (1 + math.exp(local)), 40
    others = np.convolve(
        binom.pmf(np.arange(ones + 1), ones, keep), binom.pmf(np.arange(n - ones), n - 1 - ones, 1 - keep)
    )
    yes, no = (np.convolve(others, [1 - p, p]) for p in (keep, 1 - keep))
    for central in (0.1 * local, 0.5 * local):
        bound = divergence(central, local, Crowd(n, 1e-6), warner_blanket(local))
        for one, other in ((yes, no), (no, yes)):
            assert np.maximum(0, one - math.exp(central) * other).sum() <= bound * (1 + 1e-9)


def test_the_bounds_are_in_order() -> None:
    for local in (0.2, 1.0, 2.0):
        bounds = [
            central_epsilon(local, TEN_THOUSAND),
            central_epsilon(local, TEN_THOUSAND, hiding=any_randomizer),
            closed_bound(local, TEN_THOUSAND),
        ]
        assert bounds == sorted(bounds)
        assert bounds[-1] <= local


def test_a_search_ends_on_the_side_of_privacy() -> None:
    central = central_epsilon(1.0, TEN_THOUSAND)
    assert divergence(central, 1.0, TEN_THOUSAND, warner_blanket(1.0)) <= TEN_THOUSAND.delta
    local = local_epsilon(0.5, TEN_THOUSAND)
    assert divergence(0.5, local, TEN_THOUSAND, warner_blanket(local)) <= TEN_THOUSAND.delta
    assert central_epsilon(local, TEN_THOUSAND) == pytest.approx(0.5, rel=1e-6)


def test_the_closed_form_adds_nothing_where_it_does_not_apply() -> None:
    assert closed_bound(5.0, Crowd(1_000, 1e-6)) == 5.0


def test_a_crowd_that_cannot_be_computed_is_refused() -> None:
    with pytest.raises(InvalidValue, match="from 2 to"):
        Crowd(1, 1e-6)
    for delta in (0.0, 1.0, 1e-15, math.nan):
        with pytest.raises(InvalidValue, match="delta must be at least"):
            Crowd(100, delta)
