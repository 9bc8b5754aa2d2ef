"""The priors of a distribution: where they are centred, how smooth they are, and how likely each is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize, special
from tests.server.estimate import square_waves as waves
from tests.statistics.ems import smoothed_shares
from tests.statistics.shapes import shapes, wasserstein

from hushpoll_server.estimate.numbers.distribution_priors import Prior, priors
from hushpoll_server.estimate.support import Figures


def priors_of(epsilon: str, n: float, *extras: str) -> list[Prior]:
    """Return the priors for n reports of a wave on 64 bins."""
    return list(priors(n, waves.law(waves.wave(epsilon, *extras)).chances, 64))


def shares_at(prior: Prior, place: Figures) -> Figures:
    """Return the shares at a place of a prior's space."""
    return np.asarray(special.softmax(prior.logarithms(prior.factor @ place)[0]))


@pytest.mark.parametrize("extras", [(), ("decline",)], ids=len)
def test_the_centre_of_every_prior_is_even(extras: tuple[str, ...]) -> None:
    for prior in priors_of("1", 1000, *extras):
        shares = shares_at(prior, np.zeros(prior.factor.shape[1]))
        assert shares == pytest.approx(np.full(64 + len(extras), 1 / (64 + len(extras))))


def test_logarithms_rise_as_they_say() -> None:
    for prior in priors_of("1", 1000, "decline")[:2]:
        values, step = np.linspace(-0.9, 2, 65), 1e-6
        (before, rises), (after, _) = prior.logarithms(values), prior.logarithms(values + step)
        assert (after - before) / step == pytest.approx(rises, rel=1e-4)


def test_a_root_of_zero_has_a_logarithm() -> None:
    first, *_ = priors_of("1", 1000)
    logarithms, rises = first.logarithms(np.full(64, -1.0))
    assert np.isfinite(logarithms).all()
    assert np.isfinite(rises).all()


@pytest.mark.parametrize(("shape", "n"), [("normal", 500), ("lognormal", 20_000)])
def test_the_prior_of_the_roots_smooths_as_averaging_in_every_round_does(shape: str, n: int) -> None:
    mechanism, truth = waves.wave("1"), shapes()[shape]
    chances, first = waves.law(mechanism).chances, priors_of("1", n)[0]
    counts = n * truth @ chances

    def loss(place: Figures) -> float:
        return float(place @ place / 2 - special.xlogy(counts, shares_at(first, place) @ chances).sum())

    place = optimize.minimize(loss, np.zeros(first.factor.shape[1]), method="L-BFGS-B").x
    [smoothed] = smoothed_shares(counts[np.newaxis], chances)
    assert wasserstein(shares_at(first, place), smoothed) < 0.1 * wasserstein(np.full(64, 1 / 64), smoothed)


def test_reports_that_tell_little_make_other_shapes_less_likely() -> None:
    first, second, *_ = priors_of("1", 500)
    assert second.log_weight - first.log_weight == pytest.approx(math.log(1 / 12))
    weights = [priors_of("0.5", n)[1].log_weight for n in (10, 100, 1000, 10_000, 100_000)]
    assert np.diff(weights[:3]) == pytest.approx(math.log(10))
    assert weights[3] == weights[4] == pytest.approx(math.log(1 / 12))


def test_rougher_priors_are_less_likely() -> None:
    _, *logarithms = priors_of("1", 1000)
    by_roughness = np.array([prior.log_weight for prior in logarithms]).reshape(4, 4)
    assert (np.diff(by_roughness, axis=0) < 0).all()
    assert (np.diff(by_roughness, axis=1) < 0).all()
