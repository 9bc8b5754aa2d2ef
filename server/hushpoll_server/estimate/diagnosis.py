"""Sentences for the reader when figures need a word of care, and the limits that go with them.

Law kept here: an interval that lies wholly outside [0, 1] is shown as it is, with the chance of such counts and with
the shares that the likelihood still allows; it is never clipped to a point. However many cells a question has, each
kind of care is one sentence. Tallies here are oriented so that p > q, and every cell has reports.
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
# Below this chance of the most extreme cell, tampering is named as the cause.
_ALARM = 0.01
# So many cells are named; of more, the number is told.
_NAMED = 3
# Halving [0, 1] so often reaches far below one report in a thousand million.
_HALVINGS = 100


@dataclass(frozen=True, eq=False)
class Findings:
    """Hold the cells of a question with what is to be judged about them."""

    names: tuple[str, ...]
    tally: Tally
    limits: Limits
    level: float
    method: ShownMethod

    @property
    def below(self) -> NDArray[np.bool_]:
        """Tell whose interval lies wholly below 0."""
        return self.limits.high < 0

    @property
    def above(self) -> NDArray[np.bool_]:
        """Tell whose interval lies wholly above 1."""
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
        """Return what the reader should know beside the figures."""
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
        # Of k cells whose true share is 0, a part α/2 has its interval wholly below 0 by chance alone; the union
        # bound on the least chance says whether there is more to it.
        k, least = len(self.names), self._least_chance()
        worst = min(1.0, k * least)
        chance = f"With {k} cells the most extreme of them has probability at most {_chance(worst)} for any possible"
        if worst > _ALARM:
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
            return "Limits that hold at every look leave the population's size unused and are wider than need be."
        if self.method != "exact" or self.tally.n.max() <= EXACT_LIMIT:
            return ""
        return (
            f"Above {EXACT_LIMIT} reports the exact interval leaves the population's size unused and "
            f"is wider than need be; Wilson's uses it."
        )

    def _named(self, cells: NDArray[np.intp]) -> str:
        if cells.size > _NAMED:
            return f"{cells.size} of {len(self.names)} cells"
        return ", ".join(f"“{self.names[cell]}”" for cell in cells)


def chance_of_so_few(tally: Tally) -> Figures:
    """Return the chance of so few supporting reports when nobody holds the category."""
    # P(Bin(n, q) ≤ c) = 1 - I_q(c + 1, n - c); at share 0 it does not matter who was drawn
    others = np.maximum(tally.n - tally.count, 1)
    chance = special.betaincc(tally.count + 1, others, tally.design.q)
    return np.asarray(np.where(tally.count == tally.n, 1.0, chance))


def likelihood_reach(tally: Tally, level: float) -> Figures:
    """Return how far from 0 the share may be when the likelihood, within [0, 1], is highest at 0."""
    # The binomial likelihood also serves a declared population, where it is a little wide.
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
        kept = allowed(middle)
        inside, outside = np.where(kept, middle, inside), np.where(kept, outside, middle)
    return outside


def _chance(probability: float) -> str:
    return f"{probability:.2g}" if probability > 0 else "1e-300"
