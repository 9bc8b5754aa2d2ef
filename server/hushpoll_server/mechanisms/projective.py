"""Projective geometry response on the server: a draw is one point, and supports every category orthogonal to it.

Utility: any two categories share (F^(t−2) − 1)/(F − 1) of the points, so the estimator of subset selection applies;
the total variance is within 1.03 of the bound of Ye and Barg up to epsilon 4, where the field is a prime near E + 1.
Statement, proof and references: docs/mechanisms/projective.md.
"""

from __future__ import annotations

from functools import lru_cache
from math import isqrt
from typing import ClassVar

import numpy as np

from hushpoll_server.bulk.projective import count_support
from hushpoll_server.estimate.joint import OneDecides
from hushpoll_server.mechanisms.bound import Bound
from hushpoll_server.mechanisms.histogram import histogram_of
from hushpoll_server.mechanisms.mechanism import Code, Counters, Side
from hushpoll_server.mechanisms.method import FELDMAN, Method, chances
from hushpoll_server.mechanisms.notation import Notation
from hushpoll_server.mechanisms.supporting import Categorical, total_variance
from hushpoll_server.mechanisms.thresholds import largest_threshold, log_likelier
from hushpoll_shared.mechanisms import Draw, Projective
from hushpoll_shared.mechanisms.domains import Categories
from hushpoll_shared.mechanisms.projective import (
    LARGEST_FIELD,
    LARGEST_SPACE,
    is_prime,
    number_of_points,
    point,
)
from hushpoll_shared.mechanisms.subset import LARGEST as LARGEST_SUBSET
from hushpoll_shared.question_types import QuestionType


class ProjectiveMechanism(Categorical[Projective]):
    """Projective geometry response for large codebooks."""

    DESIGN: ClassVar = Projective

    @classmethod
    def best(cls, question_type: QuestionType, bound: Bound) -> Projective | None:
        """Return the best design for codebooks whose sets would be too long to send, None for others."""
        match question_type.domain:
            case Categories(size) if size > LARGEST_SUBSET:
                return cls.of(bound, size)
        return None

    @classmethod
    def of(cls, bound: Bound, size: int) -> Projective:
        """Return the design whose field gives the least variance."""
        spaces = ((field, _dimension(field, size)) for field in _fields(float(bound.odds), size))
        designs = [
            Projective(
                size, field, dimension, largest_threshold(bound, number_of_points(dimension - 1, field), outside)
            )
            for field, dimension in spaces
            if number_of_points(dimension, field) <= LARGEST_SPACE
            for outside in [int(field ** (dimension - 1))]
        ]
        return min(designs, key=lambda design: total_variance(size, design.p, design.q))

    @property
    def notation(self) -> Notation:
        """Return that a draw is a point."""
        return Notation.POINT

    def counters(self, draw: Draw) -> tuple[str, ...]:
        """Return the counter of the point: the counts of categories are derived from those of all points."""
        return (draw,)

    def supports(self, counts: Counters) -> list[int]:
        """Return the number of reported points orthogonal to each category, from the counts of all points."""
        design, points = self.design, np.array(histogram_of(counts, self.design.points), np.int64)
        supports = count_support(points, size=design.size, field=design.field, dimension=design.dimension)
        return [int(count) for count in supports]

    @property
    def method(self) -> Method:
        """Return the points of a projective space, which stand for answers and for reports."""
        design = self.design
        space = f"k = {design.size:,}, field of {design.field:,} elements, dimension {design.dimension}"
        return Method(
            sentence=(
                "answers are points of a projective space over a finite field and the device reports a point of the "
                "same space; the reported point is orthogonal to the true answer with probability p and to each other "
                "answer with probability q (projective geometry response; Feldman et al. 2022)"
            ),
            parameters=f"{space}, {chances(design.p, design.q)}",
            references=(FELDMAN,),
        )

    @property
    def joint(self) -> OneDecides:
        """Return how often a point is orthogonal to two categories."""
        field, dimension, keep = self.design.field, self.design.dimension, float(self.design.keep)
        # Points orthogonal to two categories, and to three that are not on one line.
        two, three = (number_of_points(dimension - less, field) for less in (2, 3)) if dimension > 2 else (0, 0)
        # If the true answer is on the line through the two categories, every such report is inside;
        # the two shares do not show how many true answers are on it.
        on_line = keep * two / self.design.inside
        off_line = keep * three / self.design.inside + (1 - keep) * (two - three) / self.design.outside
        # A line has F + 1 points: two categories on it leave F - 1.
        return OneDecides(on_line, off_line, on_line, mates=field - 1)

    def log_likeliest(self) -> float:
        """Return ln of the largest probability of a draw."""
        return log_likelier(self.design, self.design.inside, self.design.outside)

    @property
    def outputs(self) -> int:
        """Return the number of points."""
        return self.design.points

    def side(self, code: Code, draw: Draw) -> Side:
        """Return FOR if the point is orthogonal to the category."""
        field, dimension = self.design.field, self.design.dimension
        category, report = (_point(index, dimension, field) for index in (code, int(draw, 16)))
        product = sum(x * y for x, y in zip(category, report, strict=True))
        return Side.FOR if product % field == 0 else Side.AGAINST

    @property
    def number_of_parts(self) -> int:
        """Return 0: there are too many points to look at each."""
        return 0

    @property
    def supported(self) -> None:
        """Return None: points support different numbers of categories if there are more points."""

    def least_likely(self, draw: Draw) -> None:
        """Return None: a point names no single answer."""


# An audit asks for the same points over and over.
_point = lru_cache(maxsize=1 << 17)(point)


def _fields(odds: float, size: int) -> set[int]:
    """Return the primes to try: those around E + 1, where the variance is least, and the extreme possible ones."""
    centre = int(min(odds + 1, LARGEST_FIELD - 100))
    fields = {_prime(centre, -1), _prime(centre + 1, 1), _prime(size - 1, 1)}
    plane = isqrt(LARGEST_SPACE) - 1
    return fields | {_prime(min(centre, plane), -1), _prime(isqrt(size), 1)}


def _prime(start: int, step: int) -> int:
    """Return the nearest prime from a number on, upward or downward."""
    number = max(2, start)
    while not is_prime(number):
        number += step
    return number


def _dimension(field: int, size: int) -> int:
    """Return the smallest dimension whose space has enough points for the categories."""
    dimension = 2
    while number_of_points(dimension, field) < size:
        dimension += 1
    return dimension


MECHANISM = ProjectiveMechanism
