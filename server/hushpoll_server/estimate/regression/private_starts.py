"""Where climbs to the top of a likelihood with randomized covariates begin.

Such a likelihood can have several tops, and its highest can be at infinity. The rule here: one start without slopes,
one at those of the linear model, and for every randomized column two that are so steep that a top at infinity is found,
if there is one.
"""

from collections.abc import Iterator

import numpy as np
from scipy import special

from hushpoll_server.estimate.projection import simplex_projection
from hushpoll_server.estimate.regression.private_covariates import PrivateCovariates
from hushpoll_server.estimate.regression.private_likelihood import PrivateLikelihood
from hushpoll_server.estimate.support import Figures

# A start is not put where the information has almost vanished.
_LEAST_SHARE = 0.05
_STARTS = (0.0, 1.0)
# With coefficients of this size nearly all shares are 0 or 1: if that is more likely there is no finite top.
_STEEP = 8.0


def starts(likelihood: PrivateLikelihood, private: PrivateCovariates) -> Iterator[Figures]:
    """Yield the common share with no slopes, with those of the linear model turned into log-odds, and steep ones."""
    share = float(np.clip(likelihood.outcome.common_share(), _LEAST_SHARE, 1 - _LEAST_SHARE))
    start: Figures = np.zeros(likelihood.parameters)
    start[0] = special.logit(share)
    start[likelihood.slopes :: likelihood.depends.shape[1]] = _log_odds(private, likelihood.outcome.times)
    matrix = np.hstack([likelihood.public, private.unbiased])
    root = np.sqrt(likelihood.outcome.times)
    linear = np.linalg.lstsq(matrix * root[:, np.newaxis], likelihood.outcome.unbiased * root, rcond=None)[0]
    slopes = linear / (share * (1 - share))
    for steepness in _STARTS:
        there = start.copy()
        there[1 : likelihood.slopes] = np.clip(steepness * slopes[1:], -_STEEP / 2, _STEEP / 2)
        yield there
    first = likelihood.public.shape[1]
    for place in range(first, likelihood.slopes):
        for sign in (_STEEP, -_STEEP):
            there = start.copy()
            there[place] = sign
            yield there


def _log_odds(private: PrivateCovariates, times: Figures) -> Figures:
    """Return the log-odds of every combination against the first, if all covariates were independent."""
    shares = [
        np.maximum(simplex_projection(times @ covariate.design.values[covariate.draws] / times.sum()), _LEAST_SHARE)
        for covariate in private.each
    ]
    each = np.array(
        [
            sum(np.log(share[place]) for share, place in zip(shares, places, strict=True))
            for places in private.combinations
        ]
    )
    return np.asarray(each[1:] - each[0])
