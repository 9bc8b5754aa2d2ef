"""Limits that hold at every look: the anytime-valid confidence sequence of a live page.

A fixed 95 % interval that is looked at sixty times misses at some look far more often than one time in twenty. The
limits here enclose the rates against which a bet on the reports, mixed over all rates by Beta(½, ½), has not yet won
1/α times its stake; by Ville's inequality the true rate is ever excluded with probability at most α.

References: Ville (1939); Robbins (1970); Howard, Ramdas, McAuliffe and Sekhon (2021).
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from hushpoll_server.estimate.intervals import Limits
from hushpoll_server.estimate.support import Figures

# After this many halvings an interval of rates is narrower than a float can resolve.
_HALVINGS = 60


def anytime_limits(count: ArrayLike, n: ArrayLike, level: float) -> Limits:
    """Return the rates that the mixture does not reject; valid at every look."""
    supporting, others = np.asarray(count, float), np.subtract(n, count).astype(float)
    low = _crossing(supporting, others, level)
    return Limits(low, 1 - _crossing(others, supporting, level))


def _crossing(supporting: Figures, others: Figures, level: float) -> Figures:
    """Return the rate below the observed one at which the wealth reaches 1/α, or 0."""
    # ln B(½ + S, ½ + t - S) - ln B(½, ½) - ln(1/α): the log-likelihood of a rate inside the limits is above this
    floor = special.betaln(0.5 + supporting, 0.5 + others) - math.log(math.pi) + math.log(1 - level)
    rejected, accepted = np.zeros_like(supporting), supporting / (supporting + others)
    for _ in range(_HALVINGS):
        middle = (rejected + accepted) / 2
        # S ln λ + (t - S) ln(1 - λ)
        is_accepted = special.xlogy(supporting, middle) + special.xlog1py(others, -middle) > floor
        rejected, accepted = np.where(is_accepted, rejected, middle), np.where(is_accepted, middle, accepted)
    return np.asarray(np.where(supporting == 0, 0.0, rejected))
