"""The most plausible shares of the bins: smooth if the reports do not say otherwise, rough if they do.

The logarithms of the shares are a parabola plus a smooth deviation plus a rough one, a priori all normal; with neither
deviation the shape is a normal law, cut to the range (Silverman 1982). How large the deviations are, τ and σ, is not
assumed: for each of a few values the shares that maximise likelihood times prior are found (Newton's steps with the
Fisher information), and averaged with the evidence of each model (Laplace's approximation) as weight; a model is less
likely a priori than the next smoother one. With more reports the prior matters less and less, so that spikes, gaps and
heaps are found: the estimate is consistent. Point masses and extras have shares of their own, which are not smoothed.

Measured against expectation maximisation with smoothing in docs/mechanisms/square_wave.md.

References: B. W. Silverman (1982), On the estimation of a probability density function by the maximum penalized
likelihood method, Annals of Statistics 10; P. J. Lenk (1988), The logistic normal distribution for Bayesian,
nonparametric, predictive densities, JASA 83.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import linalg, special

from hushpoll_server.estimate.support import Figures

# Standard deviations of the logarithms: of the parabola's two coefficients on [−1, 1], of a share that is not smoothed,
# and those of the smooth and the rough deviation that are tried.
_PARABOLA, _UNSMOOTHED = 5.0, 5.0
_SMOOTH, _ROUGH = (0.0, 1.0, 3.0, 10.0), (0.01, 0.3, 1.0, 3.0)
# How likely a model is a priori, as a part of the next smoother one.
_SMOOTH_PRIOR, _ROUGH_PRIOR = 2 / 3, 1 / 8
# Differences of this order vanish for a parabola.
_ORDER = 3
# The search ends when the logarithm of the posterior gains less than this.
_LEAST_GAIN, _MOST_STEPS, _MOST_HALVINGS = 1e-3, 50, 30


def fit_shares(counts: Figures, chances: Figures, bins: int) -> Figures:
    """Return the shares of all answers: of the bins, and of those that are not smoothed, which follow them."""
    models = _models(bins, len(chances) - bins)
    fits = [_maximise(counts, chances, model) for model in models]
    evidence = np.array([fit.evidence + model.log_prior for fit, model in zip(fits, models, strict=True)])
    return np.asarray(special.softmax(evidence) @ np.array([fit.shares for fit in fits]))


@dataclass(frozen=True, eq=False)
class _Model:
    """A factor L of the prior covariance L Lᵀ of the logarithms, and the logarithm of the model's own weight."""

    factor: Figures
    log_prior: float


@dataclass(frozen=True, eq=False)
class _Fit:
    shares: Figures
    evidence: float


@lru_cache(maxsize=16)
def _models(bins: int, unsmoothed: int) -> tuple[_Model, ...]:
    places = (2 * np.arange(bins) + 1) / bins - 1
    parabola = _PARABOLA * np.column_stack((places, places**2 - 1 / 3))
    smooth, rough = _smooth_deviations(bins), np.eye(bins)
    return tuple(
        _Model(
            linalg.block_diag(
                _factor(np.hstack((parabola, tau * smooth, sigma * rough))), _UNSMOOTHED * np.eye(unsmoothed)
            ),
            steps * math.log(_SMOOTH_PRIOR) + rough_steps * math.log(_ROUGH_PRIOR),
        )
        for steps, tau in enumerate(_SMOOTH)
        for rough_steps, sigma in enumerate(_ROUGH)
    )


def _smooth_deviations(bins: int) -> Figures:
    """Return a factor of the covariance of a spline: the inverse root of squared differences, of mean variance 1."""
    differences = np.diff(np.eye(bins), _ORDER, axis=0)
    values, vectors = np.linalg.eigh(differences.T @ differences)
    factor = vectors[:, _ORDER:] / np.sqrt(values[_ORDER:])
    return np.asarray(factor / np.sqrt((factor**2).sum() / bins))


def _factor(columns: Figures) -> Figures:
    """Return a square factor of the same covariance."""
    values, vectors = np.linalg.eigh(columns @ columns.T)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def _maximise(counts: Figures, chances: Figures, model: _Model) -> _Fit:
    """Return the shares with the largest posterior, and the evidence of the model."""
    factor, place = model.factor, np.zeros(model.factor.shape[1])
    shares, height = _at(place, counts, chances, factor)
    for _ in range(_MOST_STEPS):
        precision, slope = _curvature(shares, counts, chances, factor)
        step = linalg.solve(precision, slope - place, assume_a="pos")
        place, shares, higher = _climb(place, step, height, counts, chances, factor)
        gain, height = higher - height, higher
        if gain < _LEAST_GAIN:
            break
    precision, _ = _curvature(shares, counts, chances, factor)
    # ∫ e^h ≈ e^h(û) √(det precision⁻¹), for a prior of unit variance in u
    return _Fit(shares, height - float(np.log(np.diag(linalg.cholesky(precision))).sum()))


def _at(place: Figures, counts: Figures, chances: Figures, factor: Figures) -> tuple[Figures, float]:
    """Return the shares at a place of the prior's space, and the logarithm of likelihood times prior."""
    shares = special.softmax(factor @ place)
    likelihood = float(special.xlogy(counts, shares @ chances).sum())
    return shares, likelihood - float(place @ place) / 2


def _curvature(shares: Figures, counts: Figures, chances: Figures, factor: Figures) -> tuple[Figures, Figures]:
    """Return the Fisher information plus that of the prior, and the slope of the log-likelihood."""
    n, rates = counts.sum(), shares @ chances
    # ∂f/∂u = (diag f − f fᵀ) L
    rise = shares[:, np.newaxis] * (factor - shares @ factor)
    rates_rise = chances.T @ rise
    information = n * rates_rise.T @ (rates_rise / rates[:, np.newaxis])
    return information + np.eye(len(information)), rates_rise.T @ (counts / rates)


def _climb(
    place: Figures, step: Figures, height: float, counts: Figures, chances: Figures, factor: Figures
) -> tuple[Figures, Figures, float]:
    """Return the next place: a whole step, or as much of it as does not lead downward."""
    for halvings in range(_MOST_HALVINGS):
        there = place + step / 2**halvings
        shares, higher = _at(there, counts, chances, factor)
        if higher >= height:
            return there, shares, higher
    shares, height = _at(place, counts, chances, factor)
    return place, shares, height
