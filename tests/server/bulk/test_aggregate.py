"""Bulk counts equal counts report by report."""

from __future__ import annotations

import numpy as np
import pytest
from tests.mechanisms.cases import choices
from tests.server.bulk.streams import FixedKeystream

from hushpoll_server.bulk import aggregate
from hushpoll_server.bulk.aggregate import (
    count_indices,
    count_masks,
    supports_of_hex,
    tally_hex,
)
from hushpoll_server.mechanisms import mechanism_for
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms import Subset, wire

THRESHOLD = 2**64 * 3 // 5


def test_indices_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aggregate, "_INDICES_AT_A_TIME", 3)
    assert count_indices(np.array([0, 2, 2, 4, 2, 0, 0], np.uint8), 6).tolist() == [3, 0, 3, 0, 1, 0]


@pytest.mark.parametrize("size", [3, 8, 13, 64, 100, 128])
@pytest.mark.parametrize("number", [0, 1, 255, 256, 257, 1000, 5003])
def test_masks_are_counted_bit_by_bit(size: int, number: int) -> None:
    width = -(-size // 8)
    bits = FixedKeystream(size).take(number * size).reshape(number, size) & 1
    masks = np.packbits(bits, axis=1)
    assert masks.shape[1] == width
    assert count_masks(masks, size).tolist() == bits.sum(axis=0).tolist()


def test_masks_are_counted_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aggregate, "_MASK_BYTES_AT_A_TIME", 4096)
    masks = FixedKeystream().take(16 * 3000).reshape(3000, 16)
    assert count_masks(masks, 128).tolist() == np.unpackbits(masks, axis=1).sum(axis=0).tolist()


def test_full_masks_carry_all_the_way() -> None:
    assert count_masks(np.full((5000, 3), 255, np.uint8), 24).tolist() == [5000] * 24


@pytest.mark.parametrize("design", [Subset(19, 1, THRESHOLD), Subset(10, 3, THRESHOLD), Subset(300, 1, THRESHOLD)])
def test_draws_in_hexadecimal_count_as_their_mechanism_says(design: Subset) -> None:
    mechanism = mechanism_for(choices(design.size), design)
    invent = np.random.default_rng(1)
    draws = [wire.write_set(invent.permutation(design.size)[: design.picks].tolist(), design.size) for _ in range(700)]
    draws[::7] = [design.blank] * len(draws[::7])
    expected = [0] * design.size
    for draw in draws:
        for name in mechanism.counters(draw) if draw != design.blank else ():
            expected[int(name)] += 1
    assert tally_hex(iter(draws), design.size).tolist() == expected


def test_no_draws_count_nothing() -> None:
    assert tally_hex([], 5).tolist() == [0] * 5
    assert tally_hex(["-", "-"], 5).tolist() == [0] * 5


@pytest.mark.parametrize("draw", ["f", "ff00f", "FF00", "0g00", "0 00", "00é0", "001f", "0\u200b00", ""])
def test_draws_that_are_no_masks_are_refused(draw: str) -> None:
    with pytest.raises(InvalidValue):
        tally_hex(["a040", draw], 11)


def test_indices_and_masks_outside_the_domain_are_refused() -> None:
    with pytest.raises(InvalidValue, match="outside"):
        tally_hex(["f"], 15)
    with pytest.raises(InvalidValue, match="beyond"):
        count_masks(np.array([[1]], np.uint8), 7)
    with pytest.raises(InvalidValue, match="bytes"):
        count_masks(np.zeros((1, 2), np.uint8), 8)


@pytest.mark.parametrize("design", [Subset(19, 1, THRESHOLD), Subset(10, 3, THRESHOLD), Subset(16, 5, THRESHOLD)])
def test_rows_of_supports_are_those_of_the_mechanism(design: Subset) -> None:
    mechanism = mechanism_for(choices(design.size), design)
    members = [[(start + step) % design.size for step in range(design.picks)] for start in range(design.size)]
    draws = [wire.write_set(sorted(each), design.size) for each in members]
    rows = supports_of_hex(draws, design.size)
    for draw, row in zip(draws, rows, strict=True):
        assert tuple(map(str, np.flatnonzero(row))) == mechanism.counters(draw)
