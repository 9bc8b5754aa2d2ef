"""Post-stratified shares, against closed forms, enumeration of every count, and the plain estimate."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats
from tests.server.estimate.weighted import known

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.shares import estimate_yes_no
from hushpoll_server.estimate.support import SupportDesign
from hushpoll_server.estimate.weighting.poststrata import poststratify
from hushpoll_server.estimate.weighting.shares import weighted_share

DESIGN = SupportDesign(0.75, 0.25)
STRATA = {"arts": (40, 100), "law": (210, 400)}
SHARES = {"arts": "2/5", "law": "3/5"}


def test_the_whole_is_the_weighted_sum_of_its_strata() -> None:
    result = poststratify(STRATA, SHARES, DESIGN)
    cell = known(result.cell)
    arts, law = (known(estimate_yes_no(*counts, DESIGN, epsilon=None).cells[0]) for counts in STRATA.values())
    assert cell.estimate == pytest.approx(0.4 * arts.estimate + 0.6 * law.estimate)
    variance = sum(w**2 * c / n * (1 - c / n) / n / 0.25 for w, (c, n) in zip((0.4, 0.6), STRATA.values(), strict=True))
    assert cell.se == pytest.approx(np.sqrt(variance))
    reach = np.hypot(0.4 * (arts.estimate - arts.low), 0.6 * (law.estimate - law.low))
    assert cell.low == pytest.approx(cell.estimate - reach)
    assert [stratum.cell.low for stratum in result.strata] == [arts.low, law.low]


def test_it_is_the_share_with_the_weights_of_the_strata_and_has_a_smaller_variance() -> None:
    y = np.repeat([1, 0, 1, 0], [40, 60, 210, 190])
    w = np.repeat([0.4 / 100, 0.6 / 400], [100, 400])
    weighted, strata = weighted_share(y, w, DESIGN), poststratify(STRATA, SHARES, DESIGN)
    assert strata.cell.estimate == pytest.approx(weighted.cell.estimate)
    assert strata.kish_n == pytest.approx(weighted.kish_n)
    assert known(strata.cell).se < known(weighted.cell).se


@pytest.mark.parametrize("design", [DESIGN, SupportDesign(0.25, 0.75), SupportDesign(0.9, 0.4)])
@pytest.mark.parametrize("population", [None, 2000])
def test_one_stratum_is_the_plain_estimate(design: SupportDesign, population: int | None) -> None:
    cell = poststratify({"all": (300, 700)}, {"all": 1}, design, population=population).cell
    [plain] = estimate_yes_no(300, 700, design, epsilon=None, population=population).cells
    assert (cell.estimate, cell.se, cell.low, cell.high) == pytest.approx(
        (plain.estimate, plain.se, plain.low, plain.high), rel=1e-12
    )


@pytest.mark.parametrize("shares", [(0.3, 0.3), (0.0, 0.8), (0.8, 0.0), (0.0, 0.0)])
def test_limits_of_small_strata_hold_by_enumeration(shares: tuple[float, float]) -> None:
    """Every pair of counts of 30 and 20 reports, weighted by its chance, at ε = 2: 95 % limits hold .94 or more."""
    design, sizes = SupportDesign(0.88, 0.12), (30, 20)
    target, held = 0.3 * shares[0] + 0.7 * shares[1], 0.0
    chances = [stats.binom.pmf(np.arange(n + 1), n, design.rate(f)) for n, f in zip(sizes, shares, strict=True)]
    for one in np.flatnonzero(chances[0] > 1e-4):
        for other in np.flatnonzero(chances[1] > 1e-4):
            cell = known(poststratify({"a": (one, 30), "b": (other, 20)}, {"a": 0.3, "b": 0.7}, design).cell)
            held += cell.holds(target) * chances[0][one] * chances[1][other]
    assert held > 0.94


def test_a_finite_population_corrects_each_stratum() -> None:
    cell = poststratify(STRATA, SHARES, DESIGN, population=1000).cell
    variance = 0.0
    for share, (yes, n) in zip((0.4, 0.6), STRATA.values(), strict=True):
        rate, size = yes / n, share * 1000
        variance += share**2 * ((1 - n / size) * rate * (1 - rate) / 0.25 / n + 0.75 / size)
    assert cell.se == pytest.approx(np.sqrt(variance))


def test_an_empty_stratum_leaves_the_whole_open_and_says_what_to_do() -> None:
    result = poststratify({"arts": (40, 100)}, SHARES, DESIGN)
    assert result.cell.figures == dict.fromkeys(("estimate", "se", "low", "high", "effective_n"))
    assert result.strata[0].cell.estimate == pytest.approx(0.3)
    assert "No reports from law" in result.warnings[0]
    assert "join" in result.warnings[0]
    json.dumps(result.to_json(), allow_nan=False)


@pytest.mark.parametrize("yes", [0, 1])
@pytest.mark.parametrize("population", [None, 5000])
def test_a_stratum_with_one_report_is_said_and_is_not_certain(yes: int, population: int | None) -> None:
    result = poststratify({"arts": (40, 100), "law": (yes, 1)}, SHARES, DESIGN, population=population)
    assert "Fewer than 10 reports from law" in result.warnings[-1]
    cell = known(result.cell)
    assert cell.se > 0.5
    assert cell.high - cell.low > 1


def test_a_stratum_that_nobody_of_the_population_belongs_to_changes_nothing() -> None:
    with_it = poststratify({**STRATA, "guests": (3, 9)}, {**SHARES, "guests": 0}, DESIGN)
    assert with_it.cell == poststratify(STRATA, SHARES, DESIGN).cell
    assert with_it.n == 509


def test_without_reports_there_is_a_sentence() -> None:
    assert poststratify({}, SHARES, DESIGN).warnings == ("No reports yet: there is nothing to estimate from.",)


@pytest.mark.parametrize(
    ("strata", "shares", "sentence"),
    [
        (STRATA, {"arts": 0.4, "law": 0.5}, "add up to 0.9"),
        (STRATA, {"arts": 1.4, "law": -0.4}, "not between 0 and 1"),
        (STRATA, {"arts": "many", "law": 0.6}, "not a number"),
        (STRATA, {"arts": float("nan"), "law": 0.6}, "not a number"),
        (STRATA, {"arts": 1}, "no share of law"),
        ({"arts": (5, 4)}, {"arts": 1}, "between 0 and n"),
        (STRATA, {}, "add up to 0"),
    ],
)
def test_figures_that_no_population_can_have_are_refused(
    strata: dict[str, tuple[int, int]], shares: dict[str, float | str], sentence: str
) -> None:
    with pytest.raises(EstimateError, match=sentence):
        poststratify(strata, shares, DESIGN)


def test_a_stratum_with_more_reports_than_people_is_refused() -> None:
    with pytest.raises(EstimateError, match="the stratum law has 400 reports and 360 people"):
        poststratify(STRATA, SHARES, DESIGN, population=600)


def test_thirds_with_six_digits_add_up() -> None:
    thirds = dict.fromkeys("abc", "0.333333")
    cell = poststratify(dict.fromkeys("abc", (40, 100)), thirds, DESIGN).cell
    assert cell.estimate == pytest.approx(0.3)
