"""Upper limits for a ratio of mean values that hold at every look, by one-sided bets.

If the mean of v is 0 or more, and no v is above b, nobody can expect to gain by the bet Π (1 − κ v/b) for 0 < κ < 1,
and the average of some such bets ever wins 1/α times its stake with probability at most α (Ville 1939). So ratios t are
rejected for which the bet on v = numerator − t·denominator has won that much. The fractions κ are a geometric series:
one of them is within a factor of two of the best at every n.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hushpoll_server.estimate.support import Figures

_FRACTIONS = 0.999 * 0.5 ** np.arange(18.0)
_HALVINGS = 36


def bets_high(
    numerator: Figures, denominator: Figures, counts: Figures, _chances: Figures, tail: float, *, far: float
) -> Figures:
    """Return the least ratios, a column for each, that the bets have rejected; ∞ if they do not reject even `far`."""
    ratio = (numerator * counts).sum(axis=0) / (denominator * counts).sum(axis=0)
    inside, outside = np.minimum(ratio, far), np.full(numerator.shape[1], far)
    beyond = ~_reject(numerator - far * denominator, counts, tail)
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        rejected = _reject(numerator - middle * denominator, counts, tail)
        inside, outside = np.where(rejected, inside, middle), np.where(rejected, middle, outside)
    return np.asarray(np.where(beyond, np.inf, outside))


def _reject(values: Figures, counts: Figures, tail: float) -> NDArray[np.bool_]:
    """Return for each column whether a mean of 0 or more is rejected."""
    most = values.max(axis=0)
    places = values / np.where(most > 0, most, 1.0)
    seen = counts[:, 0] > 0
    won = np.array([(counts[seen] * np.log1p(-fraction * places[seen])).sum(axis=0) for fraction in _FRACTIONS])
    wealth = special.logsumexp(won, axis=0) - math.log(len(_FRACTIONS))
    # If no value is positive, the mean is not.
    return np.asarray((wealth >= -math.log(tail)) | (most <= 0))
