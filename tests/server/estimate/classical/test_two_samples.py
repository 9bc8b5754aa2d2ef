"""Two samples: both unknowns are those of the likelihood, and intervals cover without clipping."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize, special

from hushpoll_server.estimate.classical.cheating import estimate_cheating
from hushpoll_server.estimate.classical.two_samples import TwoSampleResult
from hushpoll_server.estimate.classical.unknown_prevalence import DEPENDS, estimate_unrelated
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.yes_no_designs import NO_EPSILON, YesNoDesign, forced, unrelated

Numbers = NDArray[np.float64]
FORCED = [forced("3/4", 1), forced("1/2", 1)]


def brute_force(yes: Sequence[int], n: Sequence[int], rates: Callable[[Numbers], Numbers]) -> tuple[Numbers, Numbers]:
    """Return the top of the binomial likelihood by a general optimizer, and the inverse of its second derivatives."""

    def loss(x: Numbers) -> float:
        rate = np.clip(rates(x), 1e-12, 1 - 1e-12)
        return float(-(np.array(yes) * np.log(rate) + (np.array(n) - yes) * np.log(1 - rate)).sum())

    found = optimize.minimize(loss, [0.3, 0.3], method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-12})
    steps = 1e-4 * np.eye(2)
    curves = [
        [
            (loss(found.x + i + j) - loss(found.x + i - j) - loss(found.x - i + j) + loss(found.x - i - j)) / 4e-8
            for j in steps
        ]
        for i in steps
    ]
    return np.asarray(found.x), np.asarray(np.linalg.inv(curves), np.float64)


@pytest.mark.parametrize(("yes", "n"), [((400, 300), (1000, 1000)), ((130, 260), (300, 900))])
def test_the_unrelated_question_has_the_figures_of_the_likelihood(yes: tuple[int, int], n: tuple[int, int]) -> None:
    p1, p2 = 0.7, 0.25
    result = estimate_unrelated(yes, n, ["0.7", "1/4"])
    top, inverse = brute_force(yes, n, lambda x: np.array([p1 * x[0] + (1 - p1) * x[1], p2 * x[0] + (1 - p2) * x[1]]))
    assert [cell.estimate for cell in result.cells] == pytest.approx(top, abs=1e-6)
    assert np.array(result.covariances) == pytest.approx(inverse, rel=1e-4)
    # Greenberg and others (1969)
    l1, l2 = yes[0] / n[0], yes[1] / n[1]
    variance = ((1 - p2) ** 2 * l1 * (1 - l1) / n[0] + (1 - p1) ** 2 * l2 * (1 - l2) / n[1]) / (p1 - p2) ** 2
    assert result.cells[0].se == pytest.approx(np.sqrt(variance), rel=1e-12)


def test_the_epsilon_of_the_unrelated_question_is_that_at_the_estimated_prevalence() -> None:
    result = estimate_unrelated((400, 300), (1000, 1000), ["0.7", "0.3"])
    prevalence = result.cells[1].estimate
    assert prevalence is not None
    assert prevalence == pytest.approx(0.225)
    known = [unrelated(p, prevalence).epsilon for p in ("0.7", "0.3")]
    assert [sample.epsilon for sample in result.samples] == pytest.approx([float(each) for each in known if each])
    assert result.epsilon == max(sample.epsilon or 0 for sample in result.samples)
    assert DEPENDS in result.warnings
    outside = estimate_unrelated((600, 10), (1000, 1000), ["0.7", "0.3"])
    assert outside.cells[1].estimate is not None
    assert outside.cells[1].estimate < 0
    assert outside.epsilon is None
    assert "lies outside 0 to 1" in outside.warnings[0]


@pytest.mark.parametrize(
    ("yes", "n", "designs"),
    [
        ((350, 500), (1000, 1000), FORCED),
        ((90, 260), (200, 500), [forced("3/4", "2/3"), forced("1/3", "3/4")]),
    ],
)
def test_the_check_for_cheating_has_the_figures_of_the_likelihood(
    yes: tuple[int, int], n: tuple[int, int], designs: list[YesNoDesign]
) -> None:
    a, b = (np.array([float(value) for value in column]) for column in zip(*((d.p, d.q) for d in designs), strict=True))
    result = estimate_cheating(yes, n, designs)
    top, inverse = brute_force(yes, n, lambda x: a * x[0] + b * x[1])
    assert [cell.estimate for cell in result.cells] == pytest.approx([*top, 1 - top.sum()], abs=1e-6)
    assert np.array(result.covariances)[:2, :2] == pytest.approx(inverse, rel=1e-3)
    assert result.cells[2].se == pytest.approx(np.sqrt(inverse.sum()), rel=1e-3)

    def height(rate: Numbers) -> float:
        return float((special.xlogy(yes, rate) + special.xlogy(np.subtract(n, yes), 1 - rate)).sum())

    best = max(height(a * share + b * (1 - share)) for share in np.linspace(0, 1, 100_001))
    statistic = 2 * (height(np.divide(yes, n)) - best)
    assert result.no_cheating is not None
    assert result.no_cheating.statistic == pytest.approx(statistic, abs=1e-5)


def test_clark_and_desharnais_own_formulas() -> None:
    # p is the probability of a forced yes: β = (λ2 - λ1)/(p2 - p1), π = (p2 λ1 - p1 λ2)/(p2 - p1), γ = 1 - π - β
    result = estimate_cheating((350, 500), (1000, 1000), FORCED)
    assert [cell.estimate for cell in result.cells] == pytest.approx([0.2, 0.6, 0.2])
    assert (result.epsilon, NO_EPSILON in result.warnings) == (None, True)


def simulate(kind: str, n: int, times: int, seed: int) -> Numbers:
    """Return how often the interval of each figure holds the true one."""
    rng, held = np.random.default_rng(seed), []
    for _ in range(times):
        if kind == "cheating":
            truth = np.array([0.2, 0.7, 0.1])
            yes = rng.binomial(n, [0.2 + 0.25 * 0.7, 0.2 + 0.5 * 0.7])
            cells = estimate_cheating(yes.tolist(), (n, n), FORCED).cells
        else:
            truth = np.array([0.15, 0.4])
            yes = rng.binomial(n, [0.7 * 0.15 + 0.3 * 0.4, 0.3 * 0.15 + 0.7 * 0.4])
            cells = estimate_unrelated(yes.tolist(), (n, n), ["0.7", "0.3"]).cells
        held.append(
            [
                cell.low < true < cell.high
                for cell, true in zip(cells, truth, strict=True)
                if cell.low is not None and cell.high is not None
            ]
        )
    return np.asarray(np.mean(held, axis=0))


@pytest.mark.parametrize("kind", ["cheating", "unrelated"])
@pytest.mark.parametrize("n", [50, 500])
def test_intervals_of_two_samples_cover(kind: str, n: int) -> None:
    assert simulate(kind, n, 400, seed=n).min() > 0.92


def figures(result: TwoSampleResult) -> list[float | None]:
    return [value for cell in result.cells for value in (cell.estimate, cell.se, cell.low, cell.high, cell.tidy)]


@pytest.mark.parametrize("yes", [(0, 0), (1, 1), (0, 1), (1, 0)])
@pytest.mark.parametrize("method", [None, "wald", "wilson", "exact"])
def test_one_report_of_each_sample_has_figures_with_some_width(yes: tuple[int, int], method: str | None) -> None:
    for result in (
        estimate_unrelated(yes, (1, 1), ["0.7", "0.3"], method=method),
        estimate_cheating(yes, (1, 1), FORCED, method=method),
    ):
        json.dumps(result.to_json(), allow_nan=False)
        for cell in result.cells:
            assert cell.low is not None
            assert cell.high is not None
            assert cell.se
            assert cell.high - cell.low > 0.5
            assert cell.tidy is not None
            assert 0 <= cell.tidy <= 1


@pytest.mark.parametrize("n", [(0, 0), (0, 9), (9, 0)])
def test_a_sample_without_reports_gives_no_figures_and_says_so(n: tuple[int, int]) -> None:
    for result in (estimate_unrelated((0, 0), n, ["0.7", "0.3"]), estimate_cheating((0, 0), n, FORCED)):
        assert set(figures(result)) == {None}
        assert "Both samples need some" in result.warnings[0]
        json.dumps(result.to_json(), allow_nan=False)


def test_tidy_figures_are_the_most_likely_possible_ones() -> None:
    result = estimate_cheating((500, 500), (1000, 1000), FORCED)
    tidy = [cell.tidy for cell in result.cells]
    assert tidy == pytest.approx([0.5, 0, 0.5], abs=1e-6)
    grid = np.array([(x, y) for x in np.linspace(0, 1, 201) for y in np.linspace(0, 1, 201) if x + y <= 1])
    rates = np.clip(grid[:, :1] + grid[:, 1:] * np.array([0.25, 0.5]), 1e-9, 1 - 1e-9)
    yes = np.array([700, 990])
    heights = (yes * np.log(rates) + (1000 - yes) * np.log(1 - rates)).sum(axis=1)
    other = [cell.tidy for cell in estimate_cheating((700, 990), (1000, 1000), FORCED).cells]
    assert other[:2] == pytest.approx(grid[heights.argmax()], abs=0.006)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: estimate_unrelated((1, 1), (2, 2), ["0.7", "0.7"]), "same probability"),
        (lambda: estimate_unrelated((1, 1), (2, 2), ["0.7"]), "give both"),
        (lambda: estimate_unrelated((1,), (2,), ["0.7", "0.3"]), "two samples are needed"),
        (lambda: estimate_unrelated((3, 1), (2, 2), ["0.7", "0.3"]), "not between 0 and n = 2"),
        (lambda: estimate_cheating((1, 1), (2, 2), [FORCED[0], FORCED[0]]), "cheaters cannot be told"),
        (lambda: estimate_cheating((1, 1), (2, 2), FORCED[:1]), "give both"),
    ],
)
def test_what_cannot_be_told_apart_is_refused_with_the_cure(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(EstimateError, match=sentence):
        call()
