"""Questions with many categories or options: the published figures, the tidy view, and few warnings."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

import numpy as np
import pytest

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.results import Result
from hushpoll_server.estimate.shares import estimate_shares
from hushpoll_server.estimate.support import SupportDesign
from hushpoll_server.mechanisms.ball import Patterns

FOUR_WAY = SupportDesign(math.e / (math.e + 3), 1 / (math.e + 3))
OPTION = SupportDesign(0.8, 0.2)
TICKED = Patterns(together=0.0, single=0.6, double=0.0)
SIX_DIGITS = 5.1e-7


def four_way(counts: Sequence[int] = (380, 270, 200, 150), **options: object) -> Result:
    """Estimate a choice among four at epsilon 1."""
    cells = [(str(place), count, sum(counts)) for place, count in enumerate(counts, start=1)]
    return estimate_shares(cells, FOUR_WAY, epsilon=1, **options)  # type: ignore[arg-type]


def options(*cells: tuple[str, int, int], **choices: object) -> Result:
    """Estimate options that may be ticked together, from 100 reports."""
    return estimate_shares(cells, OPTION, epsilon=1, n=100, joint=TICKED, **choices)  # type: ignore[arg-type]


def test_a_four_way_choice_has_the_published_figures() -> None:
    cells = four_way(method="exact").cells
    assert [cell.name for cell in cells] == ["1", "2", "3", "4"]
    assert [cell.estimate for cell in cells] == pytest.approx([0.682628, 0.316558, 0.083605, -0.082791], abs=SIX_DIGITS)
    assert [cell.se for cell in cells] == pytest.approx([0.051081, 0.046721, 0.042095, 0.037577], abs=SIX_DIGITS)
    assert (cells[0].low, cells[0].high) == pytest.approx((0.582148, 0.785466), abs=SIX_DIGITS)


def test_method_follows_the_rarest_cell_that_was_asked() -> None:
    assert four_way().method == "wilson"
    assert four_way((380, 270, 321, 29)).method == "exact"
    assert options(("a", 50, 100), ("b", 30, 100), ("c", 0, 0)).method == "wilson"
    assert options(("a", 50, 100), ("b", 29, 100)).method == "exact"


def test_all_cells_of_a_codebook_at_once_have_exact_limits() -> None:
    # Goodman's limits held together in 88.75 % of such surveys instead of 95 % (k = 2,049, n = 1,000, epsilon 4).
    cells = [(str(cell), 40, 1000) for cell in range(2049)]
    assert estimate_shares(cells, OPTION, epsilon=1, coverage="simultaneous").method == "exact"
    assert four_way(coverage="simultaneous").method == "wilson"


def test_tidy_shares_of_exclusive_categories_add_up_to_one() -> None:
    tidy = [cell.tidy for cell in four_way().cells]
    assert sum(value or 0 for value in tidy) == pytest.approx(1)
    # The nearest point of the simplex drops the fourth and lowers the others by equal amounts.
    assert tidy == pytest.approx([0.655031, 0.288961, 0.056008, 0], abs=SIX_DIGITS)


def test_tidy_shares_of_options_are_each_brought_into_range() -> None:
    result = options(("a", 10, 100), ("b", 90, 100), ("c", 50, 100))
    assert [cell.tidy for cell in result.cells] == pytest.approx([0.0, 1.0, 0.5])


def test_an_option_is_judged_by_the_reports_that_asked_it() -> None:
    result = options(("a", 20, 50), ("b", 20, 100), ("c", 0, 0))
    alone = estimate_shares([("a", 20, 50)], OPTION, epsilon=1, method=result.method).cells[0]
    cell, _, unasked = result.cells
    assert (cell.estimate, cell.se, cell.low, cell.high) == (alone.estimate, alone.se, alone.low, alone.high)
    assert [each.get("asked") for each in (cell.to_json() for cell in result.cells)] == [50, None, 0]
    assert unasked.estimate is None
    assert "No report has asked about 1 of 3 cells yet." in result.warnings
    json.dumps(result.to_json(), allow_nan=False)


def test_an_option_asked_of_half_of_a_census_is_a_sample_of_it() -> None:
    census = options(("a", 40, 50), population=100, method="wilson").cells[0]
    sample = estimate_shares([("a", 40, 50)], OPTION, epsilon=1, population=100, method="wilson").cells[0]
    assert (census.se, census.low, census.high) == (sample.se, sample.low, sample.high)


def test_result_names_the_design_and_what_its_intervals_promise() -> None:
    read = four_way().to_json()
    assert (read["coverage"], read["p"], read["q"]) == ("pointwise", FOUR_WAY.p, FOUR_WAY.q)


def test_one_impossible_cell_of_many_is_told_with_its_chance() -> None:
    result = four_way((4000, 3000, 2500, 500))
    (sentence,) = result.warnings
    assert "“4”" in sentence
    assert "non-compliance or tampering" in sentence
    constrained = result.cells[3].constrained
    assert constrained is not None
    assert constrained.low == 0 < constrained.high
    assert [cell.constrained for cell in result.cells[:3]] == [None] * 3


def test_what_chance_does_among_many_cells_is_called_chance() -> None:
    counts = np.random.default_rng(3).binomial(2000, OPTION.q, size=400)
    result = estimate_shares([(str(cell), int(count), 2000) for cell, count in enumerate(counts)], OPTION, epsilon=1)
    (sentence,) = result.warnings
    outside = sum(cell.constrained is not None for cell in result.cells)
    assert f"{outside} of 400 cells" in sentence
    assert "chance does this" in sentence
    assert "tampering" not in sentence


@pytest.mark.parametrize(("count", "method"), [(0, "wald"), (0, "exact"), (1, "exact")])
def test_many_cells_never_bring_a_flood_of_sentences(count: int, method: str) -> None:
    cells = [(str(cell), count, 10) for cell in range(128)]
    result = estimate_shares(cells, SupportDesign(0.3, 0.01), epsilon=3, method=method)
    assert len(result.warnings) <= 2
    assert all(len(sentence) < 400 for sentence in result.warnings)


def test_cells_that_are_not_narrowed_down_are_named() -> None:
    (sentence,) = options(("a", 2, 4), ("b", 50, 100), method="exact").warnings
    assert sentence == "4 reports do not narrow down “a” yet: every share is possible there. Collect more."


def test_tens_of_thousands_of_cells_are_no_obstacle() -> None:
    counts = np.random.default_rng(4).binomial(10**6, 0.27, size=20_000).tolist()
    cells = [(str(cell), count, 10**6) for cell, count in enumerate(counts)]
    result = estimate_shares(cells, SupportDesign(0.5, 0.27), epsilon=1)
    assert sum(cell.tidy or 0 for cell in result.cells) == pytest.approx(1)


@pytest.mark.parametrize(
    ("cells", "choices", "words"),
    [
        ([], {}, "no cells"),
        ([("a", 1, 2), ("a", 1, 2)], {}, "same name"),
        ([("a", 1, 2), ("b", 1, 3)], {}, "different numbers of reports"),
        ([("a", 1, 2), ("b", 3, 2)], {}, "count 3 is not between 0 and n = 2"),
        ([("a", 1, 2)], {"coverage": "sometimes"}, "choose one of pointwise, simultaneous, anytime"),
        ([("a", 1, 2)], {"coverage": "anytime", "method": "exact"}, "leave the method out"),
        ([("a", 1, 2)], {"beta": 1.0}, "not in \\[0, 1\\)"),
        ([("a", 1, 2)], {"n": 5, "population": 4}, "population 4 is smaller than n = 5"),
    ],
)
def test_cells_that_cannot_be_are_refused(
    cells: list[tuple[str, int, int]], choices: dict[str, object], words: str
) -> None:
    with pytest.raises(EstimateError, match=words):
        estimate_shares(cells, OPTION, epsilon=1, **choices)  # type: ignore[arg-type]
