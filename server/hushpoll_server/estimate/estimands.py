"""What the counters of a question estimate: shares, a mean, or a distribution.

A mechanism chooses one of them for its counters and fills in the numbers; from here on the mechanism does not matter.
The rule here: everything that an estimator needs is in the estimand, so it can be estimated again, cached or passed to
a notebook.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from hushpoll_server.estimate.joint import Joint
from hushpoll_server.estimate.numbers.distribution import FAMILIES, DistributionResult, Range, estimate_distribution
from hushpoll_server.estimate.numbers.distribution_fit import fit_shares
from hushpoll_server.estimate.numbers.mean_design import MeanDesign
from hushpoll_server.estimate.numbers.mean_of_some import Scores, estimate_mean_of_some
from hushpoll_server.estimate.numbers.means import MeanResult, estimate_mean
from hushpoll_server.estimate.numbers.number_law import NumberLaw
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.results import Result
from hushpoll_server.estimate.shares import Counted, estimate_shares
from hushpoll_server.estimate.support import Figures, SupportDesign

QuestionResult = Result | MeanResult | DistributionResult

# As measured, for a name with two counts and for one count.
_BYTES_OF_A_CELL, _BYTES_OF_A_COUNT = 150, 32


@dataclass(frozen=True, kw_only=True, eq=False)
class Estimand(ABC):
    """Counts, with what they are counts of."""

    epsilon: float

    @property
    @abstractmethod
    def n(self) -> int:
        """Return the number of reports to the question."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Return about how many bytes it occupies."""

    @abstractmethod
    def estimate(self, options: Options) -> QuestionResult:
        """Return the figures."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SharesEstimand(Estimand):
    """The shares of answers: for each its name, the supporting reports, and the reports that asked it.

    `shown` are the names of the answers that are estimated: of yes and no alone, one is enough.
    """

    cells: Sequence[Counted]
    shown: tuple[str, ...]
    reports: int
    support: SupportDesign
    joint: Joint

    @property
    def n(self) -> int:
        """Return the number of reports to the question."""
        return self.reports

    @property
    def size(self) -> int:
        """Return the bytes of the cells."""
        return _BYTES_OF_A_CELL * len(self.cells)

    def estimate(self, options: Options) -> Result:
        """Return the share of each answer that is shown."""
        shown = frozenset(self.shown)
        cells = [cell for cell in self.cells if cell[0] in shown]
        return estimate_shares(
            cells, self.support, epsilon=self.epsilon, n=self.reports, joint=self.joint, **vars(options)
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class HistogramEstimand(Estimand):
    """What is estimated from the counts of all outputs, in their order."""

    histogram: Sequence[int]

    @property
    def n(self) -> int:
        """Return the number of reports to the question."""
        return sum(self.histogram)

    @property
    def size(self) -> int:
        """Return the bytes of the counts."""
        return _BYTES_OF_A_COUNT * len(self.histogram)


@dataclass(frozen=True, kw_only=True, eq=False)
class MeanEstimand(HistogramEstimand):
    """The mean of a number."""

    design: MeanDesign

    def estimate(self, options: Options) -> MeanResult:
        """Return the mean."""
        return estimate_mean(self.histogram, self.design, epsilon=self.epsilon, **vars(options))


@dataclass(frozen=True, kw_only=True, eq=False)
class MeanOfSomeEstimand(HistogramEstimand):
    """The mean among those who gave a number, and the shares of those who gave an extra instead."""

    scores: Scores
    extras: Sequence[str]

    def estimate(self, options: Options) -> MeanResult:
        """Return the mean, and the share of each extra."""
        return estimate_mean_of_some(self.histogram, self.scores, self.extras, epsilon=self.epsilon, **vars(options))


@dataclass(frozen=True, kw_only=True, eq=False)
class DistributionEstimand(Estimand):
    """The distribution of a number in a range, beside its mean."""

    mean: MeanEstimand | MeanOfSomeEstimand
    law: NumberLaw
    low: Fraction
    high: Fraction

    @property
    def n(self) -> int:
        """Return the number of reports to the question."""
        return self.mean.n

    @property
    def size(self) -> int:
        """Return the bytes of the counts, and of the fit when it is computed."""
        return self.mean.size + self.law.chances[:, 0].nbytes

    @cached_property
    def counts(self) -> Figures:
        """Return the counts of the outputs."""
        return np.array([int(count) for count in self.mean.histogram], np.float64)

    @cached_property
    def shares(self) -> Figures | None:
        """Return the fitted shares of all answers, which do not depend on the options; None without reports."""
        return fit_shares(self.counts, self.law.chances, self.law.bins) if self.n else None

    def estimate(self, options: Options) -> DistributionResult:
        """Return the figures of the distribution, and the mean."""
        mean = self.mean.estimate(replace(options, families=FAMILIES * options.families))
        return estimate_distribution(self.counts, self.law, self.shares, mean, Range(self.low, self.high))
