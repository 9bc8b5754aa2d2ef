"""How unlikely a count is, if the stated design holds: exact tails, never a normal approximation.

A count of one thing is a sum of independent bits whose probabilities are known and may differ. Its tails are at most
those of the binomial count with the same mean, wherever it is at least one away from the mean (Hoeffding 1956, theorem
5). A count of two independent things at once is hypergeometric, given how often each occurred. That, too, is a sum of
independent bits (Vatutin, Mikhailov 1982), so the same bound holds for it, whatever the law of either is.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from hushpoll_server.estimate.support import Figures

# Counts nearer to their mean than this many standard deviations are not looked at: no risk that is shared out over
# many tests is that large, and leaving one out raises no alarm.
_NEAR = 2.5


def chance_beyond(counts: Figures, runs: Figures, means: Figures) -> Figures:
    """Return twice the probability of a count at least as far on its side of the mean; 1 for counts near it."""
    counts, runs, means = np.broadcast_arrays(counts, runs, means)
    chances = np.ones(counts.shape)
    far = np.abs(counts - means) > np.maximum(_NEAR * spread_of(runs, means), 1e-6)
    chances[far] = np.minimum(1, 2 * _tail(counts[far], runs[far], means[far]))
    return chances


def chance_together(both: Figures, first: Figures, second: Figures, lines: float) -> Figures:
    """Return the chance that two independent things came together as often, given how often each did: a table."""
    one, other = np.broadcast_arrays(first[:, np.newaxis], second)
    # The smallest of four samples, with or without one of the two, has the bound that is closest.
    samples = np.stack((one, other, lines - one, lines - other))
    counts = np.stack((both, both, other - both, one - both))
    rates = np.stack((other, one, other, one)) / max(lines, 1)
    smallest = np.argmin(samples, axis=0)[np.newaxis]
    sample, count, rate = (np.take_along_axis(each, smallest, 0)[0] for each in (samples, counts, rates))
    return chance_beyond(count, sample, sample * rate)


def spread_of(runs: Figures, means: Figures) -> Figures:
    """Return the standard deviation of a binomial count: that of unequal bits is no larger."""
    return np.asarray(np.sqrt(np.maximum(means * (1 - means / np.maximum(runs, 1)), 0)))


def _tail(counts: Figures, runs: Figures, means: Figures) -> Figures:
    rates = means / np.maximum(runs, 1)
    above, below = _upper(counts, runs, rates, means), _upper(runs - counts, runs, 1 - rates, runs - means)
    return np.where(counts > means, above, below)


def _upper(counts: Figures, runs: Figures, rates: Figures, means: Figures) -> Figures:
    """Return a bound on P(at least this count)."""
    # P(Bin(n, p) ≥ c) = I_p(c, n − c + 1)
    exact = special.betainc(np.maximum(counts, 1), np.maximum(runs - counts, 0) + 1, np.clip(rates, 0, 1))
    # Less than one above the mean, P(at least 1) ≤ mean bounds the tail (Markov).
    return np.where(counts >= means + 1, exact, np.minimum(1, np.maximum(means, 0)))
