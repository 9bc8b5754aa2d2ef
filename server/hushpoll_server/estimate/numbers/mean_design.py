"""What the estimation of a mean needs to know of a design: the values of the outputs, and their chances.

All designs for numbers are alike here. A true number is one of several points; its row has the chances of the outputs.
The rule here: in every row the values of the outputs, in the question's own unit, average to the point, so the average
value of the reports is an unbiased estimate of the mean.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.support import Figures

_LIKELIHOOD_ROUNDS = 200


@dataclass(frozen=True, eq=False)
class MeanDesign:
    """The values of the outputs, the points that a true number can be, and the chances, with a row for each point."""

    values: Figures
    points: Figures
    rows: Figures

    def __post_init__(self) -> None:
        """Refuse rows that are biased or do not add up."""
        scale = np.abs(self.values).max() + 1
        if not np.allclose(self.rows.sum(axis=1), 1, atol=1e-9):
            raise EstimateError("the chances of a row do not add up to 1: give those of the manifest")
        if not np.allclose(self.rows @ self.values, self.points, rtol=0, atol=1e-8 * scale):
            raise EstimateError("the values of the outputs are biased: give those of the manifest")

    @cached_property
    def squares(self) -> Figures:
        """Return the mean square of the output's value for each point."""
        return np.asarray(self.rows @ self.values**2)

    @cached_property
    def noise(self) -> Figures:
        """Return the variance that the randomizer alone causes at each point."""
        return np.maximum(self.squares - self.points**2, 0)

    def likely_shares(self, counts: Figures) -> Figures:
        """Return shares of the points that make the counts likely, by some rounds of expectation maximisation."""
        seen = counts > 0
        rows, observed = self.rows[:, seen], counts[seen] / counts.sum()
        shares = np.full(len(self.points), 1 / len(self.points))
        for _ in range(_LIKELIHOOD_ROUNDS):
            shares = shares * (rows @ (observed / (shares @ rows)))
        return shares

    def least_variance(self, mean: float) -> float:
        """Return the least variance of a report over all true numbers with this mean."""
        # Σ f_i E[y²|i] is least, for a given mean Σ f_i x_i, on the lower convex hull.
        inside = min(max(mean, float(self.points[0])), float(self.points[-1]))
        x, square = self._lower_hull
        return max(0.0, float(np.interp(inside, x, square)) - inside * inside)

    @cached_property
    def _lower_hull(self) -> tuple[Figures, Figures]:
        x, negative = upper_hull(self.points, -self.squares)
        return x, -negative


def upper_hull(x: Figures, y: Figures) -> tuple[Figures, Figures]:
    """Return the corners of the least concave function above the points, x increasing or equal."""
    corners: list[tuple[float, float]] = []
    # Of points at the same place the last, which is the highest, stays.
    for point in sorted(zip(x.tolist(), y.tolist(), strict=True)):
        if corners and corners[-1][0] == point[0]:
            corners.pop()
        while len(corners) > 1 and _below(corners[-2], corners[-1], point):
            corners.pop()
        corners.append(point)
    hull = np.array(corners)
    return hull[:, 0], hull[:, 1]


def _below(left: tuple[float, float], middle: tuple[float, float], right: tuple[float, float]) -> bool:
    across, up = right[0] - left[0], right[1] - left[1]
    return (middle[1] - left[1]) * across <= up * (middle[0] - left[0])
