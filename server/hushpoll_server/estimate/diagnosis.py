"""Sentences for the reader when figures need a word of care, and the limits that go with them.

Law kept here: an interval that lies wholly outside [0, 1] is shown as it is, with the chance of
such counts and with the shares that the likelihood still allows; it is never clipped to a point.
Tallies here are oriented so that p > q.
"""

import math

from scipy import optimize, special

from hushpoll_server.estimate.finite import EXACT_LIMIT
from hushpoll_server.estimate.intervals import Interval, Method
from hushpoll_server.estimate.support import Tally

NO_REPORTS = "No reports yet: there is nothing to estimate from."


def constrained_interval(tally: Tally, interval: Interval, level: float) -> Interval | None:
    """Return the likelihood-ratio interval within [0, 1] if the raw one is wholly outside it."""
    if interval.high < 0:
        return Interval(0.0, _likelihood_reach(tally, level))
    if interval.low > 1:
        return Interval(1 - _likelihood_reach(tally.complement(), level), 1.0)
    return None


def chance_of_so_few(tally: Tally) -> float:
    """Return the chance of so few supporting reports when nobody holds the category."""
    if tally.count == tally.n:
        return 1.0
    # P(Bin(n, q) ≤ c) = 1 - I_q(c + 1, n - c); at share 0 it does not matter who was drawn
    return float(special.betaincc(tally.count + 1, tally.n - tally.count, tally.design.q))


def sentences(tally: Tally, interval: Interval, constrained: Interval | None, method: Method) -> tuple[str, ...]:
    """Return what the reader should know beside the figures of one category."""
    candidates = (
        _outside(tally, interval, constrained),
        _uninformative(tally, interval),
        _unanimous(tally, method),
        _population_unused(tally, method),
    )
    return tuple(sentence for sentence in candidates if sentence)


def _likelihood_reach(tally: Tally, level: float) -> float:
    """Return how far from 0 the share may be when the likelihood, within [0, 1], is highest at 0."""
    # The binomial likelihood also serves a declared population, where it is a little wide.
    design, quantile = tally.design, float(special.chdtri(1, 1 - level))

    def excess(share: float) -> float:
        # 2 (ℓ(q) - ℓ(λ)) - χ²₁, ℓ(λ) = c ln λ + (n - c) ln(1 - λ), λ = q + f (p - q)
        gain = tally.count * math.log1p(share * design.gap / design.q)
        loss = (tally.n - tally.count) * math.log1p(-share * design.gap / (1 - design.q))
        return -2 * (gain + loss) - quantile

    if excess(1.0) <= 0:
        return 1.0
    return float(optimize.brentq(excess, 0.0, 1.0, xtol=1e-300, maxiter=1000))


def _outside(tally: Tally, interval: Interval, constrained: Interval | None) -> str:
    if constrained is None:
        return ""
    side, suspect = ("below 0", tally) if interval.high < 0 else ("above 1", tally.complement())
    return (
        f"The whole interval lies {side}, outside what the design can produce: unless it is chance "
        f"(probability at most {_chance(chance_of_so_few(suspect))} for any possible share), this "
        f"is non-compliance or tampering. Taking the reports at face value, shares from "
        f"{constrained.low:.4g} to {constrained.high:.4g} remain possible (constrained "
        f"likelihood-ratio limit)."
    )


def _uninformative(tally: Tally, interval: Interval) -> str:
    if interval.low > 0 or interval.high < 1:
        return ""
    reports = "1 report does" if tally.n == 1 else f"{tally.n} reports do"
    return f"The interval covers every possible share: {reports} not narrow it down yet. Collect more."


def _unanimous(tally: Tally, method: Method) -> str:
    if not tally.one_sided:
        return ""
    same = "All reports are the same, so"
    if method == "wald":
        return f"{same} the Wald interval would have no width; the exact interval is shown."
    return f"{same} the standard error says little; read the interval instead."


def _population_unused(tally: Tally, method: Method) -> str:
    if tally.population is None or method != "exact" or tally.n <= EXACT_LIMIT:
        return ""
    return (
        f"Above {EXACT_LIMIT} reports the exact interval leaves the population's size unused and "
        f"is wider than need be; Wilson's uses it."
    )


def _chance(probability: float) -> str:
    return f"{probability:.2g}" if probability > 0 else "1e-300"
