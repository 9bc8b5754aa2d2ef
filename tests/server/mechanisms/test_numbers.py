"""What the estimation of a mean knows about a mechanism for numbers: the chances of its law, without bias."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.mechanisms.cases import places
from tests.mechanisms.test_channel import exact_channel, wide_channel
from tests.statistics.laws import chances_of_outputs

from hushpoll_server.estimate.estimands import DistributionEstimand, MeanEstimand
from hushpoll_server.mechanisms import Bound, Mechanism, mechanism_for
from hushpoll_server.mechanisms.laplace import LaplaceMechanism
from hushpoll_server.mechanisms.square_wave import SquareWaveMechanism
from hushpoll_server.plan.choose import choose_design
from hushpoll_shared.mechanisms import Channel, Design
from hushpoll_shared.mechanisms.domains import Code
from hushpoll_shared.question_types import Number

ONE, FOUR = Bound.of_epsilon("1"), Bound.of_epsilon("4")
MEAN, SHAPE = Number("-10", "40"), Number("-10", "40", "distribution")


def bins(count: int) -> tuple[Fraction, ...]:
    """Return the middle of each bin."""
    return tuple(Fraction(2 * place + 1, 2 * count) for place in range(count))


def best_channel(bound: Bound) -> Channel:
    design = choose_design(MEAN, bound)
    assert isinstance(design, Channel)
    return design


CASES: dict[str, tuple[Number, Design, Sequence[Code]]] = {
    "exact channel": (MEAN, exact_channel(), places(3)),
    "wide channel": (MEAN, wide_channel(), places(5)),
    "best channel": (MEAN, best_channel(ONE), places(best_channel(ONE).inputs)),
    "best channel at 4": (MEAN, best_channel(FOUR), places(best_channel(FOUR).inputs)),
    "laplace": (MEAN, LaplaceMechanism.of(FOUR), places(17)),
    "square wave": (SHAPE, SquareWaveMechanism.of(ONE, 6, 5), bins(6)),
    "narrow square wave": (SHAPE, SquareWaveMechanism.of(FOUR, 8, 0), bins(8)),
}


def mean_of(mechanism: Mechanism[Any]) -> MeanEstimand:
    estimand = mechanism.estimand({})
    mean = estimand.mean if isinstance(estimand, DistributionEstimand) else estimand
    assert isinstance(mean, MeanEstimand)
    return mean


@pytest.mark.parametrize("name", CASES)
def test_the_rows_are_the_law_and_the_values_average_to_the_answer(name: str) -> None:
    question_type, design, codes = CASES[name]
    known, law = mean_of(mechanism_for(question_type, design)).design, chances_of_outputs(design, codes)
    assert known.rows == pytest.approx(law, rel=1e-9, abs=1e-15)
    answers = [float(-10 + 50 * code) for code in codes if isinstance(code, Fraction)]
    assert known.points == pytest.approx(answers)
    assert law @ known.values == pytest.approx(answers, abs=1e-7)


@pytest.mark.parametrize("name", CASES)
def test_the_variance_by_answer_is_that_of_the_law_at_its_worst(name: str) -> None:
    question_type, design, codes = CASES[name]
    mechanism = mechanism_for(question_type, design)
    values, law = mean_of(mechanism).design.values, chances_of_outputs(design, codes)
    worst = float((law @ values**2 - (law @ values) ** 2).max())
    # In a census: at the answers themselves, and between the points of a grid, where the random rounding adds to it.
    between = (50 / (len(codes) - 1)) ** 2 / 4
    assert worst * (1 - 1e-9) <= mechanism.variance_by_answer().at(None, 0.0) <= (worst + between) * (1 + 1e-9)
    assert mechanism.variance() * 25**2 == pytest.approx(mechanism.variance_by_answer().at(None, 0.0), rel=1e-6)


def test_without_reports_there_are_counts_of_nothing() -> None:
    for question_type, design, _ in CASES.values():
        mean = mean_of(mechanism_for(question_type, design))
        assert mean.n == 0
        assert np.array_equal(mean.histogram, np.zeros(len(mean.design.values)))
