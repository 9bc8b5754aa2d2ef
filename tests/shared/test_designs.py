"""Designs have the published thresholds and variances, and choose the parameters that trying all others finds best."""

from __future__ import annotations

import math

import pytest

from hushpoll_shared.designs import Ball, Bound, Laplace, Padded, Projective, Repeated, Subset, Wave
from hushpoll_shared.designs.ball import contrast, option_variance, pattern
from hushpoll_shared.designs.projective import index_of, number_of_points, point
from hushpoll_shared.designs.subset import best_picks, variance_of_picks
from hushpoll_shared.errors import InvalidValue

EPSILONS = ("0.1", "0.5", "1", "2", "4")


def bound(epsilon: str) -> Bound:
    return Bound.of_epsilon(epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("size", [2, 3, 5, 16, 64, 128])
def test_subset_selection_attains_the_bound_that_trying_all_picks_finds(size: int, epsilon: str) -> None:
    design = Subset.from_bound(bound(epsilon), size)
    odds = float(bound(epsilon).odds)
    least = min(variance_of_picks(size, picks, odds) for picks in range(1, size))
    assert design.variance() / least == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(
    ("epsilon", "size", "picks", "p", "q", "total"),
    [
        ("1", 4, 1, 0.475367, 0.174878, 8.30622),
        ("1", 16, 4, 0.475367, 0.234976, 51.9139),
        ("1", 128, 34, 0.495767, 0.263813, 464.082),
        ("2", 16, 2, 0.513519, 0.099099, 10.1896),
    ],
)
def test_subset_selection_has_the_published_figures(
    epsilon: str, size: int, picks: int, p: float, q: float, total: float
) -> None:
    design = Subset.from_bound(bound(epsilon), size)
    assert design.picks == picks
    assert (float(design.p), float(design.q)) == pytest.approx((p, q), abs=5e-7)
    assert design.variance() == pytest.approx(total, rel=5e-6)


@pytest.mark.parametrize(("epsilon", "largest"), [(0.5, 3), (1, 5), (2, 11), (3, 29), (4, 78)])
def test_one_pick_is_best_exactly_up_to_the_published_sizes(epsilon: float, largest: int) -> None:
    ones = [size for size in range(2, 200) if best_picks(size, math.exp(epsilon)) == 1]
    assert ones == list(range(2, largest + 1))


@pytest.mark.parametrize(("size", "threshold"), [(4, 8768971294881393556), (16, 2830040163897777923)])
def test_k_ary_response_has_the_published_thresholds(size: int, threshold: int) -> None:
    assert Subset.from_bound(bound("1"), size, picks=1).threshold == threshold


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("size", [2049, 10_000, 100_000])
def test_projective_response_is_near_the_bound_and_its_reports_are_short(size: int, epsilon: str) -> None:
    design = Projective.from_bound(bound(epsilon), size)
    assert 1 <= design.variance() / design.lower_bound() < 1.03
    assert design.width <= 6


@pytest.mark.parametrize(("field", "dimension"), [(2, 5), (3, 3), (5, 2), (7, 3)])
def test_points_and_their_numbers_determine_each_other(field: int, dimension: int) -> None:
    for index in range(number_of_points(dimension, field)):
        vector = point(index, dimension, field)
        assert all(index_of([value * scale % field for value in vector], field) == index for scale in range(1, field))


@pytest.mark.parametrize(
    ("epsilon", "asked", "agree", "variance"), [("1", 1, 1, 9.1154), ("2", 2, 2, 2.3941), ("4", 4, 4, 0.5931)]
)
def test_the_ball_has_the_published_figures(epsilon: str, asked: int, agree: int, variance: float) -> None:
    design = Ball.from_bound(bound(epsilon), 8)
    assert (design.asked, design.agree) == (asked, agree)
    assert design.variance() == pytest.approx(variance, abs=5e-5)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("options", [1, 3, 8, 20])
def test_the_ball_is_the_best_of_all_balls(options: int, epsilon: str) -> None:
    odds = float(bound(epsilon).odds)
    sizes = [(asked, agree) for asked in range(1, options + 1) for agree in range(1, asked + 1)]
    least = min(option_variance(options, asked, contrast(asked, agree, odds)) for asked, agree in sizes)
    design = Ball.from_bound(bound(epsilon), options)
    assert design.variance() == pytest.approx(least, rel=1e-9)
    assert design.variance() >= design.lower_bound() * (1 - 1e-9)


@pytest.mark.parametrize("options", [2, 8, 32, 128])
@pytest.mark.parametrize("epsilon", ["6", "10", "15", "20"])
def test_the_bound_of_the_ball_is_never_above_its_variance(options: int, epsilon: str) -> None:
    design = Ball.from_bound(bound(epsilon), options)
    assert design.lower_bound() <= design.variance() * (1 + 1e-6)


@pytest.mark.parametrize("asked", [1, 4, 7])
def test_patterns_are_all_different_and_ordered_by_their_number_of_flips(asked: int) -> None:
    patterns = [pattern(asked, rank) for rank in range(2**asked)]
    assert sorted(patterns) == list(range(2**asked))
    assert [flips.bit_count() for flips in patterns] == sorted(flips.bit_count() for flips in patterns)


@pytest.mark.parametrize(("options", "most", "wins"), [(30, 1, True), (8, 2, True), (8, 8, False)])
def test_padding_is_better_than_the_ball_if_few_of_many_may_be_ticked(options: int, most: int, wins: bool) -> None:
    padded, ball = Padded.from_bound(bound("1"), options, most), Ball.from_bound(bound("1"), options)
    share = padded.likely_share
    assert (padded.variance_at(share) < ball.variance_at(share)) == wins


def test_laplace_noise_has_nearly_the_variance_of_the_textbook() -> None:
    for epsilon in ("0.5", "1", "2"):
        # 8/ε² on [−1, 1], and the rounding to a grid of 16 steps
        assert Laplace.from_bound(bound(epsilon)).variance() == pytest.approx(8 / float(epsilon) ** 2, rel=0.005)


@pytest.mark.parametrize("size", [2, 5, 16])
def test_one_wave_and_all_waves_have_the_stated_epsilons(size: int) -> None:
    design = Repeated.from_bounds(bound("1"), bound("2.5"), size)
    assert float(design.once) == pytest.approx(1, abs=1e-12)
    assert float(design.epsilon) == pytest.approx(2.5, abs=1e-12)
    if size == 2:
        waves = math.tanh(float(design.second.epsilon) / 2)
        assert math.tanh(0.5) == pytest.approx(math.tanh(1.25) * waves)


def test_a_wave_needs_a_smaller_epsilon_than_all_waves() -> None:
    with pytest.raises(InvalidValue, match="permanent epsilon must be above"):
        Repeated.from_bounds(bound("2"), bound("2"), 4)


@pytest.mark.parametrize("extras", [0, 1, 2])
def test_a_wave_with_extras_has_as_many_near_outputs_for_each(extras: int) -> None:
    design = Wave.from_bound(bound("1"), 8, 2, extras)
    assert design.outputs == design.inside + design.outside == 12 + 5 * extras


@pytest.mark.parametrize(
    "privacy", [{}, {"p": "3/4"}, {"epsilon": "1", "odds": "3:1"}, {"odds": "1:1"}, {"epsilon": "0"}]
)
def test_a_bound_is_one_epsilon_or_one_ratio_above_one(privacy: dict[str, object]) -> None:
    with pytest.raises(InvalidValue):
        Bound.read(privacy)


def test_a_privacy_that_no_threshold_can_keep_is_refused() -> None:
    with pytest.raises(InvalidValue):
        Subset.from_bound(bound("0.00000000000000000001"), 2)
