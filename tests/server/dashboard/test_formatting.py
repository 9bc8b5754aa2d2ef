"""Numbers as readers see them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.samples.designs import warner

from hushpoll_server.dashboard import formatting
from hushpoll_server.estimate.numbers.means import Mean
from hushpoll_server.estimate.results import Cell


def cell(estimate: float, se: float, low: float, high: float) -> Cell:
    return Cell(name="yes", count=1, estimate=estimate, se=se, low=low, high=high)


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ").replace("\N{MINUS SIGN}", "-")


@pytest.mark.parametrize(
    ("se", "decimals"),
    [
        (0.3, 0),
        (0.05, 0),
        (0.02, 0),
        (0.01, 0),
        (0.0099, 1),
        (0.005, 1),
        (0.001, 1),
        (0.00093, 2),
        (1e-12, 6),
        (0, 1),
        (None, 1),
    ],
)
def test_the_last_digit_is_the_first_that_the_standard_error_leaves_in_doubt(se: float | None, decimals: int) -> None:
    assert formatting.decimals_of(se) == decimals


@pytest.mark.parametrize(
    ("figure", "expected"),
    [
        (cell(0.31, 0.02, 0.27, 0.35), "31 % ± 4"),
        (cell(0.3, 0.030984, 0.240150, 0.361381), "30 % ± 6"),
        (cell(0.31415, 0.004, 0.306, 0.322), "31.4 % ± 0.8"),
        (cell(0.12469, 0.00093, 0.12287, 0.12651), "12.47 % ± 0.18"),
        (cell(-0.1, 0.025298, -0.147, -0.048), "-10 % ± 5"),
        (cell(-0.0001, 0.02, -0.04, 0.04), "0 % ± 4"),
        (cell(1.02, 0.027, 0.965, 1.071), "102 % ± 5"),
        (Cell(name="yes", count=0), "– ± –"),
    ],
)
def test_the_headline_is_the_estimate_and_half_the_intervals_width_in_points(figure: Cell, expected: str) -> None:
    assert plain(formatting.headline(figure)) == expected


def test_limits_are_written_unclipped() -> None:
    assert plain(formatting.interval(cell(-0.02, 0.03, -0.07, 0.04))) == "-7 % to 4 %"
    assert plain(formatting.interval(cell(1.02, 0.03, 0.97, 1.07))) == "97 % to 107 %"


def test_a_line_may_break_before_the_margin_and_nowhere_else() -> None:
    assert formatting.headline(cell(0.31, 0.02, 0.27, 0.35)).split(" ") == ["31\u00a0%", "±\u00a04"]


@pytest.mark.parametrize(("level", "expected"), [(0.95, "95 %"), (0.5, "50 %"), (0.999, "99.9 %"), (0.8, "80 %")])
def test_levels_are_written_without_the_dust_of_binary_fractions(level: float, expected: str) -> None:
    assert plain(formatting.level_name(level)) == expected


@pytest.mark.parametrize(("number", "expected"), [(0, "0 reports"), (1, "1 report"), (12000, "12,000 reports")])
def test_reports_are_counted_in_words(number: int, expected: str) -> None:
    assert formatting.reports(number) == expected


@pytest.mark.parametrize(("odds", "expected"), [("3:1", "1.099"), ("3:2", "0.406"), ("1000:1", "6.908")])
def test_an_epsilon_is_rounded_up(odds: str, expected: str) -> None:
    assert formatting.epsilon(warner(odds=odds).epsilon) == expected


def test_whole_epsilons_have_no_decimals() -> None:
    assert formatting.epsilon(warner(epsilon="2").epsilon) == "2"
    assert formatting.epsilon(warner(epsilon="10").epsilon) == "10"


def test_short_odds_are_exact_and_long_ones_are_rounded_up() -> None:
    assert formatting.odds(Fraction(3)) == "3:1"
    assert formatting.odds(warner(epsilon="1").odds) == "about 2.719:1"


@pytest.mark.parametrize(
    ("mean", "expected"),
    [
        (Mean(estimate=12.41, se=0.55, low=11.3, high=13.5), "12.4 ± 1.1"),
        (Mean(estimate=74332.4, se=4490.0, low=65530, high=83134), "74,332 ± 8,802"),
        (Mean(estimate=-0.00123, se=0.0004, low=-0.002, high=-0.0004), "-0.0012 ± 0.0008"),
        (Mean(), "– ± –"),
    ],
)
def test_a_mean_is_written_in_its_own_unit(mean: Mean, expected: str) -> None:
    assert plain(formatting.headline(mean, formatting.OWN)) == expected


@pytest.mark.parametrize(
    ("value", "expected"), [(0.5, "p = 0.5"), (0.0394, "p = 0.039"), (0.001, "p = 0.001"), (1e-9, "p < 0.001")]
)
def test_a_p_value_has_two_digits_and_never_is_zero(value: float, expected: str) -> None:
    assert formatting.p_value(value) == expected
