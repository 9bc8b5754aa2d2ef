"""Steps: fits in which everybody above a threshold has the trait and nobody below it, or the other way round.

A step is what coefficients at infinity look like. Behind a design its likelihood is never zero, so with few reports a
step can be more likely than every finite fit. It is the one maximum at infinity that climbing from a finite start can
miss, and along one direction all thresholds are compared at once.
"""

from dataclasses import dataclass

import numpy as np

from hushpoll_server.estimate.regression.randomized_outcome import RandomizedOutcome
from hushpoll_server.estimate.support import Figures

# Log-odds for a standard deviation of the covariates: shares go from 2 % to 98 % within two of them.
_STEEP = 4.0
# With this steepness nearly all fitted shares are 0 or 1.
_UPRIGHT = 1e4


@dataclass(frozen=True, eq=False)
class Step:
    """The most likely step along a direction: shares rise if the slopes are positive."""

    log_likelihood: float
    threshold: float
    slopes: Figures

    def start(self) -> Figures:
        """Return coefficients of a slope in the place of the step, from which a finite top may be found."""
        return self._coefficients(_STEEP)

    def upright(self) -> Figures:
        """Return coefficients that are as good as infinite."""
        return self._coefficients(_UPRIGHT)

    def _coefficients(self, steepness: float) -> Figures:
        return steepness * np.concatenate([[-self.threshold], self.slopes])


def best_step(outcome: RandomizedOutcome, matrix: Figures, direction: Figures) -> Step:
    """Return the most likely of all steps along a direction of the standardized columns, falling ones included."""
    slopes = direction / np.linalg.norm(direction)
    rising, falling = (_rising(outcome, matrix, sign * slopes) for sign in (1.0, -1.0))
    return max(rising, falling, key=lambda step: step.log_likelihood)


def _rising(outcome: RandomizedOutcome, matrix: Figures, slopes: Figures) -> Step:
    places = matrix[:, 1:] @ slopes
    order = np.argsort(places, kind="stable")
    ends = places[order]
    # Σ log P(report | no) below the threshold + Σ log P(report | yes) above it, for a threshold before each row
    no, yes = ((outcome.times * np.log(outcome.chance(np.full(len(ends), end))))[order] for end in (-np.inf, np.inf))
    heights = np.concatenate([[0.0], np.cumsum(no)]) + np.concatenate([np.cumsum(yes[::-1])[::-1], [0.0]])
    bounds = np.concatenate([[ends[0] - 1], (ends[1:] + ends[:-1]) / 2, [ends[-1] + 1]])
    # Rows at the same place are on the same side.
    heights[1:-1][ends[1:] == ends[:-1]] = -np.inf
    best = int(heights.argmax())
    return Step(float(heights[best]), float(bounds[best]), slopes)
