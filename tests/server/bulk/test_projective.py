"""The counts of projective geometry response equal those by brute force."""

from __future__ import annotations

import numpy as np
import pytest

from hushpoll_server.bulk.projective import count_support
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms.projective import number_of_points, point

GEOMETRIES = [(2, 2), (2, 5), (3, 2), (3, 4), (5, 3), (13, 2)]


def all_points(field: int, dimension: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.array([point(index, dimension, field) for index in range(number_of_points(dimension, field))])


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


def test_counts_for_other_points_are_refused() -> None:
    with pytest.raises(InvalidValue, match="one count for each point"):
        count_support(np.zeros(6), size=6, field=2, dimension=3)
