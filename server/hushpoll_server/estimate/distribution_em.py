"""Expectation maximisation with smoothing (EMS) for the square wave, for many histograms at once.

Each round raises the likelihood and then averages every bin with its neighbours, [1, 2, 1]/4. Without the smoothing
the likelihood fits the noise with spikes. Reference: Li, Wang, Lopuhaä-Zwakenberg, Skoric, Li (2020).
"""

import numpy as np

from hushpoll_server.estimate.support import Figures

# After so many rounds no bin moves by more than a tenth of its standard error at the n and epsilon of surveys.
_ROUNDS = 200


def smoothed_likelihood(counts: Figures, *, bins: int, half: int, threshold: int) -> Figures:
    """Return the shares of the bins, a row for each histogram of outputs."""
    width, keep = 2 * half + 1, threshold / 2.0**64
    far = (1 - keep) / (bins - 1)
    extra = keep / width - far
    seen = counts / counts.sum(axis=1, keepdims=True)
    shares = np.full((len(counts), bins), 1 / bins)
    for _ in range(_ROUNDS):
        # P_f(y) = far + extra·Σ f_x over the bins near y; windows by running sums, not by products of matrices, whose
        # threads get into each other's way on a busy machine.
        ratio = seen / (far + extra * _windows(np.pad(shares, ((0, 0), (width - 1, width - 1))), width))
        # f_x ← f_x Σ_y λ_y P(y|x)/P_f(y)
        shares = _smoothed(shares * (far * ratio.sum(axis=1, keepdims=True) + extra * _windows(ratio, width)))
    return shares


def _windows(figures: Figures, width: int) -> Figures:
    """Return the sums of all runs of so many neighbours; rounding takes none below 0."""
    sums = np.pad(figures.cumsum(axis=1), ((0, 0), (1, 0)))
    return np.asarray(np.maximum(sums[:, width:] - sums[:, :-width], 0))


def _smoothed(shares: Figures) -> Figures:
    # An end bin stands in for the neighbour that it lacks, so shares still add up to 1.
    wide = np.concatenate((shares[:, :1], shares, shares[:, -1:]), axis=1)
    return np.asarray((wide[:, :-2] + 2 * shares + wide[:, 2:]) / 4)
