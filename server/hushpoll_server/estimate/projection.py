"""Shares as a population can have them: the tidy view, beside the unbiased estimates and never instead of them.

Shares of categories that exclude each other add up to 1, so the nearest point of the simplex is taken (Norm-Sub);
options that may be ticked together are each clipped to [0, 1]. Clipping and renormalising is not offered: on a spike it
is worse than the raw estimates. The rule here: intervals never come from tidy figures.

Which likelihood? k-ary randomized response has a closed form from the counts alone. The sets of subset selection and
the points of the projective design say more than the counts of support, so their likelihood needs the reports:
`likelihood_of_reports`. From counts alone the simplex projection is what least squares gives: at equal shares the
covariance of the estimates is a multiple of 1 - 11ᵀ/k on the contrasts, so weighted and plain least squares agree.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.support import Counts, Figures, SupportDesign

# Expectation maximisation stops when no share changes by more than this.
_LEAST_CHANGE = 1e-10
_MOST_STEPS = 100_000


def simplex_projection(shares: Figures) -> Figures:
    """Return the nearest shares that are not negative and add up to 1."""
    # max(f - t, 0) with t = (Σ of the largest r shares - 1)/r for the largest r whose smallest member stays positive
    falling = np.sort(shares)[::-1]
    surplus = (np.cumsum(falling) - 1) / np.arange(1, shares.size + 1)
    last = int(np.flatnonzero(falling > surplus)[-1])
    return np.asarray(np.maximum(shares - surplus[last], 0.0))


def likelihood_of_counts(count: Counts, design: SupportDesign) -> Figures:
    """Return the most likely shares when each report names exactly one of the categories."""
    if not math.isclose(design.p + (count.size - 1) * design.q, 1, rel_tol=1e-9) or count.sum() == 0:
        raise EstimateError(
            "the likelihood of counts needs reports that each name one category (k-ary randomized response): "
            "use the projection, or likelihood_of_reports on the reports"
        )
    # Maximise Σ n_j ln λ_j with λ_j ≥ q and Σ λ_j = 1: λ_j = max(q, t n_j), where of the r largest counts
    #   t = (1 - (k - r) q) / Σ of the r largest, for the largest r whose smallest member is not below q
    falling = np.sort(count)[::-1]
    free = np.arange(1, count.size + 1)
    scales = (1 - (count.size - free) * design.q) / np.maximum(np.cumsum(falling), 1)
    last = int(np.flatnonzero(scales * falling >= design.q)[-1])
    return np.asarray(design.share(np.maximum(design.q, scales[last] * count)))


def likelihood_of_reports(supports: NDArray[np.bool_], odds: float, times: ArrayLike = 1) -> Figures:
    """Return the most likely shares of exclusive categories, from the reports themselves.

    Row r of `supports` says which categories a report supports; their likelihood is `odds` for a holder and 1 for
    anybody else (subset selection, projective geometry, k-ary randomized response). `times` counts equal reports.
    """
    weights = np.where(supports, odds, 1.0)
    each = np.broadcast_to(np.asarray(times, float), len(weights)) / np.sum(np.broadcast_to(times, len(weights)))
    shares = np.full(weights.shape[1], 1 / weights.shape[1])
    for _ in range(_MOST_STEPS):
        # f_v ← f_v · mean over the reports of w(v, r) / Σ_u f_u w(u, r)
        moved = shares * ((each / (weights @ shares)) @ weights)
        if np.abs(moved - shares).max() < _LEAST_CHANGE:
            return np.asarray(moved)
        shares = moved
    raise EstimateError("the likelihood did not converge: use the projection")
