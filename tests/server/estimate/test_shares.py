"""The estimator itself: unbiased, with the right variance, independent of how the reports are labelled."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hushpoll_server.estimate.intervals import METHODS, Method
from hushpoll_server.estimate.shares import estimate_yes_no, share_limits
from hushpoll_server.estimate.support import SupportDesign, Tally

DESIGNS = [
    SupportDesign(0.75, 0.25),
    SupportDesign(0.25, 0.75),
    SupportDesign(0.5, 0.1),
    SupportDesign(0.3, 0.6),
]
probabilities = st.integers(1, 99).map(lambda percent: Fraction(percent, 100))
designs = (
    st.tuples(probabilities, probabilities)
    .filter(lambda pair: pair[0] != pair[1])
    .map(lambda pair: SupportDesign(*pair))
)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("share", [0.0, 0.07, 0.5, 1.0])
def test_estimate_is_unbiased_with_the_variance_of_a_sample(design: SupportDesign, share: float) -> None:
    n = 40
    chances = stats.binom.pmf(np.arange(n + 1), n, design.rate(share))
    estimates = np.array([Tally(count, n, design).share for count in range(n + 1)])
    variances = np.array([Tally(count, n, design).variance() for count in range(n + 1)])
    true_variance = (share * (1 - share) + design.privacy_variance(share)) / n
    assert chances @ estimates == pytest.approx(share, abs=1e-12)
    assert chances @ (estimates - share) ** 2 == pytest.approx(true_variance)
    # The plug-in convention divides by n: it is low by the factor 1 - 1/n.
    assert chances @ variances == pytest.approx(true_variance * (1 - 1 / n))


@given(designs, st.floats(0, 1))
def test_share_and_rate_undo_each_other(design: SupportDesign, share: float) -> None:
    assert design.share(design.rate(share)) == pytest.approx(share, abs=1e-9)


@given(designs, st.floats(0, 1))
def test_sampling_and_randomizing_add_up_to_the_spread_of_the_reports(design: SupportDesign, share: float) -> None:
    rate = design.rate(share)
    spread = rate * (1 - rate) / design.gap**2
    assert design.privacy_variance(share) + share * (1 - share) == pytest.approx(spread, rel=1e-6)


@given(designs, st.integers(1, 60), st.data(), st.sampled_from(METHODS), st.sampled_from([None, 1, 3]))
def test_exchanging_the_labels_of_the_reports_changes_nothing(
    design: SupportDesign, n: int, data: st.DataObject, method: Method, people_each: int | None
) -> None:
    count = data.draw(st.integers(0, n))
    population = None if people_each is None else people_each * n
    first = estimate_yes_no(count, n, design, epsilon=1, method=method, population=population).cells[0]
    second = estimate_yes_no(n - count, n, design.relabelled(), epsilon=1, method=method, population=population).cells[
        0
    ]
    assert first.count + second.count == n
    assert first.estimate == pytest.approx(second.estimate, abs=1e-9)
    assert first.se == pytest.approx(second.se, abs=1e-7)
    assert (first.low, first.high) == pytest.approx((second.low, second.high), abs=1e-7)


def test_a_spinner_below_one_half_turns_the_map_round() -> None:
    usual = estimate_yes_no(400, 1000, SupportDesign(0.75, 0.25), epsilon=math.log(3))
    turned = estimate_yes_no(600, 1000, SupportDesign(0.25, 0.75), epsilon=math.log(3))
    assert turned.cells[0].estimate == usual.cells[0].estimate
    assert (turned.cells[0].low, turned.cells[0].high) == (usual.cells[0].low, usual.cells[0].high)


@given(
    designs,
    st.integers(1, 60),
    st.data(),
    st.sampled_from(METHODS),
    st.sampled_from([None, 1, 2, 1000]),
)
def test_interval_has_width_and_contains_the_estimate(
    design: SupportDesign, n: int, data: st.DataObject, method: Method, people_each: int | None
) -> None:
    count = data.draw(st.integers(0, n))
    tally = Tally(count, n, design, None if people_each is None else people_each * n)
    interval = share_limits(tally, 0.95, method)
    assert interval.low <= tally.oriented().share <= interval.high
    assert interval.low < interval.high


@pytest.mark.parametrize("count", [0, 50])
def test_wald_without_width_gives_way_to_the_exact_interval(count: int) -> None:
    result = estimate_yes_no(count, 50, DESIGNS[0], epsilon=1, method="wald")
    exact = estimate_yes_no(count, 50, DESIGNS[0], epsilon=1, method="exact")
    assert (result.cells[0].low, result.cells[0].high) == (exact.cells[0].low, exact.cells[0].high)
    assert any("would have no width" in sentence for sentence in result.warnings)


def test_tidy_is_the_nearest_possible_share_and_the_limits_stay_raw() -> None:
    below, above = (estimate_yes_no(count, 1000, DESIGNS[0], epsilon=1).cells[0] for count in (200, 800))
    assert (below.tidy, above.tidy) == (0.0, 1.0)
    assert below.low is not None
    assert below.low < 0
    assert above.high is not None
    assert above.high > 1
