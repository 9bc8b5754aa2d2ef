"""Six shapes of a distribution on a range from 0 to 1, as shares of bins: smooth ones, a spike, peaks and heaps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Figures = NDArray[np.float64]
# Heaps are this many bins apart, as ages and hours at round numbers are.
_HEAPS = 8


def shapes(bins: int = 64) -> dict[str, Figures]:
    """Return the shapes by name."""
    edges = np.arange(bins + 1) / bins
    beta = _binned(stats.beta(2, 5).cdf(edges))
    peaks = sum(_binned(stats.norm(centre, 0.05).cdf(edges)) for centre in (0.25, 0.75)) / 2
    return {
        "normal": _binned(stats.norm(0.5, 0.15).cdf(edges)),
        "beta(2, 5)": beta,
        "zero-inflated": 0.4 * np.eye(bins)[0] + 0.6 * beta,
        "two peaks": np.asarray(peaks),
        "lognormal": _binned(stats.lognorm(0.8, scale=0.15).cdf(edges)),
        "heaps": _heaped(_binned(stats.norm(0.5, 0.2).cdf(edges))),
    }


def _binned(cumulative: Figures) -> Figures:
    shares = np.diff(cumulative)
    return np.asarray(shares / shares.sum())


def _heaped(shares: Figures) -> Figures:
    heaps = np.zeros_like(shares)
    for place, share in enumerate(shares):
        heaps[min(len(shares) - 1, round(place / _HEAPS) * _HEAPS)] += share
    return heaps


def wasserstein(shares: Figures, truth: Figures) -> float:
    """Return the distance by which mass must be moved, as a part of the range."""
    return float(np.abs(np.cumsum(shares - truth)).mean())


def kolmogorov(shares: Figures, truth: Figures) -> float:
    """Return the largest difference between the shares below a number."""
    return float(np.abs(np.cumsum(shares - truth)).max())
