"""A yes/no outcome behind a randomizing design, row by row: the likelihood of a regression and its derivatives.

With g = expit(η) the share of yes among people with the linear predictor η, a report says yes with probability
λ = q + (p - q) g. Each row may have a design of its own. The rule here: all rows are turned so that p is above q, which
changes neither the likelihood nor any coefficient.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.support import Figures, SupportDesign


@dataclass(frozen=True, eq=False)
class RandomizedOutcome:
    """The reports, yes or no, with the probabilities of a yes if the answer is yes (p) and if it is no (q).

    Each stands for as many reports as `times` says.
    """

    yes: NDArray[np.bool_]
    p: Figures
    q: Figures
    times: Figures

    @classmethod
    def of(
        cls, outcomes: ArrayLike, design: SupportDesign | Sequence[SupportDesign], times: ArrayLike | None = None
    ) -> "RandomizedOutcome":
        """Return reports of 0 and 1, all of one design or each of its own."""
        yes = _read_yes(outcomes)
        designs = [design] * yes.size if isinstance(design, SupportDesign) else list(design)
        if len(designs) != yes.size:
            raise EstimateError(f"there are {len(designs)} designs for {yes.size} outcomes: give one, or one for each")
        p, q = np.array([each.p for each in designs]), np.array([each.q for each in designs])
        turned = p < q
        return cls(yes ^ turned, np.where(turned, 1 - p, p), np.where(turned, 1 - q, q), read_times(times, yes.size))

    @property
    def n(self) -> int:
        """Return the number of reports."""
        return int(self.times.sum())

    @property
    def unbiased(self) -> Figures:
        """Return a number for each report whose expected value is the answer: 1 for yes, 0 for no."""
        # r = (y - q) / (p - q)
        return (self.yes - self.q) / (self.p - self.q)

    def chance(self, predictor: Figures) -> Figures:
        """Return the probability of each report as it is."""
        # λ = p g + q (1 - g), a sum of positive terms, keeps its digits near 0; so does 1 - λ.
        g, rest = special.expit(predictor), special.expit(-predictor)
        return np.where(self.yes, self.p * g + self.q * rest, (1 - self.p) * g + (1 - self.q) * rest)

    def log_likelihood(self, predictor: Figures) -> float:
        """Return the logarithm of the probability of all reports."""
        return float(self.times @ np.log(self.chance(predictor)))

    def slopes(self, predictor: Figures) -> Figures:
        """Return the derivative of each report's log-likelihood: the score is their sum, weighted by the columns."""
        # (p - q) g (1 - g) (y - λ) / (λ (1 - λ)), of which the last factors are 1/λ for a yes and -1/(1 - λ) for a no
        return np.where(self.yes, 1.0, -1.0) * self._change(predictor) / self.chance(predictor)

    def expected(self, predictor: Figures) -> Figures:
        """Return the expected information of each report."""
        # ((p - q) g (1 - g))² / (λ (1 - λ))
        g, rest = special.expit(predictor), special.expit(-predictor)
        rate, other = self.p * g + self.q * rest, (1 - self.p) * g + (1 - self.q) * rest
        return self._change(predictor) ** 2 / (rate * other)

    def observed(self, predictor: Figures) -> Figures:
        """Return the observed information of each report: minus the second derivative, which may be negative."""
        # With s the slope: s² - s (1 - 2g), as λ'' = λ' (1 - 2g)
        slopes = self.slopes(predictor)
        return slopes**2 + slopes * np.tanh(predictor / 2)

    def common_share(self) -> float:
        """Return the most likely share if all rows have the same, in [0, 1]."""
        # The log-likelihood is concave in the share, so a search between the ends finds its top.
        found = optimize.minimize_scalar(
            lambda share: -self.log_likelihood_of_share(share), bounds=(0.0, 1.0), options={"xatol": 1e-10}
        )
        return float(max(0.0, found.x, 1.0, key=self.log_likelihood_of_share))

    def log_likelihood_of_share(self, share: float) -> float:
        """Return the log-likelihood if all rows have this share."""
        rate = self.q + (self.p - self.q) * share
        return float(self.times @ np.log(np.where(self.yes, rate, 1 - rate)))

    def _change(self, predictor: Figures) -> Figures:
        return (self.p - self.q) * special.expit(predictor) * special.expit(-predictor)


def read_times(times: ArrayLike | None, rows: int) -> Figures:
    """Return how often each row occurs: once, unless it is said."""
    if times is None:
        return np.ones(rows)
    read = np.asarray(times, np.float64)
    if read.shape != (rows,) or not (read >= 1).all() or (read != np.round(read)).any():
        raise EstimateError(f"how often rows occur must be {rows} whole numbers of at least 1")
    return read


def _read_yes(outcomes: ArrayLike) -> NDArray[np.bool_]:
    try:
        values = np.asarray(outcomes, float)
    except (TypeError, ValueError):
        raise EstimateError("an outcome is not a number: give 1 for a report of yes and 0 for no") from None
    if values.ndim != 1:
        raise EstimateError("the outcomes are not a list: give 1 or 0 for each report")
    wrong = np.flatnonzero((values != 0) & (values != 1))
    if wrong.size:
        raise EstimateError(
            f"the outcome in row {wrong[0] + 1} is neither 1 nor 0: give 1 for a report of yes, 0 for no"
        )
    return np.asarray(values == 1)
