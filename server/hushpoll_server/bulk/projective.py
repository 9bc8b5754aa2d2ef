"""Counting the support of projective geometry response in near-linear time.

A point of PG(t−1, q) is a vector of t digits in base q whose first digit other than 0 is 1. Read as a number it is
q^m + r with r < q^m, and its index is (q^m − 1)/(q − 1) + r: m is the number of its free places. So the points whose
first digit is 0 have the same indices as in PG(t−2, q).

Counting, for a category v = (1, v′) and a report y: with ω = e^(2πi/q),
    q·[<v, y> = 0] = Σ_s ω^(s·<v, y>) = 1 + Σ_{s≠0} ω^(s·y₀ + <v′, s·y′>).
Summed over the reports this is one Fourier transform over the q^(t−1) vectors v′, of the sum of ω^(s·y₀) at all
multiples s·y′. For a category that begins with 0, the first digit of the reports does not matter: they are counted as
points of one dimension less. This takes (q − 1)·K additions and transforms of at most q^(t−1) < K numbers, for K
points; a brute-force count takes K² steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms.projective import number_of_points

Integers = NDArray[np.int64]


def count_support(reported: NDArray[Any], *, size: int, field: int, dimension: int) -> Integers:
    """Return, for each category, the number of reports that support it, from the number of reports of each point."""
    offsets = _offsets(field, dimension)
    if len(reported) != number_of_points(dimension, field) or not 0 < size <= len(reported):
        raise InvalidValue("give one count for each point, and at most as many categories")
    histogram, zeros, counts = reported.astype(np.int64), 0, np.empty(len(reported), np.int64)
    for free in reversed(range(dimension)):
        start = int(offsets[free])
        beyond, finite = histogram[:start], histogram[start:]
        numbers = _numbers(np.arange(start), field, free)
        supporting, multiples = _count_block(beyond, finite, numbers, field, free)
        counts[start : start + field**free] = zeros + supporting
        # Without its first digit, (1, w) is the point of w, or 0, which supports all remaining categories.
        histogram = beyond + multiples[numbers]
        zeros += int(finite[0])
    return counts[:size]


def _count_block(
    beyond: Integers, finite: Integers, numbers: Integers, field: int, free: int
) -> tuple[Integers, Integers]:
    """Return how many reports support (1, v) for each v, and how many reports (1, w) have w on the line through each u.

    `finite[w]` counts the reports (1, w), `beyond[i]` the reports (0, p), with p the vector that has `numbers[i]`.
    """
    shape = (field,) * free
    affine, lifted = finite.reshape(shape), np.zeros(field**free, np.int64)
    lifted[numbers] = beyond
    transform, multiples = np.zeros(shape, np.complex128), np.zeros(shape, np.int64)
    for s in range(1, field):
        # Position u of these has the values of u/s.
        divided = np.ix_(*[np.arange(field) * pow(s, -1, field) % field] * free)
        moved = affine[divided]
        multiples += moved
        transform += np.exp(-2j * np.pi * s / field) * moved + lifted.reshape(shape)[divided]
    # The transform is that of the conjugate; the sum is real.
    sums = np.fft.fftn(transform).real if free else transform.real
    supporting = np.rint((finite.sum() + beyond.sum() + sums) / field).astype(np.int64)
    return supporting.reshape(-1), multiples.reshape(-1)


def _offsets(field: int, dimension: int) -> Integers:
    # (q^m − 1)/(q − 1) points have fewer than m free places.
    return np.array([(field**m - 1) // (field - 1) for m in range(dimension + 1)], np.int64)


def _numbers(indices: Integers, field: int, dimension: int) -> Integers:
    offsets = _offsets(field, dimension)
    free = np.searchsorted(offsets, indices, side="right") - 1
    return field**free + indices - offsets[free]
