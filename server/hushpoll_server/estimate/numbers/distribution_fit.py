"""The most plausible shares of the bins: smooth if the reports do not say otherwise, rough if they do.

For each of a few priors (distribution_priors.py) the shares that maximise likelihood times prior are found (Newton's
steps with the Fisher information), and averaged with the evidence of each prior (Laplace's approximation) as weight.
With more reports the priors matter less and less, so that spikes, gaps and heaps are found: the estimate is consistent.

Measured against expectation maximisation with smoothing in docs/mechanisms/square_wave.md.

References: I. J. Good, R. A. Gaskins (1971), Nonparametric roughness penalties for probability densities, Biometrika
58; B. W. Silverman (1982), On the estimation of a probability density function by the maximum penalized likelihood
method, Annals of Statistics 10; P. J. Lenk (1988), The logistic normal distribution for Bayesian, nonparametric,
predictive densities, JASA 83; B. W. Silverman, M. C. Jones, J. D. Wilson, D. W. Nychka (1990), A smoothed EM approach
to indirect estimation problems, Journal of the Royal Statistical Society B 52.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg, special

from hushpoll_server.estimate.numbers.distribution_priors import Prior, priors
from hushpoll_server.estimate.support import Figures

# The search ends when the logarithm of the posterior gains less than this.
_LEAST_GAIN, _MOST_STEPS, _MOST_HALVINGS = 1e-3, 50, 30


def fit_shares(counts: Figures, chances: Figures, bins: int) -> Figures:
    """Return the shares of all answers: of the bins, and of those that are not smoothed, which follow them."""
    fits = [_Search(counts, chances, prior).fit() for prior in priors(float(counts.sum()), chances, bins)]
    weights = special.softmax([fit.evidence for fit in fits])
    return np.asarray(weights @ np.array([fit.shares for fit in fits]))


@dataclass(frozen=True, eq=False)
class _Fit:
    """The shares with the largest posterior under a prior, and the logarithm of its evidence times its weight."""

    shares: Figures
    evidence: float


@dataclass(frozen=True, eq=False)
class _Place:
    """A place u in the prior's space: the shares, how fast their logarithms rise with the values, and the posterior."""

    u: Figures
    shares: Figures
    rises: Figures
    height: float


@dataclass(frozen=True, eq=False)
class _Search:
    """The search for the largest posterior, from the prior's centre."""

    counts: Figures
    chances: Figures
    prior: Prior

    def fit(self) -> _Fit:
        """Return the shares, and how well the prior explains the reports."""
        place = self._highest()
        precision, _ = self._curvature(place)
        # ∫ e^h ≈ e^h(û) √(det precision⁻¹), for a prior of unit variance in u
        volume = -float(np.log(np.diag(linalg.cholesky(precision))).sum())
        return _Fit(place.shares, place.height + volume + self.prior.log_weight)

    def _highest(self) -> _Place:
        place = self._at(np.zeros(self.prior.factor.shape[1]))
        for _ in range(_MOST_STEPS):
            precision, slope = self._curvature(place)
            following = self._climb(place, linalg.solve(precision, slope - place.u, assume_a="pos"))
            gain, place = following.height - place.height, following
            if gain < _LEAST_GAIN:
                break
        return place

    def _at(self, u: Figures) -> _Place:
        logarithms, rises = self.prior.logarithms(self.prior.factor @ u)
        shares = special.softmax(logarithms)
        likelihood = float(special.xlogy(self.counts, shares @ self.chances).sum())
        return _Place(u, shares, rises, likelihood - float(u @ u) / 2)

    def _curvature(self, place: _Place) -> tuple[Figures, Figures]:
        """Return the Fisher information plus that of the prior, and the slope of the log-likelihood."""
        n, shares, rates = self.counts.sum(), place.shares, place.shares @ self.chances
        # ∂f/∂u = (diag f − f fᵀ) diag(ℓ′) L, with ℓ the logarithms of the shares
        logarithms_rise = place.rises[:, np.newaxis] * self.prior.factor
        rates_rise = self.chances.T @ (shares[:, np.newaxis] * (logarithms_rise - shares @ logarithms_rise))
        information = n * rates_rise.T @ (rates_rise / rates[:, np.newaxis])
        return information + np.eye(len(information)), rates_rise.T @ (self.counts / rates)

    def _climb(self, place: _Place, step: Figures) -> _Place:
        """Return the next place: a whole step, or as much of it as does not lead downward."""
        for halvings in range(_MOST_HALVINGS):
            there = self._at(place.u + step / 2**halvings)
            if there.height >= place.height:
                return there
        return place
