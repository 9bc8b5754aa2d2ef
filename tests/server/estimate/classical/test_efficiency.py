"""Efficiency: Warner's design is the best for its epsilon, and others are set beside it at the same share."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hushpoll_server.estimate.classical.efficiency import efficiency
from hushpoll_server.estimate.classical.matrix_design import MatrixDesign
from hushpoll_server.estimate.yes_no_designs import YesNoDesign, crosswise, forced, kuk, mangat, triangular, unrelated

percent = st.integers(1, 99).map(lambda number: Fraction(number, 100))


@given(percent, percent, st.floats(0, 1))
def test_no_design_is_better_than_the_best_of_its_epsilon(p: Fraction, q: Fraction, share: float) -> None:
    assume(p != q)
    part = efficiency(YesNoDesign.of(p, q), share)
    assert part is not None
    assert 0 < part <= 1 + 1e-12


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0, -0.2, 1.3])
def test_warners_design_has_efficiency_1_under_every_name(share: float) -> None:
    assert [efficiency(design, share) for design in (crosswise("1/4"), forced("3/4", "1/2"), kuk("1/4", "3/4"))] == [
        1,
        1,
        1,
    ]


def test_it_is_the_ratio_of_the_variances_in_the_textbook_form() -> None:
    design, share = unrelated("0.7", "0.3"), 0.2
    assert design.epsilon is not None
    e = math.exp(float(design.epsilon))
    rate = 0.7 * share + 0.3 * 0.3
    best = share * (1 - share) + e / (e - 1) ** 2
    assert efficiency(design, share) == pytest.approx(best / (rate * (1 - rate) / 0.7**2), rel=1e-12)


def test_a_design_without_epsilon_has_no_efficiency() -> None:
    assert [efficiency(design, 0.3) for design in (mangat("0.7"), triangular("1/4"), forced("0.7", 1))] == [None] * 3


def test_a_matrix_of_two_answers_has_that_of_its_two_probabilities() -> None:
    design = MatrixDesign.of([["0.8", "0.2"], ["0.3", "0.7"]])
    assert efficiency(design, 0.25) == pytest.approx(efficiency(kuk("0.8", "0.3"), 0.25), rel=1e-12)
    # Half of the reports say nothing, and the others are those of Warner's design.
    idle = MatrixDesign.of([["3/8", "1/8", "1/2"], ["1/8", "3/8", "1/2"]])
    # The values are 5/2, -3/2 and 1/2: Var = (25/4 + 9/4)/4 + 1/8 - 1/4 = 2, and the best is 1/4 + 3/4.
    assert efficiency(idle, 0.5) == pytest.approx(0.5, rel=1e-12)
    assert efficiency(MatrixDesign.names_one(("a", "b", "c"), Fraction(3)), 0.5) is None
