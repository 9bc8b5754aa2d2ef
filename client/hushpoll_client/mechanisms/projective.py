"""Projective geometry response on the device."""

from __future__ import annotations

from hushpoll_shared.mechanisms import Projective, wire
from hushpoll_shared.mechanisms.projective import index_of, point, write_digits
from hushpoll_shared.randomness import ByteSource, bernoulli, uniform


def draw(design: Projective, source: ByteSource, code: int) -> str:
    """Draw a point that is orthogonal to the truth with probability threshold / 2^64."""
    field, dimension = design.field, design.dimension
    keep = bernoulli(source, design.threshold)
    near = point(uniform(source, design.inside), dimension - 1, field)
    far = write_digits(uniform(source, design.outside), dimension - 1, field)
    truth = point(code, dimension, field)
    pivot = truth.index(1)
    report = [f + keep * (n - f) for n, f in zip(near, far, strict=True)]
    # The coordinate at which the truth is 1 is chosen so that ⟨truth, report⟩ is 0 inside and 1 outside.
    others = truth[:pivot] + truth[pivot + 1 :]
    product = sum(x * y for x, y in zip(others, report, strict=True))
    report.insert(pivot, (1 - keep - product) % field)
    return wire.write_index(index_of(report, field), design.points - 1)
