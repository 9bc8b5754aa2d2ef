"""Coins and choices for many reports: exact, draw by draw."""

from __future__ import annotations

import numpy as np
import pytest
from tests.server.bulk.streams import FixedKeystream, GivenBytes

from hushpoll_server.bulk.uniform import bernoulli, uniform
from hushpoll_shared.errors import InvalidValue


def test_a_coin_is_true_below_its_threshold_and_false_from_there_on() -> None:
    threshold = 2**63 + 12345
    draws = np.array([0, threshold - 1, threshold, 2**64 - 1], np.uint64)
    assert bernoulli(GivenBytes(draws), 4, threshold).tolist() == [True, True, False, False]


@pytest.mark.parametrize("threshold", [0, 2**64, -1])
def test_a_coin_that_is_no_coin_is_refused(threshold: int) -> None:
    with pytest.raises(InvalidValue, match="threshold"):
        bernoulli(FixedKeystream(), 1, threshold)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 127, 128, 1000, 4095, 4096])
def test_over_all_draws_of_two_bytes_every_number_comes_equally_often(size: int) -> None:
    # All 65536 values once; then the same values for the rejected draws, of which the first must not be rejected.
    every = np.arange(2**16, dtype=np.uint16)
    accepted = np.full(2**16, 2**16 - 1, np.uint16)
    refused = 2**16 % size
    numbers = uniform(GivenBytes(every, accepted), 2**16, size)
    counts = np.bincount(numbers, minlength=size)
    counts[size - 1] -= refused
    assert set(counts.tolist()) == {2**16 // size}


def test_large_sizes_draw_four_bytes_and_reach_both_ends() -> None:
    size = 3_000_000_000
    ends = np.array([2**32 - 1, 2], np.uint32)
    assert uniform(GivenBytes(ends), 2, size).tolist() == [size - 1, 1]
    # 1·size mod 2^32 ≥ 2^32 mod size keeps a draw; 0 does not.
    again = np.array([0], np.uint32), np.array([2**32 - 1], np.uint32)
    assert uniform(GivenBytes(*again), 1, size).tolist() == [size - 1]


@pytest.mark.parametrize("size", [0, -1, 2**32 + 1])
def test_a_choice_among_nothing_or_too_much_is_refused(size: int) -> None:
    with pytest.raises(InvalidValue, match="between 1 and"):
        uniform(FixedKeystream(), 1, size)
