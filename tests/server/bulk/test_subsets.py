"""Random subsets: every set of the right size is equally likely, whichever way it is drawn."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from tests.server.bulk.streams import FixedKeystream, GivenBytes, surprise

from hushpoll_server.bulk import subsets
from hushpoll_server.bulk.keystream import Bytes
from hushpoll_server.bulk.subsets import draw_masks, layout_of

# The streams are fixed, so these tests pass always or never; a fresh stream would fail with this probability.
UNLIKELY = 1e-6


def draw(number: int, size: int, picks: int, *, code: int, keep: bool, key: int = 0) -> Bytes:
    codes, kept = np.full(number, code), np.full(number, keep)
    return draw_masks(FixedKeystream(key), codes, kept, size=size, picks=picks)


def times_of_sets(masks: Bytes, size: int, picks: int) -> dict[tuple[int, ...], int]:
    sets = np.nonzero(np.unpackbits(masks, axis=1, count=size))[1].reshape(-1, picks)
    found, times = np.unique(sets, axis=0, return_counts=True)
    return {tuple(members): int(number) for members, number in zip(found.tolist(), times, strict=True)}


@pytest.mark.parametrize(("size", "picks"), [(4, 2), (5, 2), (6, 4), (8, 3), (9, 7)])
@pytest.mark.parametrize("keep", [True, False])
def test_sets_drawn_one_by_one_are_uniform(size: int, picks: int, keep: bool) -> None:
    _check_uniform(size, picks, keep=keep)


@pytest.mark.parametrize(("size", "picks"), [(11, 8), (12, 9), (13, 11)])
@pytest.mark.parametrize("keep", [True, False])
def test_sets_that_begin_with_independent_bits_are_uniform(size: int, picks: int, keep: bool) -> None:
    _check_uniform(size, picks, keep=keep)


@pytest.mark.parametrize("picks", [2, 3, 5])
def test_independent_bits_leave_no_trace_in_small_sets_either(picks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subsets, "_FEWEST_MASKED_PICKS", 0)
    _check_uniform(8, picks, keep=True)
    _check_uniform(8, picks, keep=False)


def test_small_chunks_give_the_same_law(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subsets, "_CHUNK_WORDS", 16)
    monkeypatch.setattr(subsets, "_BLOCK_WORDS", 100)
    _check_uniform(11, 8, keep=False, number=6000)


def _check_uniform(size: int, picks: int, *, keep: bool, number: int = 60_000) -> None:
    code = size // 3
    times = times_of_sets(draw(number, size, picks, code=code, keep=keep), size, picks)
    possible = [members for members in combinations(range(size), picks) if (code in members) == keep]
    assert times.keys() <= set(possible)
    assert surprise([times.get(members, 0) for members in possible], number / len(possible)) > UNLIKELY


def test_pairs_of_categories_are_uniform_at_a_real_size() -> None:
    number, size, picks, code = 20_000, 128, 34, 77
    bits = np.unpackbits(draw(number, size, picks, code=code, keep=False), axis=1).astype(np.float32)
    together = np.delete(bits, code, axis=1).T @ np.delete(bits, code, axis=1)
    both = together[np.triu_indices(size - 1, 1)]
    assert both.sum() == number * comb(picks, 2)
    # Each pair: binomial with this mean. 8001 pairs: the largest of as many normal numbers passes 6.5 once in 10^6.
    chance = comb(picks, 2) / comb(size - 1, 2)
    deviation = np.abs(both - number * chance) / np.sqrt(number * chance * (1 - chance))
    assert deviation.max() < 6.5


def test_reports_are_independent_of_their_neighbours() -> None:
    # The number of common members of two independent sets is hypergeometric: mean d²/(k−1).
    size, picks, number = 64, 17, 40_000
    masks = draw(number, size, picks, code=0, keep=False)
    common = np.bitwise_count(masks[:-1] & masks[1:]).sum(axis=1)
    others = size - 1
    mean = picks**2 / others
    variance = mean * (1 - picks / others) * (others - picks) / (others - 1)
    # Neighbouring overlaps are uncorrelated, so their mean is normal; five standard errors are one in a million.
    assert abs(common.mean() - mean) < 5 * np.sqrt(variance / len(common))


@pytest.mark.parametrize(("size", "picks"), [(2, 1), (63, 17), (64, 17), (65, 17), (200, 54), (257, 100), (1000, 269)])
def test_every_mask_has_its_picks_and_its_own_category_where_the_coin_says_so(size: int, picks: int) -> None:
    codes = np.arange(500) % size
    keep = np.arange(500) % 3 == 0
    masks = draw_masks(FixedKeystream(), codes, keep, size=size, picks=picks)
    bits = np.unpackbits(masks, axis=1)
    assert masks.shape == (500, -(-size // 8))
    assert (bits.sum(axis=1) == picks).all()
    assert not bits[:, size:].any()
    assert (bits[np.arange(500), codes] == keep).all()


@pytest.mark.parametrize("size", [2, 100, 128, 256, 257, 2048])
def test_every_category_is_drawn_by_equally_many_values(size: int) -> None:
    layout = layout_of(size)
    drawn = np.stack([layout.drawn_word.astype(np.uint64), layout.drawn_bit])[:, layout.drawn_bit != 0]
    kinds, times = np.unique(drawn, axis=1, return_counts=True)
    assert kinds.shape[1] == size
    assert set(times.tolist()) == {2 ** (8 * layout.draw.itemsize) // size}


def test_a_category_that_is_there_already_is_drawn_again() -> None:
    # Of four categories the code 0 is blocked; the bytes draw 0, 1, 1, 2.
    source = GivenBytes(np.array([0, 1, 1, 2], np.uint8))
    masks = draw_masks(source, np.array([0]), np.array([False]), size=4, picks=2)
    assert masks.tolist() == [[0b01100000]]
    assert source.rest.size == 0


def test_no_reports_give_no_masks() -> None:
    assert draw(0, 128, 34, code=0, keep=True).shape == (0, 16)
