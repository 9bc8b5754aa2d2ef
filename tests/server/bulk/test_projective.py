"""Projective geometry response in bulk: the law of the draws, and counts that equal brute force."""

from __future__ import annotations

import numpy as np
import pytest
from tests.server.bulk.streams import FixedKeystream, surprise

from hushpoll_server.bulk import randomize
from hushpoll_server.bulk.projective import count_support, index_of, points
from hushpoll_shared.designs.projective import number_of_points
from hushpoll_shared.errors import InvalidValue

GEOMETRIES = [(2, 2), (2, 5), (3, 2), (3, 4), (5, 3), (13, 2)]
# The streams are fixed, so these tests pass always or never; a fresh stream would fail with this probability.
UNLIKELY = 1e-6


def all_points(field: int, dimension: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return points(np.arange(number_of_points(dimension, field)), field=field, dimension=dimension)


def test_points_stand_in_the_order_of_the_wire() -> None:
    expected = [[0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]]
    assert all_points(2, 3).tolist() == expected


@pytest.mark.parametrize(("field", "dimension"), GEOMETRIES)
def test_multiples_of_a_point_are_the_point(field: int, dimension: int) -> None:
    everything = all_points(field, dimension)
    for s in range(1, field):
        assert index_of(everything * s % field, field=field).tolist() == list(range(len(everything)))


@pytest.mark.parametrize(("field", "dimension"), GEOMETRIES)
def test_counts_equal_brute_force(field: int, dimension: int) -> None:
    everything = all_points(field, dimension)
    reported = np.random.default_rng(field).integers(1000, size=len(everything))
    supporting = (everything @ everything.T % field == 0) @ reported
    size = len(everything) - 1
    counts = count_support(reported, size=size, field=field, dimension=dimension)
    assert counts.tolist() == supporting[:size].tolist()


def test_a_large_codebook_is_counted_exactly() -> None:
    field, dimension = 23, 4
    everything = all_points(field, dimension)
    reported = np.random.default_rng(0).integers(10**6, size=len(everything))
    counts = count_support(reported, size=len(everything), field=field, dimension=dimension)
    for category in (0, 1, 24, 600, len(everything) - 1):
        assert counts[category] == reported[everything @ everything[category] % field == 0].sum()


@pytest.mark.parametrize(("field", "dimension", "code"), [(2, 3, 0), (3, 2, 2), (3, 3, 0), (3, 3, 12), (5, 2, 4)])
def test_draws_have_their_law(field: int, dimension: int, code: int) -> None:
    number, threshold = 60_000, 2**64 * 3 // 5
    everything = all_points(field, dimension)
    drawn = randomize.projective(
        np.full(number, code),
        size=len(everything),
        field=field,
        dimension=dimension,
        threshold=threshold,
        source=FixedKeystream(code),
    )
    inside = everything @ everything[code] % field == 0
    expected = np.where(inside, 0.6 / inside.sum(), 0.4 / (~inside).sum()) * number
    assert surprise(np.bincount(drawn, minlength=len(everything)), expected) > UNLIKELY


def test_counts_for_other_points_are_refused() -> None:
    with pytest.raises(InvalidValue, match="one count for each point"):
        count_support(np.zeros(6), size=6, field=2, dimension=3)
