"""The defences keep what they promise: k alike, noise of the stated law, draws of the stated odds."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from hushpoll_server.lab.defences import k_anonymity
from hushpoll_server.lab.defences.bounded import bounded_noise, success_of_repeating, variance
from hushpoll_server.lab.defences.calibrated import CountNoise
from hushpoll_server.lab.defences.k_anonymity import REDACTED, Coarsening, coarsen, release_by
from hushpoll_server.lab.defences.local import Randomizer
from hushpoll_server.lab.defences.partition import partition
from hushpoll_server.lab.noise.laplace import DiscreteLaplace
from hushpoll_server.lab.people import CONDITION_SHARES, City, expected_unique, invent_city
from hushpoll_server.lab.stream import SeededStream, fractions, permutation
from hushpoll_server.mechanisms.bound import Bound
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.randomness import SPAN


@pytest.fixture(scope="module")
def city() -> City:
    return invent_city(3_000, seed=3)


def test_a_seed_gives_the_same_people_and_another_seed_others(city: City) -> None:
    assert all(np.array_equal(column, vars(invent_city(3_000, seed=3))[name]) for name, column in vars(city).items())
    assert not np.array_equal(city.birth, invent_city(3_000, seed=4).birth)


def test_two_purposes_share_no_bytes_and_parts_are_the_whole() -> None:
    one, other, whole = SeededStream(1, "a"), SeededStream(1, "b"), SeededStream(1, "a").take(96)
    assert bytes(one.take(7)) + bytes(one.take(89)) == bytes(whole)
    assert bytes(other.take(96)) != bytes(whole)
    assert bytes(SeededStream(11, "").take(8)) != bytes(SeededStream(1, "1").take(8))


def test_an_order_has_everybody_once_and_fractions_are_between_0_and_1() -> None:
    assert sorted(permutation(SeededStream(1, "order"), 500)) == list(range(500))
    drawn = fractions(SeededStream(1, "f"), 100_000)
    assert 0 < drawn.min() < 1e-4
    assert 1 - 1e-4 < drawn.max() < 1
    # Six standard deviations of a mean of 100,000
    assert abs(drawn.mean() - 0.5) < 6 / math.sqrt(12 * 100_000)


@pytest.mark.parametrize("k", [2, 5, 40])
def test_nobody_in_a_coarsened_table_is_in_a_class_of_fewer_than_k(city: City, k: int) -> None:
    release = coarsen(city, k=k)
    assert release.sizes.min() >= k
    assert release.sizes.sum() + release.redacted == city.people
    assert release.redacted <= k_anonymity.MOST_REDACTED * city.people
    keys = release.coarsening.keys(city)
    for own in range(len(release.sizes)):
        assert len(set(keys[release.classes == own])) == 1


def test_no_other_coarsening_within_the_limit_tells_people_apart_better(city: City) -> None:
    def cost(classes: np.ndarray) -> int:
        # The number of people that each person cannot be told apart from; from everybody, if redacted
        return sum(city.people if own == REDACTED else int((classes == own).sum()) for own in classes.tolist())

    best = coarsen(city)
    assert best.redacted <= 60
    for birth in ("day", "year", "decade", "generation", "none"):
        for district in ("district", "area", "half", "none"):
            other = release_by(Coarsening(birth, district, "kept"), city, k=5)
            assert other.redacted > 60 or cost(other.classes) >= cost(best.classes), (birth, district)


@pytest.mark.parametrize("k", [2, 5, 20])
def test_a_partition_has_small_classes_of_at_least_k(city: City, k: int) -> None:
    sizes = np.bincount(partition(city, k=k))
    assert sizes.min() >= k
    assert sizes.sum() == city.people
    assert sizes.mean() < 2 * k


@pytest.mark.parametrize("k", [0, 1, 3_001])
def test_a_k_that_means_nothing_is_refused(city: City, k: int) -> None:
    for method in (coarsen, partition):
        with pytest.raises(InvalidValue, match="k must be at least 2"):
            method(city, k=k)


def test_the_expected_share_of_unique_people_is_that_of_many_cities() -> None:
    shares = []
    for seed in range(20):
        city = invent_city(5_000, seed=seed)
        _, own, sizes = np.unique(
            Coarsening("day", "district", "kept").keys(city), return_inverse=True, return_counts=True
        )
        shares.append(float((sizes[own] == 1).mean()))
    # The standard deviation of one share is about .0019; six of a mean of twenty
    assert np.mean(shares) == pytest.approx(expected_unique(5_000), abs=6 * 0.0019 / math.sqrt(20))
    assert sum(CONDITION_SHARES) == pytest.approx(1)


@pytest.mark.parametrize(("epsilon", "sensitivity"), [(0.1, 1), (1.0, 1), (10.0, 1), (1.0, 30), (2e-3, 1)])
def test_the_thresholds_of_the_noise_are_those_of_the_exact_law(epsilon: float, sensitivity: int) -> None:
    noise = CountNoise(epsilon, sensitivity)
    exact = DiscreteLaplace.of(Epsilon.parse(f"{epsilon:f}"), sensitivity=sensitivity)
    thresholds = noise._thresholds[::-1]
    for k in (1, 2, 5, 40):
        if k <= len(thresholds):
            # P(|N| ≥ k) = 2α^k/(1 + α)
            alpha = math.exp(-epsilon / sensitivity)
            assert int(thresholds[k - 1]) / SPAN == pytest.approx(2 * alpha**k / (1 + alpha), rel=1e-9, abs=2**-50)
    assert int(thresholds[-1]) < 2**4
    assert noise.variance == pytest.approx(exact.deviation**2, rel=1e-9)
    assert noise.half_width(0.95) == exact.reach(Fraction(1, 20))


def test_the_noise_has_its_figures_over_all_its_values() -> None:
    noise, values = CountNoise(0.7), np.arange(-200, 201)
    law = noise.at_zero * noise.alpha ** np.abs(values)
    assert law.sum() == pytest.approx(1)
    assert (law * values**2).sum() == pytest.approx(noise.variance)
    assert (law**2).sum() == pytest.approx(noise.difference_at_zero)
    with pytest.raises(InvalidValue, match="too little epsilon"):
        CountNoise(1e-6)


def test_drawn_noise_follows_the_law() -> None:
    noise, count = CountNoise(0.7), 200_000
    drawn = noise.draw(SeededStream(1, "law"), count)
    for value in (-3, -1, 0, 1, 2):
        chance = noise.at_zero * noise.alpha ** abs(value)
        # Six standard deviations; the seed is fixed
        assert abs((drawn == value).mean() - chance) < 6 * math.sqrt(chance / count)


def test_bounded_noise_stays_within_its_bound_and_ends_are_found() -> None:
    drawn = bounded_noise(SeededStream(1, "bounded"), 50_000, 2)
    assert set(drawn) == {-2, -1, 0, 1, 2}
    assert drawn.var() == pytest.approx(variance(2), rel=0.03)
    # All pairs of answers for E = 1: they decide unless both could come from either bit
    decided = sum(1 for a in (-1, 0, 1) for b in (-1, 0, 1) if -1 in (a, b)) / 9
    assert success_of_repeating(1, 2) == pytest.approx(1 - (1 - decided) / 2)


def test_the_randomizer_is_the_projects_own() -> None:
    local = Randomizer(Bound.of_odds("3:1"))
    assert local.keep == 0.75
    assert local.variance == pytest.approx(0.75)
    assert local.estimate(0.5) == pytest.approx(0.5)
    many = Randomizer(Bound.of_epsilon("1"), 24)
    codes = np.zeros(20_000, np.int64)
    sets = many.draw_sets(SeededStream(1, "sets"), codes)
    assert set(sets.sum(axis=1)) == {many.design.picks}
    assert sets[:, 0].mean() == pytest.approx(many.keep, abs=6 * 0.5 / math.sqrt(20_000))
    assert sets[:, 5].mean() == pytest.approx(float(many.design.q), abs=6 * 0.5 / math.sqrt(20_000))
