"""What is thought of a distribution before the reports: the priors that `distribution_fit` averages by their evidence.

One is smooth as expectation maximisation with smoothing (EMS) is. Averaging neighbours in every round is, nearly, a
penalty on the steps between the roots of neighbouring shares, as large as the reports are many (Silverman and others
1990): a random walk of the roots, the shorter its steps the more reports there are. Where reports tell little, nothing
else that was tried is as good for all shapes; so it is the prior that stands first.

The others do not depend on n. The logarithms of the shares are a parabola plus a smooth deviation plus a rough one, all
normal; with neither deviation the shape is a normal law, cut to the range (Silverman 1982). How large the deviations
are, τ and σ, is not assumed: there is a prior for each of a few values, each less likely than the next smoother one.
They have all shapes in their support, so that the average is consistent.

Point masses and extras have shares of their own, whose logarithms are normal, and which are not smoothed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import linalg

from hushpoll_server.estimate.support import Figures

# Standard deviations of the logarithms: of the parabola's two coefficients on [−1, 1], of a share that is not smoothed,
# and those of the smooth and the rough deviation that are tried.
_PARABOLA, _UNSMOOTHED = 5.0, 5.0
_SMOOTH, _ROUGH = (0.0, 1.0, 3.0, 10.0), (0.01, 0.3, 1.0, 3.0)
# How likely a prior of the logarithms is, as a part of the next smoother one.
_SMOOTH_PART, _ROUGH_PART = 2 / 3, 1 / 8
# Differences of this order vanish for a parabola.
_ORDER = 3
# The steps of the roots, as a part of those that penalise as EMS does, which are √(bins/n).
_STEPS_OF_EMS = 9 / 8
# How likely the smoothest prior of the logarithms is beside that of the roots, and the information (see below) that
# the reports must have: with less they cannot tell the shapes apart, and what looks like one is chance.
_LOGARITHMS_PART, _LEAST_INFORMATION = 1 / 12, 100.0
# A root that is nearer to 0 counts as this far away: it has no logarithm there.
_LEAST_ROOT = 1e-12


@dataclass(frozen=True, eq=False)
class Prior:
    """A factor L of the prior covariance L Lᵀ of normal values, one for each answer, and the logarithm of its weight.

    The first values are the roots of as many shares, in units of the root of an even share and less 1; the others are
    the logarithms of shares. In both units the prior's centre, 0, is the same share for all answers.
    """

    factor: Figures
    log_weight: float
    roots: int = 0

    def logarithms(self, values: Figures) -> tuple[Figures, Figures]:
        """Return the logarithms of the shares, up to a constant, and how fast each rises with its value."""
        logarithms, rises = values.copy(), np.ones_like(values)
        roots = 1 + values[: self.roots]
        roots = np.copysign(np.maximum(np.abs(roots), _LEAST_ROOT), roots)
        logarithms[: self.roots], rises[: self.roots] = 2 * np.log(np.abs(roots)), 2 / roots
        return logarithms, rises


def priors(n: float, chances: Figures, bins: int) -> Iterator[Prior]:
    """Return the priors for n reports of a design; `chances` has a row for each answer, bins first."""
    others = len(chances) - bins
    steps = _STEPS_OF_EMS * math.sqrt(bins / n)
    yield Prior(linalg.block_diag(steps * _walks(bins), _UNSMOOTHED * np.eye(others)), 0.0, roots=bins)
    part = _LOGARITHMS_PART * min(1.0, n * _information(chances[:bins]) / _LEAST_INFORMATION)
    for prior in _of_logarithms(bins, others):
        yield Prior(prior.factor, prior.log_weight + math.log(part))


def _information(chances: Figures) -> float:
    """Return the mean χ² distance of an answer's law from that of all answers alike: what a report tells, at most."""
    rates = chances.mean(axis=0)
    return float(((chances - rates) ** 2 / rates).sum(axis=1).mean())


@lru_cache(maxsize=16)
def _of_logarithms(bins: int, others: int) -> tuple[Prior, ...]:
    places = (2 * np.arange(bins) + 1) / bins - 1
    parabola = _PARABOLA * np.column_stack((places, places**2 - 1 / 3))
    smooth, rough = _walks(bins, _ORDER), np.eye(bins)
    smooth = smooth / np.sqrt((smooth**2).sum() / bins)
    return tuple(
        Prior(
            linalg.block_diag(
                _factor(np.hstack((parabola, tau * smooth, sigma * rough))), _UNSMOOTHED * np.eye(others)
            ),
            steps * math.log(_SMOOTH_PART) + rough_steps * math.log(_ROUGH_PART),
        )
        for steps, tau in enumerate(_SMOOTH)
        for rough_steps, sigma in enumerate(_ROUGH)
    )


@lru_cache(maxsize=16)
def _walks(bins: int, order: int = 1) -> Figures:
    """Return a factor of the covariance of values with independent differences of variance 1; polynomials vanish."""
    differences = np.diff(np.eye(bins), order, axis=0)
    values, vectors = np.linalg.eigh(differences.T @ differences)
    return np.asarray(vectors[:, order:] / np.sqrt(values[order:]))


def _factor(columns: Figures) -> Figures:
    """Return a square factor of the same covariance."""
    values, vectors = np.linalg.eigh(columns @ columns.T)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
