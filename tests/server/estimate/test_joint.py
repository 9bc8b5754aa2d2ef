"""How often a report supports two categories at once, against the enumeration of all reports."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.statistics import laws
from tests.statistics.laws import Law

SMALL = [
    laws.subset(2, 1, math.e),
    laws.subset(4, 1, math.e),
    laws.subset(5, 2, 3.0),
    laws.subset(6, 4, 1.5),
    laws.repeated(4, math.exp(3), math.e),
    laws.privset(4, 1, 2, math.e),
    laws.privset(4, 2, 1, math.e),
    laws.privset(5, 3, 3, math.exp(2)),
    laws.projective(3, 2, 2, math.e),
    laws.projective(7, 2, 3, math.e),
    laws.projective(10, 3, 3, math.e),
    laws.projective(15, 2, 4, 2.0),
    laws.ball(4, 1, 1, math.e),
    laws.ball(4, 2, 2, math.exp(2)),
    laws.ball(5, 3, 2, math.exp(2)),
    laws.ball(4, 4, 3, math.exp(3)),
]


@pytest.fixture(params=SMALL, ids=lambda law: f"{law.mechanism.name}-{len(law.supports)}")
def law(request: pytest.FixtureRequest) -> Law:
    made: Law = request.param
    return made


def test_support_probabilities_are_those_of_the_design(law: Law) -> None:
    truths = some_truths(law)
    reports = truths @ law.chances
    assert reports.sum() == pytest.approx(1)
    rates = (reports @ law.supports) / (reports @ law.asks)
    assert rates == pytest.approx(law.support.rate(law.shares(truths)))


def test_joint_support_is_that_of_all_reports(law: Law) -> None:
    truths, joint = some_truths(law), law.mechanism.joint
    reports, shares = (truths @ law.chances)[:, None], law.shares(truths)
    asked = off_diagonal(law.asks.T @ (reports * law.asks))
    assert asked == pytest.approx(joint.together)
    if joint.together == 0:
        return
    both = off_diagonal(law.supports.T @ (reports * law.supports)) / asked
    bounds = joint.both(shares[:, None], shares)
    assert (off_diagonal(bounds.low) <= both + 1e-12).all()
    assert (both <= off_diagonal(bounds.high) + 1e-12).all()
    if joint.exact:
        assert off_diagonal(bounds.low) == pytest.approx(both)


def test_bounds_of_the_projective_design_are_reached() -> None:
    # Points 0, 1 and 2 of the plane over two elements are on one line, and 3 is not.
    law = laws.projective(7, 2, 3, math.e)
    joint, nobody = law.mechanism.joint, np.zeros(2)
    both = law.supports[:, 0] * law.supports[:, 1]
    bounds = joint.both(nobody[0], nobody[1])
    assert law.chances[2] @ both == pytest.approx(bounds.high)
    assert law.chances[3] @ both == pytest.approx(bounds.low)


def test_bounds_of_the_ball_are_reached() -> None:
    law = laws.ball(4, 2, 2, math.exp(2))
    joint = law.mechanism.joint
    for held, bound in (("11", "high"), ("10", "low")):
        # Half tick option 0; the same half, or the other one, ticks option 1.
        half = np.array([np.array_equal(row, [1, int(held[1]), 0, 0]) for row in law.holds], float)
        rest = np.array([np.array_equal(row, [0, 1 - int(held[1]), 0, 0]) for row in law.holds], float)
        reports = (half + rest) / 2 @ law.chances
        both = reports @ (law.supports[:, 0] * law.supports[:, 1]) / (reports @ (law.asks[:, 0] * law.asks[:, 1]))
        assert both == pytest.approx(getattr(joint.both(np.array(0.5), np.array(0.5)), bound))


def some_truths(law: Law) -> NDArray[np.float64]:
    """Return a distribution over the answers, drawn once."""
    return np.random.default_rng(len(law.supports)).dirichlet(np.ones(len(law.holds)))


def off_diagonal(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the elements of two different cells."""
    return matrix[~np.eye(len(matrix), dtype=bool)]
