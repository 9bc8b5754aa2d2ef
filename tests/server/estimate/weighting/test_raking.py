"""Raked weights and the share that they give, against SciPy's optimum, the jackknife and post-strata."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import optimize, special
from tests.server.estimate.weighted import known

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.support import Figures, SupportDesign
from hushpoll_server.estimate.weighting.population_shares import Share
from hushpoll_server.estimate.weighting.poststrata import poststratify
from hushpoll_server.estimate.weighting.raked_share import raked_share
from hushpoll_server.estimate.weighting.raking import Raked, rake

DESIGN = SupportDesign(0.75, 0.25)
MARGINS: dict[str, dict[str, Share]] = {
    "faculty": {"arts": "0.4", "law": "0.35", "science": "0.25"},
    "age": {"young": "1/2", "old": 0.5},
}


def sample(seed: int, n: int = 400) -> dict[str, list[str]]:
    rng = np.random.default_rng(seed)
    age = rng.choice(["young", "old"], n, p=[0.7, 0.3])
    faculty = np.where(
        age == "young",
        rng.choice(["arts", "law", "science"], n, p=[0.2, 0.3, 0.5]),
        rng.choice(["arts", "law", "science"], n, p=[0.4, 0.4, 0.2]),
    )
    return {"faculty": faculty.tolist(), "age": age.tolist()}


def test_every_margin_holds() -> None:
    rows = sample(1)
    raked = rake(MARGINS, rows)
    assert raked.weights.mean() == pytest.approx(1, abs=1e-9)
    for name, margin in MARGINS.items():
        for label, share in margin.items():
            assert raked.weights[np.array(rows[name]) == label].sum() / 400 == pytest.approx(
                float(Fraction(share)), abs=1e-9
            )
    assert raked.largest_gap < 1e-9
    assert 1 < raked.rounds < 50


@pytest.mark.parametrize("seed", [2, 3])
def test_the_weights_are_the_entropy_optimum_that_scipy_finds(seed: int) -> None:
    """Minimize Σw ln(w/d) under the margins, by its convex dual: w = d exp(xᵀb)."""
    rows, start = sample(seed), np.random.default_rng(seed).lognormal(0, 0.4, 400)
    start = start / start.mean()
    columns, targets = [np.ones(400)], [400.0]
    for name, margin in MARGINS.items():
        for label, share in list(margin.items())[1:]:
            columns.append((np.array(rows[name]) == label).astype(float))
            targets.append(400 * float(Fraction(share)))
    x, t = np.column_stack(columns), np.array(targets)

    def height(b: Figures) -> float:
        return float((start * np.exp(x @ b)).sum() - t @ b)

    def slope(b: Figures) -> Figures:
        return np.asarray(x.T @ (start * np.exp(x @ b)) - t)

    dual = optimize.minimize(height, np.zeros(len(t)), jac=slope, method="BFGS", options={"gtol": 1e-9})
    assert rake(MARGINS, rows, start=start).weights == pytest.approx(start * np.exp(x @ dual.x), rel=1e-7)


def test_one_variable_is_post_stratification() -> None:
    rows, y = sample(4), np.random.default_rng(40).random(400) < 0.4
    faculty = np.array(rows["faculty"])
    strata = {
        label: (int(y[faculty == label].sum()), int((faculty == label).sum())) for label in ("arts", "law", "science")
    }
    raked = rake({"faculty": MARGINS["faculty"]}, {"faculty": rows["faculty"]})
    one, other = raked_share(y, raked, DESIGN).cell, poststratify(strata, MARGINS["faculty"], DESIGN).cell
    assert (one.estimate, one.se) == pytest.approx((other.estimate, other.se), rel=1e-9)


def test_the_standard_error_is_near_that_of_raking_again_without_each_report() -> None:
    rows, y = sample(5), (np.random.default_rng(50).random(400) < 0.45).astype(float)
    shown = raked_share(y, rake(MARGINS, rows), DESIGN).cell
    keep = [np.delete(np.arange(400), place) for place in range(400)]
    left_out = np.array([_share(y[rest], rake(MARGINS, _rows(rows, rest))) for rest in keep])
    jackknife = np.sqrt(399 / 400 * ((left_out - left_out.mean()) ** 2).sum())
    assert shown.se == pytest.approx(jackknife, rel=0.03)


def _rows(rows: dict[str, list[str]], places: np.ndarray) -> dict[str, list[str]]:
    return {name: np.array(column)[places].tolist() for name, column in rows.items()}


def _share(y: np.ndarray, raked: Raked) -> float:
    return float((raked.weights @ y / raked.weights.sum() - 0.25) / 0.5)


def test_margins_that_already_hold_give_equal_weights() -> None:
    rows = {"a": ["x", "x", "y", "y"] * 30, "b": ["u", "v", "u", "v"] * 30}
    raked = rake({"a": {"x": 0.5, "y": 0.5}, "b": {"u": 0.5, "v": 0.5}}, rows)
    assert raked.weights == pytest.approx(np.ones(120))


def test_trimmed_weights_meet_margins_and_the_largest_weight() -> None:
    rows, y = sample(6), np.random.default_rng(60).random(400) < 0.4
    free = rake(MARGINS, rows)
    capped = rake(MARGINS, rows, start=special.expit(np.linspace(-3, 3, 400)), largest=3)
    untrimmed = rake(MARGINS, rows, start=special.expit(np.linspace(-3, 3, 400)))
    assert untrimmed.weights.max() > 3 * (1 + 1e-6)
    assert capped.weights.max() <= 3 * (1 + 1e-9)
    assert capped.largest_gap < 1e-9
    assert capped.trimmed > 0 == free.trimmed
    assert any("trimmed" in sentence for sentence in raked_share(y, capped, DESIGN).warnings)


@pytest.mark.parametrize(
    ("margins", "rows", "sentence"),
    [
        ({"a": {"x": 0.5, "y": 0.5}}, {"a": ["x", "x"]}, "no row has y in a"),
        ({"a": {"x": 1, "y": 0}}, {"a": ["x", "y"]}, "the population has nobody with y in a"),
        ({"a": {"x": 1}}, {"a": ["x", "z"]}, "no share of the label in row 2"),
        ({"a": {"x": 0.5, "y": 0.4}}, {"a": ["x", "y"]}, "add up to 0.9"),
        ({"a": {"x": 1}}, {"b": ["x"]}, "do not have the same variables"),
        ({}, {}, "do not have the same variables"),
        ({"a": {"x": 1}}, {"a": []}, "one label for each report"),
        ({"a": {"x": 1}, "b": {"u": 1}}, {"a": ["x"], "b": ["u", "u"]}, "one label for each report"),
        # Everybody with x has u, so their shares cannot differ.
        (
            {"a": {"x": 0.3, "y": 0.7}, "b": {"u": 0.6, "v": 0.4}},
            {"a": ["x", "x", "y"], "b": ["u", "u", "v"]},
            "some combinations of labels have no rows",
        ),
    ],
)
def test_margins_that_no_weights_can_meet_are_refused_with_the_cure(
    margins: dict[str, dict[str, Share]], rows: dict[str, list[str]], sentence: str
) -> None:
    with pytest.raises(EstimateError, match=sentence):
        rake(margins, rows)


@pytest.mark.parametrize("largest", [0.5, float("nan"), float("inf"), 1.01])
def test_a_largest_weight_that_leaves_no_solution_is_refused(largest: float) -> None:
    with pytest.raises(EstimateError, match=r"largest|larger"):
        rake(MARGINS, sample(7), largest=largest)


def test_reports_must_be_as_many_as_rows() -> None:
    with pytest.raises(EstimateError, match="3 reports for 400 rows"):
        raked_share([1, 0, 1], rake(MARGINS, sample(8)), DESIGN)


@pytest.mark.parametrize("yes", [0, 1])
@pytest.mark.parametrize("population", [None, 20_000])
def test_reports_that_all_agree_are_not_certain(yes: int, population: int | None) -> None:
    cell = known(raked_share(np.full(400, yes), rake(MARGINS, sample(9)), DESIGN, population=population).cell)
    assert cell.se > 0.04
    assert cell.high - cell.low > 0.01


def test_labels_with_few_reports_are_named() -> None:
    rows = {"a": ["x"] * 100 + ["y"] * 3}
    sentences = raked_share(np.arange(103) < 50, rake({"a": {"x": 0.9, "y": 0.1}}, rows), DESIGN).warnings
    assert any("Fewer than 10 reports with a y" in sentence for sentence in sentences)


def test_a_fit_that_follows_few_reports_closely_does_not_take_the_randomizing_away() -> None:
    rows = {"faculty": ["arts"] * 10 + ["law"]}
    raked = rake({"faculty": {"arts": "1/2", "law": "1/2"}}, rows)
    cell = raked_share([1] * 10 + [0], raked, DESIGN).cell
    assert cell.se is not None
    assert cell.low is not None
    assert cell.high is not None
    assert cell.se > 0.3
    assert cell.high - cell.low > 1
