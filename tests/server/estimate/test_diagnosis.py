"""The warnings when counts are outside what the design can produce, or say little."""

import math

import pytest
from scipy import optimize, stats

from hushpoll_server.estimate.diagnosis import chance_of_so_few, likelihood_reach
from hushpoll_server.estimate.results import Cell, Result
from hushpoll_server.estimate.shares import estimate_yes_no
from hushpoll_server.estimate.support import SupportDesign, Tally

TWO_COINS = SupportDesign(0.75, 0.25)
TURNED = SupportDesign(0.25, 0.75)
WORDS_NOT_USED = ("anonymous", "noise", "lie ", "lying", "fake")


def outside(count: int, n: int, design: SupportDesign = TWO_COINS) -> tuple[Cell, str]:
    """Return the cell and the warning for counts that the design cannot produce."""
    result = estimate_yes_no(count, n, design, epsilon=math.log(3), method="exact")
    assert result.warnings
    return result.cells[0], result.warnings[0]


def test_counts_below_the_design_are_told_with_their_chance_and_the_possible_shares() -> None:
    cell, sentence = outside(200, 1000)
    assert cell.high is not None
    assert cell.high < 0
    assert "below 0" in sentence
    assert "non-compliance or tampering" in sentence
    assert f"{stats.binom.cdf(200, 1000, 0.25):.2g}" in sentence
    assert cell.constrained is not None
    assert f"{cell.constrained.high:.4g}" in sentence


def test_constrained_limit_is_where_the_likelihood_ratio_reaches_its_quantile() -> None:
    cell, _ = outside(200, 1000)

    def excess(rate: float) -> float:
        ratio = stats.binom.logpmf(200, 1000, 0.25) - stats.binom.logpmf(200, 1000, rate)
        return float(2 * ratio - stats.chi2.ppf(0.95, 1))

    rate = optimize.bisect(excess, 0.25, 0.75, xtol=1e-14)
    assert cell.constrained is not None
    assert cell.constrained.low == 0.0
    assert cell.constrained.high == pytest.approx((rate - 0.25) / 0.5, rel=1e-6)


@pytest.mark.parametrize(("count", "design"), [(800, TWO_COINS), (200, TURNED)])
def test_counts_above_the_design_mirror_those_below(count: int, design: SupportDesign) -> None:
    below, _ = outside(200, 1000)
    above, sentence = outside(count, 1000, design)
    assert "above 1" in sentence
    assert below.constrained is not None
    assert above.constrained is not None
    assert above.constrained.low == pytest.approx(1 - below.constrained.high)
    assert above.constrained.high == 1.0
    assert f"{stats.binom.cdf(200, 1000, 0.25):.2g}" in sentence


def test_a_turned_spinner_is_below_zero_when_too_many_support() -> None:
    cell, sentence = outside(800, 1000, TURNED)
    assert "below 0" in sentence
    assert cell.estimate == pytest.approx(-0.1)


@pytest.mark.parametrize("n", [100, 10**5, 10**9])
@pytest.mark.parametrize("part", [0.0, 0.1, 0.24])
def test_constrained_limit_always_has_width(n: int, part: float) -> None:
    tally = Tally(int(part * n), n, TWO_COINS)
    assert 0 < likelihood_reach(tally, 0.95) <= 1


def test_chance_of_so_few_is_the_binomial_tail() -> None:
    assert chance_of_so_few(Tally(3, 20, TWO_COINS)) == pytest.approx(stats.binom.cdf(3, 20, 0.25))
    assert chance_of_so_few(Tally(20, 20, TWO_COINS)) == 1.0


def test_a_chance_too_small_for_a_number_is_still_a_number_to_read() -> None:
    _, sentence = outside(0, 10**6)
    assert "at most 1e-300" in sentence


def test_an_estimate_below_zero_within_its_interval_is_no_cause_for_a_warning() -> None:
    result = estimate_yes_no(245, 1000, TWO_COINS, epsilon=math.log(3))
    assert result.cells[0].estimate is not None
    assert result.cells[0].estimate < 0
    assert (result.warnings, result.cells[0].constrained) == ((), None)


def test_reports_that_narrow_nothing_down_are_told() -> None:
    result = estimate_yes_no(2, 4, TWO_COINS, epsilon=math.log(3))
    assert result.warnings == (
        "The interval covers every possible share: 4 reports do not narrow it down yet. Collect more.",
    )


def test_warnings_use_plain_words() -> None:
    results: list[Result] = [
        estimate_yes_no(count, n, TWO_COINS, epsilon=1, method=method)
        for count, n in ((0, 0), (0, 1), (2, 4), (0, 1000), (1000, 1000))
        for method in ("wald", "exact")
    ]
    said = " ".join(sentence for result in results for sentence in result.warnings).lower()
    assert not [word for word in WORDS_NOT_USED if word in said]
