"""Bulk draws have exactly the law of single ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest
from tests.server.bulk.streams import FixedKeystream, GivenBytes, surprise

from hushpoll_server.bulk import randomize
from hushpoll_shared.errors import InvalidValue

# The streams are fixed, so these tests pass always or never; a fresh stream would fail with this probability.
UNLIKELY = 1e-6
THRESHOLD = 2**64 * 3 // 5
NUMBER = 60_000


def test_an_index_is_the_own_one_or_one_of_the_others_without_it() -> None:
    below, above = np.uint64(0), np.uint64(2**64 - 1)
    # Two bytes each: the third, the first and the last of the other three categories of code 1, which are 0, 2, 3.
    others = np.array([2**16 - 1, 1, 2**16 - 1], np.uint16)
    source = GivenBytes(np.array([below, above, above]), others)
    assert randomize.index(np.array([1, 1, 1]), size=4, threshold=1, source=source).tolist() == [1, 0, 3]


@pytest.mark.parametrize("code", range(5))
def test_indices_have_their_law(code: int) -> None:
    drawn = randomize.index(np.full(NUMBER, code), size=5, threshold=THRESHOLD, source=FixedKeystream(code))
    expected = np.full(5, NUMBER * 0.4 / 4)
    expected[code] = NUMBER * 0.6
    assert surprise(np.bincount(drawn, minlength=5), expected) > UNLIKELY


def test_indices_take_the_smallest_type_that_holds_them() -> None:
    codes = np.zeros(3, np.int64)
    drawn = [randomize.index(codes, size=size, threshold=THRESHOLD) for size in (2, 256, 257, 100_000)]
    assert [indices.dtype for indices in drawn] == [np.uint8, np.uint8, np.uint16, np.uint32]


@pytest.mark.parametrize("code", [0, 2, 4])
def test_subsets_have_their_law_whether_they_hold_the_truth_or_not(code: int) -> None:
    codes = np.full(NUMBER, code)
    masks = randomize.subset(codes, size=5, picks=2, threshold=THRESHOLD, source=FixedKeystream(code))
    sets = list(combinations(range(5), 2))
    mask_of = [sum(128 >> member for member in members) for members in sets]
    expected = [NUMBER * (0.6 / comb(4, 1) if code in members else 0.4 / comb(4, 2)) for members in sets]
    times = Counter(masks[:, 0].tolist())
    assert surprise([times[mask] for mask in mask_of], expected) > UNLIKELY


def test_a_mask_is_what_the_wire_holds() -> None:
    # Nine categories in two bytes: category 0 is the highest bit of the first, category 8 of the second.
    masks = randomize.subset(np.array([8, 0]), size=9, picks=8, threshold=2**64 - 1, source=FixedKeystream())
    bits = [[byte >> (7 - place) & 1 for byte in row for place in range(8)] for row in masks.tolist()]
    assert [sum(row) for row in bits] == [8, 8]
    assert (bits[0][8], bits[1][0]) == (1, 1)
    assert [row[9:] for row in bits] == [[0] * 7] * 2


@pytest.mark.parametrize(
    "call",
    [
        lambda: randomize.index(np.array([-1]), size=3, threshold=THRESHOLD),
        lambda: randomize.index(np.array([0.5]), size=3, threshold=THRESHOLD),
        lambda: randomize.index(np.array([[0]]), size=3, threshold=THRESHOLD),
        lambda: randomize.index(np.array([0]), size=1, threshold=THRESHOLD),
        lambda: randomize.subset(np.array([0]), size=3, picks=3, threshold=THRESHOLD),
        lambda: randomize.subset(np.array([3]), size=3, picks=1, threshold=THRESHOLD),
    ],
)
def test_what_is_outside_the_domain_is_refused(call: Callable[[], Any]) -> None:
    with pytest.raises(InvalidValue):
        call()
