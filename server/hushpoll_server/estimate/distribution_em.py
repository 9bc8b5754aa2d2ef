"""Expectation maximisation with smoothing (EMS) for a near-far model, for many histograms at once.

Each round raises the likelihood and then averages every bin with its neighbours, [1, 2, 1]/4. Without the smoothing
the likelihood fits the noise with spikes. Reference: Li, Wang, Lopuhaä-Zwakenberg, Skoric, Li (2020).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hushpoll_server.estimate.support import Figures

# After this many rounds no bin moves by more than a tenth of its standard error at the n and epsilon of surveys.
_ROUNDS = 200
# This many figures at a time stay in the processor's cache.
_FIGURES_AT_A_TIME = 2**14


@dataclass(frozen=True, kw_only=True)
class NearFarModel:
    """Outputs that are more likely near the true bin: the bins, the near outputs on each side, and the extras.

    The outputs of the extras follow those of the numbers.
    """

    bins: int
    half: int
    extras: int
    threshold: int

    @cached_property
    def width(self) -> int:
        """Return how many outputs are near a bin or an extra."""
        return 2 * self.half + 1

    @cached_property
    def places(self) -> int:
        """Return the number of outputs for numbers."""
        return self.bins + 2 * self.half

    @cached_property
    def far(self) -> float:
        """Return the chance of one output that is not near."""
        # The integers are subtracted: at a large epsilon the difference of the floats would be 0, and no chance is 0.
        return (2**64 - self.threshold) / 2.0**64 / (self.bins - 1 + self.extras * self.width)

    @cached_property
    def gain(self) -> float:
        """Return by how much an output is more likely if it is near."""
        return self.threshold / 2.0**64 / self.width - self.far

    def chances(self, shares: Figures) -> Figures:
        """Return the chances of the outputs, for each row of shares of the bins and then the extras."""
        return self._chances(np.ascontiguousarray(shares.T)).T

    def smoothed_likelihood(self, counts: Figures) -> Figures:
        """Return the shares of the bins and then the extras, a row for each histogram of outputs."""
        # Histograms are columns here: additions then run over whole rows, which processors do fast.
        seen = (counts / counts.sum(axis=1, keepdims=True)).T
        step = max(1, _FIGURES_AT_A_TIME // (self.places + 2 * self.half + self.extras * self.width))
        parts = (np.ascontiguousarray(seen[:, start : start + step]) for start in range(0, len(counts), step))
        return np.concatenate([self._climb(part) for part in parts], axis=1).T

    def _climb(self, seen: Figures) -> Figures:
        size = self.bins + self.extras
        shares = np.full((size, seen.shape[1]), 1 / size)
        for _ in range(_ROUNDS):
            shares = self._round(seen, shares)
        return shares

    def _chances(self, shares: Figures) -> Figures:
        # P_f(y) = far + gain·Σ f_x over the bins near y; windows by sums, not by matrix products, whose
        # threads contend on a busy machine.
        beyond = np.zeros((self.width - 1, shares.shape[1]))
        chances = _windows(np.concatenate((beyond, shares[: self.bins], beyond)), self.width)
        if self.extras:
            chances = np.concatenate((chances, shares[self.bins :].repeat(self.width, axis=0)))
        chances *= self.gain
        chances += self.far
        return chances

    def _round(self, seen: Figures, shares: Figures) -> Figures:
        # f_x ← f_x Σ_y λ_y P(y|x)/P_f(y)
        ratio = seen / self._chances(shares)
        raised = _windows(ratio[: self.places], self.width)
        if self.extras:
            extras = ratio[self.places :].reshape(self.extras, self.width, -1).sum(axis=1)
            raised = np.concatenate((raised, extras))
        raised *= self.gain
        raised += self.far * ratio.sum(axis=0)
        raised *= shares
        raised[: self.bins] = _smoothed(raised[: self.bins])
        return raised


def _windows(figures: Figures, width: int) -> Figures:
    """Return the sums of all runs of `width` neighbouring rows, built from runs of 1, 2, 4 … rows."""
    number = len(figures) - width + 1
    # The width is odd, so each sum has a run of one row.
    sums, run, length, done = figures[:number].copy(), figures, 1, 1
    while done < width:
        run, length = run[:-length] + run[length:], 2 * length
        if width & length:
            sums += run[done : done + number]
            done += length
    return sums


def _smoothed(shares: Figures) -> Figures:
    # An end bin takes the place of its missing neighbour, so shares still add up to 1.
    smoothed = 2 * shares
    smoothed[1:] += shares[:-1]
    smoothed[:-1] += shares[1:]
    smoothed[0] += shares[0]
    smoothed[-1] += shares[-1]
    smoothed *= 0.25
    return smoothed
