"""Expectation maximisation with smoothing (EMS) for the square wave, for many histograms at once.

Each round raises the likelihood and then averages every bin with its neighbours, [1, 2, 1]/4. Without the smoothing
the likelihood fits the noise with spikes. Reference: Li, Wang, Lopuhaä-Zwakenberg, Skoric, Li (2020).
"""

from dataclasses import dataclass

import numpy as np

from hushpoll_server.estimate.support import Figures

# After so many rounds no bin moves by more than a tenth of its standard error at the n and epsilon of surveys.
_ROUNDS = 200


@dataclass(frozen=True, kw_only=True)
class SquareWave:
    """Hold a square wave: its bins, how far near reaches, and how many extras have outputs behind the numbers'."""

    bins: int
    half: int
    extras: int
    threshold: int

    @property
    def width(self) -> int:
        """Return how many outputs are near a bin or an extra."""
        return 2 * self.half + 1

    @property
    def places(self) -> int:
        """Return the number of outputs that stand for numbers."""
        return self.bins + 2 * self.half

    @property
    def far(self) -> float:
        """Return the chance of one output that is not near."""
        return (1 - self.threshold / 2.0**64) / (self.bins - 1 + self.extras * self.width)

    @property
    def gain(self) -> float:
        """Return by how much an output is more likely if it is near."""
        return self.threshold / 2.0**64 / self.width - self.far

    def chances(self, shares: Figures) -> Figures:
        """Return the chances of the outputs, for each row of shares of the bins and then the extras."""
        # P_f(y) = far + gain·Σ f_x over the bins near y; windows by running sums, not by products of matrices, whose
        # threads get into each other's way on a busy machine.
        reach = self.width - 1
        near = _windows(np.pad(shares[:, : self.bins], ((0, 0), (reach, reach))), self.width)
        return self.far + self.gain * np.concatenate((near, shares[:, self.bins :].repeat(self.width, axis=1)), axis=1)

    def smoothed_likelihood(self, counts: Figures) -> Figures:
        """Return the shares of the bins and then the extras, a row for each histogram of outputs."""
        seen = counts / counts.sum(axis=1, keepdims=True)
        size = self.bins + self.extras
        shares = np.full((len(counts), size), 1 / size)
        for _ in range(_ROUNDS):
            # f_x ← f_x Σ_y λ_y P(y|x)/P_f(y)
            ratio = seen / self.chances(shares)
            near = _windows(ratio[:, : self.places], self.width)
            told = ratio[:, self.places :].reshape(len(counts), self.extras, self.width).sum(axis=2)
            gains = np.concatenate((near, told), axis=1)
            raised = shares * (self.far * ratio.sum(axis=1, keepdims=True) + self.gain * gains)
            shares = np.concatenate((_smoothed(raised[:, : self.bins]), raised[:, self.bins :]), axis=1)
        return shares


def _windows(figures: Figures, width: int) -> Figures:
    """Return the sums of all runs of so many neighbours; rounding takes none below 0."""
    sums = np.pad(figures.cumsum(axis=1), ((0, 0), (1, 0)))
    return np.asarray(np.maximum(sums[:, width:] - sums[:, :-width], 0))


def _smoothed(shares: Figures) -> Figures:
    # An end bin stands in for the neighbour that it lacks, so shares still add up to 1.
    wide = np.concatenate((shares[:, :1], shares, shares[:, -1:]), axis=1)
    return np.asarray((wide[:, :-2] + 2 * shares + wide[:, 2:]) / 4)
