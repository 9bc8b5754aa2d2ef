"""Pooled shares of several designs, against SciPy's optimum, Wilson's limits and enumeration of every count."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import optimize, stats
from tests.server.estimate.weighted import known

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.shares import estimate_yes_no
from hushpoll_server.estimate.weighting.common_share import CommonShare
from hushpoll_server.estimate.weighting.pooling import Pooled, PooledPart, pool
from hushpoll_server.estimate.yes_no_designs import YesNoDesign, crosswise, kuk, mangat, triangular

COINS, STRONG = kuk("3/4", "1/4"), kuk("9/10", "1/10")


def pooled(*parts: tuple[int, int, YesNoDesign]) -> Pooled:
    return pool(
        [PooledPart(name=f"{place}", yes=yes, n=n, design=known) for place, (yes, n, known) in enumerate(parts)]
    )


def log_likelihood(share: float, parts: list[tuple[int, int, YesNoDesign]]) -> float:
    rates = [(yes, n, known.support.rate(share)) for yes, n, known in parts]
    return math.fsum(yes * math.log(rate) + (n - yes) * math.log1p(-rate) for yes, n, rate in rates)


CASES = [
    [(400, 1000, COINS), (300, 900, STRONG)],
    [(240, 1000, COINS), (80, 900, STRONG)],
    [(700, 1000, COINS), (850, 900, STRONG), (30, 60, mangat("2/3"))],
    [(40, 50, triangular("1/3")), (20, 90, crosswise("1/5"))],
]


@pytest.mark.parametrize("parts", CASES)
def test_the_estimate_is_the_most_likely_share_that_scipy_finds(parts: list[tuple[int, int, YesNoDesign]]) -> None:
    result = known(pooled(*parts).cell)
    common = CommonShare.of([estimate_yes_no(c, n, d.support, epsilon=None).tally("yes") for c, n, d in parts])
    low, high = common.ends
    best = optimize.minimize_scalar(
        lambda share: -log_likelihood(share, parts), bounds=(low, high), method="bounded", options={"xatol": 1e-12}
    )
    assert result.estimate == pytest.approx(best.x, abs=1e-7)
    # Each report's expected information, (p - q)²/(λ(1 - λ)), at the estimate
    rates = [(n, d.support, d.support.rate(result.estimate)) for _, n, d in parts]
    information = math.fsum(n * d.gap**2 / (rate * (1 - rate)) for n, d, rate in rates)
    assert result.se == pytest.approx(information**-0.5, rel=1e-6)


def test_it_is_the_mean_with_precision_weights() -> None:
    """Debiased reports (y - q)/(p - q) have weights 1/(f(1 - f) + V): their mean is the most likely share."""
    share = 0.3
    for _ in range(100):
        numbers = [((yes / n - d.support.q) / d.support.gap, n, d.support) for yes, n, d in CASES[0]]
        weights = [n / (share * (1 - share) + d.privacy_variance(share)) for _, n, d in numbers]
        share = float(np.average([value for value, _, _ in numbers], weights=weights))
    result = pooled(*CASES[0])
    assert result.cell.estimate == pytest.approx(share, abs=1e-10)
    assert result.information == pytest.approx(np.array(weights) / sum(weights), rel=1e-9)


@pytest.mark.parametrize("counts", [[(400, 1000)], [(300, 700), (100, 300)], [(0, 5), (3, 9)], [(0, 5), (0, 9)]])
def test_equal_designs_give_the_plain_estimate_to_the_digit(counts: list[tuple[int, int]]) -> None:
    result = pooled(*((yes, n, COINS) for yes, n in counts))
    plain = estimate_yes_no(sum(yes for yes, _ in counts), sum(n for _, n in counts), COINS.support, epsilon=None)
    [cell] = plain.cells
    assert (result.cell.estimate, result.cell.se) == (cell.estimate, cell.se)
    assert (result.cell.low, result.cell.high, result.method) == (cell.low, cell.high, plain.method)


@pytest.mark.parametrize(("yes", "n"), [(400, 1000), (5, 1000), (0, 40), (40, 40), (220, 1000)])
def test_the_score_limits_of_one_design_are_wilsons(yes: int, n: int) -> None:
    result = estimate_yes_no(yes, n, COINS.support, epsilon=None, method="wilson")
    figures = CommonShare.of([result.tally("yes")]).figures(0.95)
    [cell] = result.cells
    assert (figures.estimate, figures.low, figures.high) == pytest.approx(
        (cell.estimate, cell.low, cell.high), abs=1e-9
    )


def test_shares_beyond_0_and_1_are_not_clipped() -> None:
    result = pooled((200, 1000, COINS), (60, 900, STRONG))
    cell = known(result.cell)
    assert cell.low < cell.estimate < cell.high < 0
    assert "outside 0 to 1" in result.warnings[0]


@pytest.mark.parametrize("share", [0.0, 0.05, 0.3, 0.9, 1.0])
def test_limits_hold_by_enumeration_of_every_pair_of_counts(share: float) -> None:
    """Each pair of counts of 30 reports at odds 3:1 and 20 at 9:1 has its chance: 95 % limits hold .93 or more."""
    chances = [stats.binom.pmf(np.arange(n + 1), n, d.support.rate(share)) for n, d in ((30, COINS), (20, STRONG))]
    held = 0.0
    for one in np.flatnonzero(chances[0] > 1e-3):
        for other in np.flatnonzero(chances[1] > 1e-3):
            tallies = [
                estimate_yes_no(int(c), n, d.support, epsilon=None).tally("yes")
                for c, n, d in ((one, 30, COINS), (other, 20, STRONG))
            ]
            held += known(CommonShare.of(tallies).figures(0.95)).holds(share) * chances[0][one] * chances[1][other]
    assert held > 0.93


def test_parts_that_differ_are_said_to_differ() -> None:
    agree, differ = pooled((400, 1000, COINS), (300, 900, STRONG)), pooled((400, 1000, COINS), (600, 900, STRONG))
    assert agree.heterogeneity is not None
    assert agree.heterogeneity.p_value > 0.5
    assert agree.warnings == ()
    assert differ.heterogeneity is not None
    assert differ.heterogeneity.p_value < 1e-6
    assert "The parts differ by more than chance explains" in differ.warnings[0]


def test_the_test_of_heterogeneity_is_near_the_likelihood_ratio_and_pearsons_for_equal_designs() -> None:
    parts = [(400, 1000, COINS), (330, 900, STRONG)]
    result = pooled(*parts)
    apart = math.fsum(log_likelihood(d.support.share(c / n), [(c, n, d)]) for c, n, d in parts)
    ratio = 2 * (apart - log_likelihood(known(result.cell).estimate, parts))
    assert result.heterogeneity is not None
    assert result.heterogeneity.statistic == pytest.approx(ratio, rel=0.01)
    same = pooled((400, 1000, COINS), (300, 900, COINS)).heterogeneity
    assert same is not None
    pearson = stats.chi2_contingency([[400, 600], [300, 600]], correction=False)
    assert (same.statistic, same.p_value) == pytest.approx((pearson.statistic, pearson.pvalue), rel=1e-9)


@pytest.mark.parametrize(
    "parts",
    [
        [(0, 1, COINS), (0, 1, STRONG)],
        [(1, 1, COINS), (0, 1, STRONG)],
        [(0, 1, COINS), (450, 900, STRONG)],
        [(0, 100, COINS), (0, 900, mangat("2/3"))],
        [(100, 100, COINS), (900, 900, triangular("1/3"))],
        [(0, 10**9, COINS), (10**9, 10**9, STRONG)],
        # The first part allows no share below -1/8, where the second one points.
        [(0, 20, STRONG), (100, 1000, COINS)],
    ],
)
def test_no_edge_claims_certainty(parts: list[tuple[int, int, YesNoDesign]]) -> None:
    result = pooled(*parts)
    figures = [result.cell.estimate, result.cell.se, result.cell.low, result.cell.high]
    assert np.isfinite(np.array(figures, float)).all()
    estimate, se, low, high = (float(figure or 0.0) for figure in figures)
    assert low <= estimate <= high
    n = sum(n for _, n, _ in parts)
    assert se > 0.5 / n
    assert high - low > 0.1 / n
    json.dumps(result.to_json(), allow_nan=False)


def test_a_part_without_reports_is_named_and_the_others_are_pooled() -> None:
    result = pooled((400, 1000, COINS), (0, 0, STRONG))
    assert result.cell.estimate == pytest.approx(0.3)
    assert result.information == (1.0, 0.0)
    assert result.warnings == ("No reports in 1: the others are pooled.",)


def test_without_reports_there_is_a_sentence() -> None:
    result = pooled((0, 0, COINS))
    assert result.cell.estimate is None
    assert result.warnings == ("No reports yet: there is nothing to estimate from.",)


def test_parts_need_names_of_their_own() -> None:
    with pytest.raises(EstimateError, match="same name"):
        pool([PooledPart(name="a", yes=1, n=2, design=COINS), PooledPart(name="a", yes=1, n=2, design=STRONG)])
    with pytest.raises(EstimateError, match="no parts"):
        pool([])


def test_a_design_without_an_epsilon_is_said() -> None:
    assert any("no finite epsilon" in sentence for sentence in pooled(*CASES[2]).warnings)
