"""Projective geometry response for large codebooks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import pytest
from tests.mechanisms.cases import TABLE_EPSILONS, Case, Law, Row, Vector, choices
from tests.mechanisms.laws import hexadecimal, threshold_of, two_weights
from tests.vectors.mechanisms import broken, categories, exact, mechanism_vectors

from hushpoll_server.mechanisms import Bound, mechanism_for
from hushpoll_server.mechanisms.projective import ProjectiveMechanism
from hushpoll_server.mechanisms.thresholds import largest_threshold
from hushpoll_shared.mechanisms import Projective, wire
from hushpoll_shared.mechanisms.projective import index_of, number_of_points, point


def of_field(bound: Bound, field: int, dimension: int, size: int) -> Projective:
    inside = (field ** (dimension - 1) - 1) // (field - 1)
    return Projective(size, field, dimension, largest_threshold(bound, inside, field ** (dimension - 1)))


CASES = (
    Case("projective plane", choices(11), lambda bound: of_field(bound, 3, 3, 11), tuple(range(11))),
    Case("projective space", choices(15), lambda bound: of_field(bound, 2, 4, 15), tuple(range(15))),
)

STUDIED = {"projective": (choices(40), Projective(40, 3, 4, threshold_of(math.e, 13, 27)))}


def law(design: Projective, code: int) -> Law:
    """Return the law: points orthogonal to the answer share the threshold, the others the rest."""
    points = listed_points(design.field, design.dimension)
    products = (sum(x * y for x, y in zip(points[code], other, strict=True)) for other in points)
    last = len(points) - 1
    near = {hexadecimal(index, last): product % design.field == 0 for index, product in enumerate(products)}
    return two_weights(design.threshold, near)


def listed_points(field: int, dimension: int) -> list[tuple[int, ...]]:
    """Return the vectors whose first digit other than 0 is 1: fewest free digits first, then by number."""
    vectors_ = product(range(field), repeat=dimension)
    points = [vector for vector in vectors_ if any(vector) and next(filter(None, vector)) == 1]
    return sorted(points, key=lambda vector: (dimension - vector.index(1), vector))


def vectors() -> Vector:
    designs = [
        ProjectiveMechanism.of(Bound.of_epsilon("1"), 3000),
        ProjectiveMechanism.of(Bound.of_epsilon("4"), 100_000),
        ProjectiveMechanism.of(Bound.of_epsilon("0.1"), 3000),
        of_field(Bound.of_epsilon("1"), 3, 3, 13),
    ]
    wrong = broken(designs[0], field=4, dimension=1, size=10**9) + broken(designs[0], dimension=40, threshold="1")
    about = "keep, uniform(inside), uniform(outside); a point at right angles to the truth if kept"
    return mechanism_vectors(about, categories(designs), wrong, exact(CASES))


@pytest.mark.parametrize("epsilon", ["0.1", "0.5", "1", "2", "4"])
@pytest.mark.parametrize("size", [2049, 10_000, 100_000])
def test_it_is_near_the_bound_and_its_reports_are_short(size: int, epsilon: str) -> None:
    mechanism = mechanism_for(choices(size), ProjectiveMechanism.of(Bound.of_epsilon(epsilon), size))
    assert 1 <= mechanism.variance() / mechanism.lower_bound() < 1.03
    assert mechanism.design.width <= 6


@pytest.mark.parametrize(("field", "dimension"), [(2, 5), (3, 3), (5, 2), (7, 3)])
def test_points_and_their_numbers_determine_each_other(field: int, dimension: int) -> None:
    listed = listed_points(field, dimension)
    assert len(listed) == number_of_points(dimension, field)
    for index, vector in enumerate(listed):
        assert tuple(point(index, dimension, field)) == vector
        assert all(index_of([value * scale % field for value in vector], field) == index for scale in range(1, field))


# --- the tables of its page ------------------------------------------------------------------------------------------


def projective_rows() -> Iterator[Row]:
    for epsilon, k in product((*TABLE_EPSILONS, "6"), (2049, 10_000, 100_000)):
        design = ProjectiveMechanism.of(Bound.of_epsilon(epsilon), k)
        mechanism = mechanism_for(choices(k), design)
        space = (str(design.field), str(design.dimension), f"{design.points:,}")
        figures = (
            f"{float(design.p):.6f}",
            f"{float(design.q):.6f}",
            f"{mechanism.variance() / mechanism.lower_bound():.4f}",
        )
        yield [epsilon, f"{k:,}", *space, *figures, str(design.width), f"{wire.mask_width(k):,}"]


TABLES = {"ε | k | F": projective_rows}
