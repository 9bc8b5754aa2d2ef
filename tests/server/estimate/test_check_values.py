"""The published check values, and a result as JSON."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.intervals import choose_method
from hushpoll_server.estimate.results import Cell
from hushpoll_server.estimate.shares import estimate_yes_no
from hushpoll_server.estimate.support import SupportDesign

LN3 = math.log(3)
TWO_COINS = SupportDesign(Fraction(3, 4), Fraction(1, 4))
SIX_DIGITS = 5.1e-7

CONTRACT_KEYS = {"n", "level", "method", "epsilon", "cells", "warnings"}
CONTRACT_CELL_KEYS = {"name", "count", "estimate", "se", "low", "high", "tidy"}


def yes(count: int, n: int, design: SupportDesign = TWO_COINS, **options: object) -> Cell:
    """Return the only cell of a yes/no question at odds 3:1."""
    (cell,) = estimate_yes_no(count, n, design, epsilon=LN3, **options).cells  # type: ignore[arg-type]
    return cell


@pytest.mark.parametrize(
    ("count", "n", "method", "low", "high"),
    [
        (400, 1000, "wald", 0.239273, 0.360727),
        (400, 1000, "wilson", 0.240150, 0.361381),
        (400, 1000, "exact", 0.238938, 0.362243),
        (20, 50, "wilson", 0.052168, 0.576371),
        (20, 50, "exact", 0.028157, 0.596412),
        (200, 1000, "exact", -0.148759, -0.047681),
    ],
)
def test_intervals_are_the_published_ones(count: int, n: int, method: str, low: float, high: float) -> None:
    cell = yes(count, n, method=method)
    assert cell.low == pytest.approx(low, abs=SIX_DIGITS)
    assert cell.high == pytest.approx(high, abs=SIX_DIGITS)


@pytest.mark.parametrize(
    ("count", "n", "population", "estimate", "se"),
    [
        (400, 1000, None, 0.3, 0.030984),
        (400, 1000, 1000, 0.3, 0.027386),
        (20, 50, None, 0.3, 0.138564),
    ],
)
def test_estimates_and_errors_are_the_published_ones(
    count: int, n: int, population: int | None, estimate: float, se: float
) -> None:
    cell = yes(count, n, population=population)
    assert cell.estimate == pytest.approx(estimate, abs=SIX_DIGITS)
    assert cell.se == pytest.approx(se, abs=SIX_DIGITS)


def test_a_cell_of_a_four_way_choice_has_the_published_figures() -> None:
    odds = math.e
    design = SupportDesign(odds / (odds + 3), 1 / (odds + 3))
    cell = yes(380, 1000, design, method="exact")
    assert cell.estimate == pytest.approx(0.682628, abs=SIX_DIGITS)
    assert cell.se == pytest.approx(0.051081, abs=SIX_DIGITS)
    assert (cell.low, cell.high) == pytest.approx((0.582148, 0.785466), abs=SIX_DIGITS)


def test_price_of_privacy_is_the_randomizers_part_of_the_variance() -> None:
    assert yes(400, 1000).price_of_privacy == pytest.approx(0.75 / (0.75 + 0.3 * 0.7))
    assert yes(200, 1000).price_of_privacy == 1.0
    assert yes(400, 1000, population=2000).price_of_privacy == pytest.approx(0.75 / (0.75 + 0.5 * 0.3 * 0.7))
    assert yes(400, 1000, population=1000).price_of_privacy == 1.0


def test_method_follows_the_rarest_reports_and_the_level() -> None:
    assert [choose_method(count, 1000, 0.95) for count in (29, 30, 970, 971)] == ["exact", "wilson", "wilson", "exact"]
    assert choose_method(np.array([40, 25]), np.array([100, 100]), 0.95) == "exact"
    assert choose_method(np.array([]), np.array([]), 0.95) == "exact"
    # Further out in the tails the normal law needs more: 155 reports at 99 %, and no fewer than 30 below 95 %.
    assert [choose_method(count, 10**6, 0.99) for count in (154, 155)] == ["exact", "wilson"]
    assert [choose_method(count, 10**6, 0.5) for count in (29, 30)] == ["exact", "wilson"]


def test_result_is_json_with_the_names_of_the_contract() -> None:
    result = estimate_yes_no(np.int64(400), 1000, TWO_COINS, epsilon=LN3).to_json()
    read = json.loads(json.dumps(result, allow_nan=False))
    assert set(read) >= CONTRACT_KEYS
    assert set(read["cells"][0]) >= CONTRACT_CELL_KEYS
    assert (read["n"], read["level"], read["method"], read["epsilon"]) == (
        1000,
        0.95,
        "wilson",
        LN3,
    )
    assert (read["cells"][0]["name"], read["cells"][0]["count"], read["warnings"]) == (
        "yes",
        400,
        [],
    )


def test_no_reports_give_no_figures_and_say_so() -> None:
    result = estimate_yes_no(0, 0, TWO_COINS, epsilon=LN3, population=0)
    assert result.cells == (Cell(name="yes", count=0),)
    assert result.warnings == ("No reports yet: there is nothing to estimate from.",)
    json.dumps(result.to_json(), allow_nan=False)


@pytest.mark.parametrize(
    ("count", "n", "options", "words"),
    [
        (11, 10, {}, "count 11 is not between 0 and n = 10"),
        (-1, 10, {}, "count is negative"),
        (0, -1, {}, "number of reports is negative"),
        (2.5, 10, {}, "not a whole number"),
        (5, 10, {"level": 0.0}, "level 0.0"),
        (5, 10, {"level": 95}, "level 95"),
        (5, 10, {"level": math.nan}, "level nan"),
        (5, 10, {"method": "bayes"}, "choose one of wilson, exact, wald"),
        (5, 10, {"population": 9}, "population 9 is smaller than n = 10"),
        (5, 10, {"epsilon": 0.0}, "epsilon 0.0"),
        (5, 10, {"epsilon": math.inf}, "epsilon inf"),
    ],
)
def test_impossible_figures_are_refused_with_the_cure(
    count: int, n: int, options: dict[str, float], words: str
) -> None:
    with pytest.raises(EstimateError, match=words):
        estimate_yes_no(count, n, TWO_COINS, **{"epsilon": LN3, **options})  # type: ignore[arg-type]


@pytest.mark.parametrize(("p", "q"), [(1.0, 0.5), (0.5, 0.0), (0.5, 0.5), (math.nan, 0.5), (0.5, 2)])
def test_a_design_that_cannot_be_estimated_from_is_refused(p: float, q: float) -> None:
    with pytest.raises(EstimateError):
        SupportDesign(p, q)


def test_a_design_next_to_the_plain_truth_is_estimated_as_the_truth() -> None:
    nearly = Fraction(2**64 - 1, 2**64)
    cell = yes(30, 100, SupportDesign(nearly, 1 - nearly), method="wilson")
    assert cell.estimate == pytest.approx(0.3)
    assert (cell.low, cell.high) == pytest.approx((0.218949, 0.395849), abs=1e-6)
