"""The effect that dishonest reports could have."""

from __future__ import annotations

import pytest

from hushpoll_server.estimate.manipulation import manipulation_band
from hushpoll_server.estimate.shares import estimate_shares
from hushpoll_server.estimate.support import SupportDesign, Tally

TWO_COINS = SupportDesign(0.75, 0.25)


@pytest.mark.parametrize(("beta", "low", "high"), [(0.0, 0.3, 0.3), (0.01, 0.288, 0.308), (0.05, 0.237, 0.342)])
def test_band_is_the_published_one(beta: float, low: float, high: float) -> None:
    band = manipulation_band(Tally(400, 1000, TWO_COINS), beta)
    assert (band.low, band.high) == pytest.approx((low, high), abs=5.1e-4)


@pytest.mark.parametrize("design", [TWO_COINS, SupportDesign(0.5, 0.1), SupportDesign(0.25, 0.75)])
@pytest.mark.parametrize("dishonest", [0, 1, 3, 7])
@pytest.mark.parametrize("count", range(11))
def test_band_is_sharp_at_every_count_of_ten_reports(design: SupportDesign, dishonest: int, count: int) -> None:
    honest = 10 - dishonest
    # All ways in which this many of the ten can be dishonest and support, or not
    possible = [
        design.share((count - supporting) / honest)
        for supporting in range(dishonest + 1)
        if 0 <= count - supporting <= honest
    ]
    band = manipulation_band(Tally(count, 10, design), dishonest / 10)
    assert (band.low, band.high) == pytest.approx((min(possible), max(possible)), abs=1e-12)


def test_cells_carry_the_band_only_if_it_is_asked_for() -> None:
    cells = [("a", 400, 1000), ("b", 20, 1000)]
    with_band, without = (estimate_shares(cells, TWO_COINS, epsilon=1, beta=beta) for beta in (0.05, None))
    assert with_band.cells[0].to_json()["band"] == pytest.approx({"beta": 0.05, "low": 0.236842, "high": 0.342105})
    # A rate of support is never below 0, however many reports were dishonest.
    band = with_band.cells[1].band
    assert band is not None
    assert band.low == pytest.approx(TWO_COINS.share(0.0))
    assert "band" not in without.cells[0].to_json()
