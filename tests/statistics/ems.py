"""Expectation maximisation with smoothing, the estimator of bins that ours must never be worse than.

Each round raises the likelihood and then averages every bin with its neighbours, [1, 2, 1]/4; an end takes the place of
its missing neighbour. Reference: Li, Wang, Lopuhaä-Zwakenberg, Skoric, Li (2020), Estimating numerical distributions
under local differential privacy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Figures = NDArray[np.float64]
_ROUNDS = 200


def smoothed_shares(counts: Figures, chances: Figures) -> Figures:
    """Return the shares of the bins, a row for each row of counts; `chances` has a row for each bin."""
    seen = counts / counts.sum(axis=1, keepdims=True)
    shares = np.full((len(counts), len(chances)), 1 / len(chances))
    for _ in range(_ROUNDS):
        # f_x ← f_x Σ_y λ_y P(y|x)/P_f(y)
        raised = shares * ((seen / (shares @ chances)) @ chances.T)
        beyond = np.pad(raised, ((0, 0), (1, 1)), "edge")
        shares = (beyond[:, :-2] + 2 * raised + beyond[:, 2:]) / 4
    return shares
