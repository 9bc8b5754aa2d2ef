"""The width of the square wave: the closed form, rounded up to the grid."""

from __future__ import annotations

import math

import pytest

from hushpoll_server.mechanisms.square_wave import BINS, choose_half, wave_reach


@pytest.mark.parametrize(("epsilon", "reach"), [(1e-9, 0.5), (1e-3, 0.5), (1, 0.2561), (4, 0.03043)])
def test_the_closed_form(epsilon: float, reach: float) -> None:
    assert wave_reach(epsilon) == pytest.approx(reach, abs=4e-4)


@pytest.mark.parametrize(("epsilon", "half"), [(0.01, 32), (1, 17), (2, 9), (4, 2), (6, 1), (20, 0)])
def test_half_shrinks_as_the_reports_get_truer(epsilon: float, half: int) -> None:
    assert choose_half(BINS, math.exp(epsilon)) == half
