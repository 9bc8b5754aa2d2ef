"""The shortest interval that holds a share of the posterior: the highest-density interval where there is one.

Where the density has one top inside [0, 1] the shortest interval is the set of the most probable shares, with equal
densities at its ends. A prior weight below 1 makes the density infinite at an end of [0, 1], however little mass lies
there; the most probable shares are then no interval, and the shortest one is what readers expect. The rule here: the
interval starts at 0 or ends at 1 exactly, if it is shortest there.
"""

from __future__ import annotations

import numpy as np
from scipy import optimize, special

from hushpoll_server.estimate.bayes.share_law import ShareLaw
from hushpoll_server.estimate.intervals import Interval
from hushpoll_server.estimate.support import Figures

# Where the lower tail is tried first; the best of these is refined.
_TRIES = 401
_LEAST_TAIL = 1e-12
# Widths that differ by less are equal but for rounding.
_FLAT = 1e-9


def shortest_interval(law: ShareLaw, level: float) -> Interval:
    """Return the shortest interval with this probability."""
    outside = 1 - level
    tails = np.linspace(0, outside, _TRIES)
    widths = _widths(law, tails, level)
    best = int(np.argmin(widths))
    if widths[_TRIES // 2] <= widths[best] * (1 + _FLAT):
        # The density is flat or symmetric: of equally short intervals, the one in the middle.
        best = _TRIES // 2
    start = max(tails[max(0, best - 1)], _LEAST_TAIL * outside)
    end = min(tails[min(_TRIES - 1, best + 1)], (1 - _LEAST_TAIL) * outside)
    # The width falls with the lower tail as long as the upper end is the denser one.
    if _denser_above(law, start, level) <= 0:
        tail = 0.0 if best <= 1 else float(tails[best])
    elif _denser_above(law, end, level) >= 0:
        tail = outside if best >= _TRIES - 2 else float(tails[best])
    else:
        tail = float(optimize.brentq(lambda each: _denser_above(law, each, level), start, end, xtol=1e-15))
    low, high = special.expit(law.quantile([tail, min(1.0, tail + level)]))
    return Interval(0.0 if tail == 0 else float(low), 1.0 if tail == outside else float(high))


def _widths(law: ShareLaw, tails: Figures, level: float) -> Figures:
    low, high = law.quantile(tails), law.quantile(np.minimum(1.0, tails + level))
    # From whichever of f and 1 - f is small.
    return special.expit(high) - special.expit(low) if law.top < 0 else special.expit(-low) - special.expit(-high)


def _denser_above(law: ShareLaw, tail: float, level: float) -> float:
    """Return the difference of the log-densities of the share at the two ends."""
    ends = law.quantile([tail, min(1.0, tail + level)])
    # π(f) = exp h(u) / (f(1 - f))
    low, high = law.log_density(ends) - special.log_expit(ends) - special.log_expit(-ends)
    return float(high - low)
