"""Default intervals at the answers that they cover least: the quick form of `make coverage`.

All draws are seeded. The cases are those in which earlier versions fell short; what they covered then is beside them.
"""

from __future__ import annotations

import math

import pytest
from tests.statistics.shapes import shapes
from tests.statistics.worst_cases import (
    cells,
    choice_law,
    codebook,
    cross_tables,
    distribution,
    mean_mechanisms,
    means,
    ticks_law,
    worst_of,
    yes_no,
)

# Simulated coverage of 95 % may be so many standard errors off; the worst of twenty is often two off by chance alone.
STANDARD_ERRORS = 4


def allowed(surveys: int, level: float = 0.935) -> float:
    """Return the least coverage that simulation can tell from the goal."""
    return level - STANDARD_ERRORS * math.sqrt(0.05 * 0.95 / surveys)


@pytest.mark.parametrize("epsilon", [0.25, 1.0, 4.0, 8.0])
@pytest.mark.parametrize("n", [30, 60, 100, 300])
def test_a_yes_no_question_is_covered_at_every_share(epsilon: float, n: int) -> None:
    # By enumeration. At epsilon 8 it was .846.
    assert yes_no(epsilon, n).coverage >= 0.935


@pytest.mark.parametrize("n", [30, 100, 1000])
@pytest.mark.parametrize("epsilon", ["1", "4", "8"])
def test_every_answer_of_a_choice_is_covered_at_every_share(epsilon: str, n: int) -> None:
    # By enumeration. At epsilon 4 it was .91 to .93 from 1,000 reports on.
    for law in (choice_law(5, epsilon), ticks_law(5, None, epsilon), ticks_law(6, 2, epsilon)):
        assert cells(law.support, n).coverage >= 0.935


@pytest.mark.parametrize("epsilon", ["4", "8"])
def test_the_mean_of_skewed_answers_is_covered(epsilon: str) -> None:
    # .897 and .552 with 30 reports.
    mechanism = dict(mean_mechanisms(epsilon))["channel"]
    skewed = [f"{share} at the top" for share in ("0.5%", "1.0%", "2.0%", "3.0%", "5.0%", "10%", "20%", "50%")]
    found = list(means(mechanism, 30, 300, names=skewed))
    assert len(found) == len(skewed)
    assert worst_of(iter(found)).coverage >= allowed(300)


@pytest.mark.parametrize("size", [(2, 2), (2, 4)])
def test_every_cell_of_a_cross_table_is_covered(size: tuple[int, int]) -> None:
    found = cross_tables(size, "4", 30, 60)
    assert found.worst.coverage >= allowed(60, 0.93)
    assert found.present <= 0.03 + STANDARD_ERRORS * math.sqrt(0.03 * 0.97 / 60)


def test_all_answers_of_a_codebook_hold_at_once() -> None:
    # .8875 with 2,049 answers and 1,000 reports at epsilon 4.
    assert codebook(2049, "4", 1000, 30) >= 0.85


@pytest.mark.parametrize("shape", ["normal", "zero-inflated", "heaps"])
def test_more_reports_make_a_distribution_better_and_its_limits_hold(shape: str) -> None:
    few, many = (distribution(shape, "1", n, 8) for n in (2000, 200_000))
    assert many.wasserstein < few.wasserstein / 2
    assert min(few.below, many.below) >= 0.9
    assert many.half_width < few.half_width / 2


def test_all_six_shapes_are_tried() -> None:
    assert list(shapes()) == ["normal", "beta(2, 5)", "zero-inflated", "two peaks", "lognormal", "heaps"]
