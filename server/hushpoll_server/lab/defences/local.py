"""Local randomization as this project does it: the designs that it chooses, drawn many at a time.

The draws are those of `hushpoll_server.bulk`, whose law is exactly that of a device: the same integer thresholds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushpoll_server.bulk.randomize import index, subset
from hushpoll_server.lab.stream import Places, SeededStream
from hushpoll_server.mechanisms.bound import Bound
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_shared.mechanisms import Subset


@dataclass(frozen=True)
class Randomizer:
    """The device's draw for one of `size` categories; with two it is Warner's."""

    bound: Bound
    size: int = 2

    @cached_property
    def design(self) -> Subset:
        """Return the best design within the bound."""
        return SubsetMechanism.of(self.bound, self.size)

    @property
    def keep(self) -> float:
        """Return the probability that a draw is, or contains, the answer."""
        return float(self.design.p)

    @property
    def gap(self) -> float:
        """Return how much more often a draw names a category if it is the answer."""
        return float(self.design.p - self.design.q)

    @property
    def variance(self) -> float:
        """Return the variance of an estimated share of yes for one respondent, with the answers fixed.

        p(1 − p)/(2p − 1)².
        """
        return self.keep * (1 - self.keep) / self.gap**2

    def draw(self, stream: SeededStream, answers: Places) -> Places:
        """Draw one bit for each bit."""
        return index(answers, size=2, threshold=self.design.threshold, source=stream).astype(np.int64)

    def draw_sets(self, stream: SeededStream, answers: Places) -> NDArray[np.bool_]:
        """Draw one set for each category: a row with the categories that it contains."""
        masks = subset(answers, size=self.size, picks=self.design.picks, threshold=self.design.threshold, source=stream)
        return np.unpackbits(masks, axis=1)[:, : self.size].astype(np.bool_)

    def estimate(self, supporting: ArrayLike) -> NDArray[np.float64]:
        """Return the true share from the share of draws that name a category."""
        return np.asarray((np.asarray(supporting) - float(self.design.q)) / self.gap)
