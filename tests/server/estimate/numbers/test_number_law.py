"""The scores of outputs are unbiased for every answer, and counted numbers are what the bins say."""

from __future__ import annotations

import numpy as np
import pytest
from tests.server.estimate import square_waves as waves

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.numbers.number_law import number_law

EXTRAS = pytest.mark.parametrize("extras", [(), ("decline",), ("decline", "does_not_apply")], ids=len)


@EXTRAS
@pytest.mark.parametrize("epsilon", ["0.01", "1", "8", "40"])
def test_the_law_is_that_of_the_mechanism(epsilon: str, extras: tuple[str, ...]) -> None:
    mechanism = waves.wave(epsilon, *extras)
    assert waves.law(mechanism).chances == pytest.approx(waves.enumerated(mechanism.design), rel=1e-12)


@EXTRAS
@pytest.mark.parametrize("epsilon", ["0.01", "1", "8"])
def test_scores_are_unbiased_for_every_answer(epsilon: str, extras: tuple[str, ...]) -> None:
    mechanism = waves.wave(epsilon, *extras)
    law, chances = waves.law(mechanism), waves.enumerated(mechanism.design)
    middles = (np.arange(64) + 0.5) / 64 - 0.5
    none = np.zeros(len(extras))
    scale = np.abs(law.squares).max()
    assert chances @ law.numbers == pytest.approx(np.concatenate((middles, none)), abs=1e-9 * scale)
    assert chances @ law.answered == pytest.approx(np.concatenate((np.ones(64), none)), abs=1e-9 * scale)
    assert chances @ law.squares == pytest.approx(np.concatenate((middles**2, none)), abs=1e-9 * scale)
    assert law.has_extras is bool(extras)


def test_answers_below_an_edge_are_the_bins_before_it_and_no_extras() -> None:
    law = waves.law(waves.small_wave("1", 8, 2, "decline"))
    assert law.below(0.25).tolist() == [1, 1, 0, 0, 0, 0, 0, 0, 0]
    assert law.are_numbers.tolist() == [1] * 8 + [0]


def test_a_basis_that_cannot_be_unbiased_is_refused() -> None:
    law = waves.law(waves.small_wave("1", 8, 2))
    with pytest.raises(EstimateError, match="biased"):
        number_law(law.chances, 8, np.array([]), np.ones((law.chances.shape[1], 1)))
