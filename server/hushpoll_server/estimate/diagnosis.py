"""Warnings to the reader of figures, and the limits that go with them.

The rule here: an interval that lies wholly outside [0, 1] is shown as it is, with the chance of such counts and
with the shares that the likelihood still allows; it is never clipped to a point. However many cells a question has,
each kind of warning is one sentence. Tallies here are oriented so that p > q, and every cell has reports.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hushpoll_server.estimate.finite import EXACT_LIMIT
from hushpoll_server.estimate.intervals import Limits
from hushpoll_server.estimate.results import ShownMethod
from hushpoll_server.estimate.support import Figures, Tally

NO_REPORTS = "No reports yet: there is nothing to estimate from."
# Where the most extreme cell is less probable than this, tampering is given as the cause.
_TAMPERING_BELOW = 0.01
# A warning names at most this many cells; for more it gives only their number.
_MOST_NAMED_CELLS = 3
# Halving [0, 1] this many times goes far below one report in a thousand million.
_HALVINGS = 100


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """The cells of a question, with the figures that warnings depend on."""

    names: tuple[str, ...]
    tally: Tally
    limits: Limits
    level: float
    method: ShownMethod

    @property
    def below(self) -> NDArray[np.bool_]:
        """Return whether the interval of each cell lies wholly below 0."""
        return self.limits.high < 0

    @property
    def above(self) -> NDArray[np.bool_]:
        """Return whether the interval of each cell lies wholly above 1."""
        return self.limits.low > 1

    def constrained(self) -> Limits:
        """Return likelihood-ratio limits within [0, 1] where the raw ones are wholly outside it, NaN elsewhere."""
        low, high = (np.full(self.tally.count.shape, np.nan) for _ in range(2))
        if self.below.any():
            low[self.below], high[self.below] = 0.0, likelihood_reach(self.tally.of(self.below), self.level)
        if self.above.any():
            mirrored = self.tally.of(self.above).complement()
            low[self.above], high[self.above] = 1 - likelihood_reach(mirrored, self.level), 1.0
        return Limits(low, high)

    def sentences(self) -> tuple[str, ...]:
        """Return the warnings that the figures call for."""
        candidates = (self._outside(), self._uninformative(), self._unanimous(), self._population_unused())
        return tuple(sentence for sentence in candidates if sentence)

    def _outside(self) -> str:
        cells = np.flatnonzero(self.below | self.above)
        if cells.size == 0:
            return ""
        return self._one_outside() if len(self.names) == 1 else self._some_outside(cells)

    def _one_outside(self) -> str:
        side, limits = ("below 0" if self.below[0] else "above 1"), self.constrained()
        return (
            f"The whole interval lies {side}, outside what the design can produce: unless it is chance "
            f"(probability at most {_chance(self._least_chance())} for any possible share), this "
            f"is non-compliance or tampering. Taking the reports at face value, shares from "
            f"{limits.low[0]:.4g} to {limits.high[0]:.4g} remain possible (constrained "
            f"likelihood-ratio limit)."
        )

    def _some_outside(self, cells: NDArray[np.intp]) -> str:
        # Of k cells whose true share is 0, a fraction α/2 has its interval wholly below 0 by chance alone; the union
        # bound on the least chance shows whether chance explains it.
        k, least = len(self.names), self._least_chance()
        worst = min(1.0, k * least)
        chance = f"With {k} cells the most extreme of them has probability at most {_chance(worst)} for any possible"
        if worst > _TAMPERING_BELOW:
            return (
                f"The whole interval lies outside 0 to 1 for {self._named(cells)}. {chance} shares: chance does this."
            )
        return (
            f"The whole interval lies outside 0 to 1, outside what the design can produce, for {self._named(cells)}. "
            f"{chance} shares: this is non-compliance or tampering. The shares that remain possible are given as "
            f"constrained likelihood-ratio limits."
        )

    def _least_chance(self) -> float:
        low = chance_of_so_few(self.tally.of(self.below))
        high = chance_of_so_few(self.tally.of(self.above).complement())
        return float(np.concatenate((low, high)).min())

    def _uninformative(self) -> str:
        cells = np.flatnonzero((self.limits.low <= 0) & (self.limits.high >= 1))
        if cells.size == 0:
            return ""
        n = int(self.tally.n[cells].max())
        reports = "1 report does" if n == 1 else f"{n} reports do"
        if len(self.names) == 1:
            return f"The interval covers every possible share: {reports} not narrow it down yet. Collect more."
        return f"{reports} not narrow down {self._named(cells)} yet: every share is possible there. Collect more."

    def _unanimous(self) -> str:
        cells = np.flatnonzero(self.tally.one_sided)
        if cells.size == 0:
            return ""
        alone = len(self.names) == 1
        same = "All reports are the same, so" if alone else f"All reports say the same of {self._named(cells)}:"
        if self.method == "wald":
            return f"{same} the Wald interval would have no width; the exact interval is shown."
        return f"{same} the standard error says little; read the interval instead."

    def _population_unused(self) -> str:
        if self.tally.population is None:
            return ""
        if self.method == "mixture":
            return "Limits that hold at every look ignore the population's size and are wider than necessary."
        if self.method != "exact" or self.tally.n.max() <= EXACT_LIMIT:
            return ""
        return (
            f"Above {EXACT_LIMIT} reports the exact interval ignores the population's size and "
            f"is wider than necessary; Wilson's uses it."
        )

    def _named(self, cells: NDArray[np.intp]) -> str:
        if cells.size > _MOST_NAMED_CELLS:
            return f"{cells.size} of {len(self.names)} cells"
        return ", ".join(f"“{self.names[cell]}”" for cell in cells)


def chance_of_so_few(tally: Tally) -> Figures:
    """Return the chance of this few supporting reports, or fewer, when nobody holds the category."""
    # P(Bin(n, q) ≤ c) = 1 - I_q(c + 1, n - c); at share 0 it does not matter who was sampled
    others = np.maximum(tally.n - tally.count, 1)
    chance = special.betaincc(tally.count + 1, others, tally.design.q)
    return np.asarray(np.where(tally.count == tally.n, 1.0, chance))


def likelihood_reach(tally: Tally, level: float) -> Figures:
    """Return how far from 0 the share may be when the likelihood, within [0, 1], is highest at 0."""
    # The binomial likelihood is also used for a declared population, where its limits are slightly too wide.
    design, quantile = tally.design, float(special.chdtri(1, 1 - level))
    count, others = tally.count, tally.n - tally.count

    def allowed(share: Figures) -> NDArray[np.bool_]:
        # 2 (ℓ(q) - ℓ(λ)) ≤ χ²₁, ℓ(λ) = c ln λ + (n - c) ln(1 - λ), λ = q + f (p - q)
        gain = special.xlog1py(count, share * design.gap / design.q)
        loss = special.xlog1py(others, -share * design.gap / (1 - design.q))
        return np.asarray(-2 * (gain + loss) <= quantile)

    inside, outside = np.zeros(count.shape), np.ones(count.shape)
    inside = np.where(allowed(outside), 1.0, inside)
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        is_allowed = allowed(middle)
        inside, outside = np.where(is_allowed, middle, inside), np.where(is_allowed, outside, middle)
    return outside


def _chance(probability: float) -> str:
    return f"{probability:.2g}" if probability > 0 else "1e-300"
