"""Shares from reports with weights, against closed forms, the jackknife and every sample of a small population."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from tests.server.estimate.weighted import known

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.intervals import wilson
from hushpoll_server.estimate.shares import estimate_shares, estimate_yes_no
from hushpoll_server.estimate.support import SupportDesign
from hushpoll_server.estimate.weighting.shares import WeightClass, shares_of_classes, weighted_share, weighted_shares

DESIGN = SupportDesign(0.75, 0.25)
OTHERS = (DESIGN, SupportDesign(0.25, 0.75), SupportDesign(0.9, 0.3))


def survey(seed: int, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return (rng.random(n) < 0.4).astype(float), rng.lognormal(0, 0.6, n)


@pytest.mark.parametrize("design", OTHERS)
def test_estimate_and_standard_error_are_those_of_the_textbook(design: SupportDesign) -> None:
    y, w = survey(1)
    cell = weighted_share(y, w, design).cell
    rate = (w * y).sum() / w.sum()
    assert cell.estimate == pytest.approx((rate - design.q) / (design.p - design.q), rel=1e-12)
    variance = (w**2 * (y - rate) ** 2).sum() / w.sum() ** 2 / (design.p - design.q) ** 2
    assert cell.se == pytest.approx(np.sqrt(variance), rel=1e-12)


def test_the_standard_error_is_near_the_jackknife() -> None:
    y, w = survey(2)
    z = (y - 0.25) / 0.5
    left_out = ((w * z).sum() - w * z) / (w.sum() - w)
    jackknife = np.sqrt(((left_out - left_out.mean()) ** 2).sum() * 399 / 400)
    assert weighted_share(y, w, DESIGN).cell.se == pytest.approx(jackknife, rel=0.01)


def test_limits_are_wilsons_for_the_smaller_effective_number_of_reports() -> None:
    y, w = survey(3)
    result = weighted_share(y, w, DESIGN)
    rate = (w * y).sum() / w.sum()
    kish = w.sum() ** 2 / (w**2).sum()
    matched = rate * (1 - rate) / ((w**2 * (y - rate) ** 2).sum() / w.sum() ** 2)
    n = min(kish, matched)
    assert (result.kish_n, result.cell.effective_n) == pytest.approx((kish, n))
    limits = wilson(rate * n, n, 0.95)
    assert (result.cell.low, result.cell.high) == pytest.approx(
        ((float(limits.low) - 0.25) / 0.5, (float(limits.high) - 0.25) / 0.5)
    )
    assert result.method == "wilson"


@pytest.mark.parametrize("weight", [1.0, 0.1, 1e-300, 1e300])
@pytest.mark.parametrize("population", [None, 1000])
@pytest.mark.parametrize("yes", [0, 3, 160, 400])
def test_equal_weights_give_the_unweighted_figures_to_the_digit(
    weight: float, population: int | None, yes: int
) -> None:
    y = np.arange(400) < yes
    weighted = weighted_share(y, np.full(400, weight), DESIGN, population=population)
    plain = estimate_yes_no(yes, 400, DESIGN, epsilon=None, population=population)
    [cell] = plain.cells
    assert (weighted.cell.estimate, weighted.cell.se) == (cell.estimate, cell.se)
    assert (weighted.cell.low, weighted.cell.high, weighted.method) == (cell.low, cell.high, plain.method)
    assert weighted.warnings == plain.warnings
    assert weighted.kish_n == 400


def test_weights_that_hardly_differ_give_nearly_the_unweighted_figures() -> None:
    y = np.arange(400) < 160
    for population in (None, 1000):
        weighted = weighted_share(y, 1 + 1e-9 * np.arange(400), DESIGN, population=population).cell
        [cell] = estimate_yes_no(160, 400, DESIGN, epsilon=None, population=population).cells
        assert (weighted.estimate, weighted.se, weighted.low, weighted.high) == pytest.approx(
            (cell.estimate, cell.se, cell.low, cell.high), abs=1e-6
        )


def test_only_ratios_of_weights_matter() -> None:
    y, w = survey(4)
    one, other = (weighted_share(y, weights, DESIGN, population=5000).cell for weights in (w, 1e200 * w))
    assert one.figures == pytest.approx(other.figures, rel=1e-9)


def test_a_design_told_the_other_way_round_gives_the_same_share() -> None:
    y, w = survey(5)
    one = weighted_share(y, w, SupportDesign(0.8, 0.3), population=5000).cell
    other = weighted_share(1 - y, w, SupportDesign(0.2, 0.7), population=5000).cell
    assert one.figures == pytest.approx(other.figures, rel=1e-9)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([1, 0, 2], "row 2 is not a positive finite number"),
        ([1, 2, -1], "row 3 is not a positive finite number"),
        ([float("nan"), 1, 1], "row 1 is not a positive finite number"),
        ([1, float("inf"), 1], "row 2 is not a positive finite number"),
        ([1, 2], "not one weight for each of 3"),
        (["a", 1, 2], "not a number"),
    ],
)
def test_weights_that_mean_nothing_are_refused(weights: list[Any], sentence: str) -> None:
    with pytest.raises(EstimateError, match=sentence):
        weighted_share([1, 0, 1], weights, DESIGN)


@pytest.mark.parametrize("reports", [[1, 0.5, 0], [1, 2, 0], [1, float("nan"), 0], ["x", 1, 0], [[[1]], [[0]], [[1]]]])
def test_reports_that_are_not_0_and_1_are_refused(reports: list[Any]) -> None:
    with pytest.raises(EstimateError):
        weighted_share(reports, [1, 2, 3], DESIGN)


def test_a_population_below_the_number_of_reports_is_refused() -> None:
    with pytest.raises(EstimateError, match="smaller than n = 3"):
        weighted_share([1, 0, 1], [1, 2, 3], DESIGN, population=2)


@pytest.mark.parametrize("population", [None, 10_000])
@pytest.mark.parametrize(
    ("y", "w"),
    [
        ([1], [7]),
        ([1, 1, 1], [1, 2, 3]),
        ([0, 0, 0], [1, 2, 3]),
        ([1, 0], [1, 1e12]),
        ([1] * 50 + [0], [1.0] * 50 + [1e-12]),
        ([1] * 50 + [0], [1.0] * 50 + [1e12]),
    ],
)
def test_no_edge_has_a_standard_error_or_an_interval_that_claims_certainty(
    y: list[int], w: list[float], population: int | None
) -> None:
    cell = known(weighted_share(y, w, DESIGN, population=population).cell)
    assert np.isfinite(cell).all()
    assert cell.low <= cell.estimate + 1e-9
    assert cell.estimate <= cell.high + 1e-9
    # One report cannot be more certain than its own randomizing: √(pq)/(p - q) over the root of all reports.
    assert cell.se > 0.8 * 0.866 / np.sqrt(len(y))
    assert cell.high - cell.low > cell.se


def test_without_reports_there_is_no_figure_but_a_sentence() -> None:
    result = weighted_share([], [], DESIGN)
    assert result.cell.figures == dict.fromkeys(("estimate", "se", "low", "high", "effective_n"))
    assert result.warnings == ("No reports yet: there is nothing to estimate from.",)


def test_the_cost_of_unequal_weights_is_said() -> None:
    w = np.where(np.arange(400) < 20, 50.0, 1.0)
    [sentence] = weighted_share(survey(6)[0], w, DESIGN).warnings
    assert "400 reports tell as much as" in sentence


# With a chance of π a person is asked; the weight is 1/π. All 2⁸ samples and all their reports are summed up.
PEOPLE = np.array([1, 0, 0, 1, 0, 1, 0, 0], float)
CHANCES = np.array([0.9, 0.5, 0.5, 0.7, 0.9, 0.6, 0.8, 0.7])


@pytest.mark.parametrize("gap", [0.5, 0.96])
def test_the_variance_in_a_finite_population_is_exact_for_totals(gap: float) -> None:
    """Enumerate every sample and every report: the mean of the variance formula is the variance of Σw(z - F)."""
    p, q = (1 + gap) / 2, (1 - gap) / 2
    share, n = PEOPLE.mean(), PEOPLE.size
    added = np.where(PEOPLE == 1, p * (1 - p), q * (1 - q)) / gap**2
    # Closed form of the two parts: Σ(1/π - 1)(x - F)² + ΣV/π
    true = ((1 / CHANCES - 1) * (PEOPLE - share) ** 2 + added / CHANCES).sum() / n**2
    variance = formula = 0.0
    for asked in product((0, 1), repeat=n):
        chosen = np.array(asked, bool)
        chance = np.where(chosen, CHANCES, 1 - CHANCES).prod()
        w = 1 / CHANCES[chosen]
        # Given who was asked, the reports are independent: means and mean squares are sums over people.
        x, v = PEOPLE[chosen], added[chosen]
        deviation = (w * (x - share)).sum()
        variance += chance * (deviation**2 + (w**2 * v).sum()) / n**2
        # Σ w(w - 1)(z - F)² + Σ w V_i with E(z - F)² = (x - F)² + V
        formula += chance * ((w * (w - 1) * ((x - share) ** 2 + v)).sum() + (w * v).sum()) / n**2
    # Sampling people one by one leaves Σw(x - F) unbiased for 0.
    assert variance == pytest.approx(true, rel=1e-12)
    assert formula == pytest.approx(true, rel=1e-12)


def test_the_population_corrects_who_was_asked_and_never_the_randomizing() -> None:
    y, w = survey(7, 900)
    w = 1 + w
    people = w * 3000 / w.sum()
    rate = (w * y).sum() / w.sum()
    z, f = (y - 0.25) / 0.5, (rate - 0.25) / 0.5
    added = 0.75 * 0.25 / 0.25
    expected = (people * (people - 1) * (z - f) ** 2).sum() / 3000**2 + added / 3000
    assert people.min() > 1
    assert weighted_share(y, w, DESIGN, population=3000).cell.se == pytest.approx(np.sqrt(expected), rel=1e-12)
    # When everybody was asked, the randomizing remains.
    census = weighted_share(y, 1 + 1e-9 * w, DESIGN, population=900).cell
    assert census.se == pytest.approx(np.sqrt(added / 900), rel=1e-4)


def test_equal_chances_give_the_exact_variance_of_samples_without_replacement() -> None:
    """All samples of 5 of 8 people: the variance (1 - n/N)S²/n + V̄/n of the mean is that of the formula on average."""
    added = 0.75
    samples = [PEOPLE[list(rows)] for rows in combinations(range(8), 5)]
    true = np.var([x.mean() for x in samples]) + added / 5
    spread = PEOPLE.var(ddof=1)
    assert true == pytest.approx((1 - 5 / 8) * spread / 5 + added / 5)
    assert true == pytest.approx((1 - 5 / 8) * (spread + added) / 5 + added / 8)


def test_each_share_of_several_answers_is_its_share_alone() -> None:
    rng = np.random.default_rng(8)
    table, w = (rng.random((600, 3)) < (0.5, 0.4, 0.3)).astype(float), rng.lognormal(0, 0.5, 600)
    together = weighted_shares(["a", "b", "c"], table, w, DESIGN)
    for place, cell in enumerate(together.cells):
        assert cell.figures == pytest.approx(weighted_share(table[:, place], w, DESIGN).cell.figures)
    wide = weighted_shares(["a", "b", "c"], table, w, DESIGN, coverage="simultaneous")
    alone = weighted_share(table[:, 0], w, DESIGN, level=1 - 0.05 / 3).cell
    assert (wide.cells[0].low, wide.cells[0].high) == pytest.approx((alone.low, alone.high))
    assert "estimate" not in together.to_json()


def test_equal_weights_of_several_answers_give_the_unweighted_shares() -> None:
    table = np.eye(3)[np.repeat([0, 1, 2], [200, 150, 50])]
    weighted = weighted_shares(["a", "b", "c"], table, np.ones(400), DESIGN)
    plain = estimate_shares([("a", 200, 400), ("b", 150, 400), ("c", 50, 400)], DESIGN, epsilon=None)
    assert [(cell.estimate, cell.se, cell.low, cell.high) for cell in weighted.cells] == [
        (cell.estimate, cell.se, cell.low, cell.high) for cell in plain.cells
    ]


def test_classes_of_equal_weight_give_the_figures_of_the_single_reports() -> None:
    y, w = survey(9)[0], np.repeat([1.0, 2.5, 4.0], [100, 200, 100])
    classes = [
        WeightClass(weight=value, counts=[int(y[w == value].sum())], n=int((w == value).sum())) for value in (1, 2.5, 4)
    ]
    for population in (None, 4000):
        one = weighted_share(y, w, DESIGN, population=population).cell
        other = shares_of_classes(["yes"], classes, DESIGN, population=population).cell
        assert one.figures == pytest.approx(other.figures, rel=1e-12)


@pytest.mark.parametrize(
    "classes",
    [
        [WeightClass(weight=1, counts=[5], n=4)],
        [WeightClass(weight=1, counts=[1, 2], n=4)],
        [WeightClass(weight=0, counts=[1], n=4)],
        [WeightClass(weight=1, counts=[-1], n=4)],
    ],
)
def test_counts_that_no_class_can_have_are_refused(classes: list[WeightClass]) -> None:
    with pytest.raises(EstimateError):
        shares_of_classes(["yes"], classes, DESIGN)


def test_weighted_limits_are_never_said_to_hold_at_every_look() -> None:
    with pytest.raises(EstimateError, match="one look"):
        weighted_shares(["yes"], [[1], [0]], [1, 2], DESIGN, coverage="anytime")
