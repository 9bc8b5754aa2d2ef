"""The effect of dishonest reports: the shares among honest respondents that agree with the counts.

Nothing is assumed about the dishonest reports: they may be whatever a client can send. The band is shown beside
the interval; it grows with their fraction and does not depend on chance.
"""

from dataclasses import dataclass

import numpy as np

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.intervals import Limits
from hushpoll_server.estimate.support import Tally


@dataclass(frozen=True)
class Band:
    """The shares among the honest that are possible if a fraction beta of the reports is arbitrary."""

    beta: float
    low: float
    high: float

    def to_json(self) -> dict[str, float]:
        """Return the band by the names of the contract."""
        return {"beta": self.beta, "low": self.low, "high": self.high}


def difference_band(first: Band | None, second: Band | None) -> Band | None:
    """Return the differences of the shares among the honest of two groups; None without the bands of both."""
    if first is None or second is None:
        return None
    return Band(first.beta, first.low - second.high, first.high - second.low)


def check_beta(beta: float) -> None:
    """Refuse a fraction of dishonest reports that is not in [0, 1)."""
    if not 0 <= beta < 1:
        raise EstimateError(f"the fraction {beta} of dishonest reports is not in [0, 1): give a share such as 0.05")


def manipulation_band(tally: Tally, beta: float) -> Limits:
    """Return the least and the greatest share among the honest when a fraction beta of the reports is arbitrary.

    The limits are sharp: each is reached by dishonest reports that all support the category, or all do not.
    """
    check_beta(beta)
    oriented = tally.oriented()
    # λ = (1 - β) λ_honest + β s with 0 ≤ s ≤ 1, and a rate stays in [0, 1]
    low = np.maximum(0.0, oriented.rate - beta) / (1 - beta)
    high = np.minimum(1.0, oriented.rate / (1 - beta))
    return Limits(low, high).mapped(oriented.design.gap, oriented.design.q)
