"""Figures within groups that are themselves randomized, and how the figures of two groups differ.

A figure within group i is the ratio t_i = a_i/b_i of two estimates from the same reports: b_i is the share of the
group, and a_i that of the people in it who hold an answer, or the sum of their numbers. The groups' figures are
correlated, because one report says something about all groups. With x and B what a report is worth for a and b,

    Cov(t̂_i, t̂_k) = E[(x_i - t_i B_i)(x_k - t_k B_k)]/(n b_i b_k)

by the delta method, which is used for standard errors and correlations only; limits are by ratios.py, differences by
variance recovery from them. The p-value is the error probability at which the interval reaches 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from hushpoll_server.estimate.groups.multiple_tests import adjusted
from hushpoll_server.estimate.groups.variance_recovery import Compared, or_none, p_values
from hushpoll_server.estimate.intervals import Limits
from hushpoll_server.estimate.numbers.means import Mean
from hushpoll_server.estimate.ratios import Spread, fieller_limits, share_among_limits
from hushpoll_server.estimate.results import Json
from hushpoll_server.estimate.support import Figures

Places = NDArray[np.intp]

# A smaller part of a mean square is that of rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True)
class RowFigure(Mean):
    """A percentage of a row, a mean in a group, or a ratio of two; None where it does not exist."""


@dataclass(frozen=True, kw_only=True)
class RowDifference:
    """How much larger a figure is in the first group than in the second, and how many times, if that can be said."""

    first: str
    second: str
    column: str | None
    difference: RowFigure
    p_value: float | None
    adjusted_p_value: float | None = None
    ratio: RowFigure | None = None

    def to_json(self) -> Json:
        """Return the figures by the names of the contract."""
        column: Json = {} if self.column is None else {"column": self.column}
        tests: Json = {"p_value": self.p_value, "adjusted_p_value": self.adjusted_p_value}
        ratio = None if self.ratio is None else self.ratio.to_json()
        return {
            "first": self.first,
            "second": self.second,
            **column,
            **self.difference.to_json(),
            **tests,
            "ratio": ratio,
        }


@dataclass(frozen=True, eq=False)
class RowRatios(ABC):
    """The ratios of all groups (rows) and columns, and the second moments of what a report is worth for them.

    `top` and `bottom` have a row for each group; the moments are those of two groups and one column: E[x_i x_k],
    E[x_i B_k] and E[B_i B_k].
    """

    n: int
    top: Figures
    bottom: Figures
    tops: Figures
    crossed: Figures
    bottoms: Figures

    @cached_property
    def estimates(self) -> Figures:
        """Return the ratios; NaN where the estimated share of the group is not positive."""
        positive = self.bottom > 0
        return np.where(positive, self.top, np.nan) / np.where(positive, self.bottom, 1.0)

    @cached_property
    def covariances(self) -> Figures:
        """Return the covariances of two groups' ratios in each column."""
        one, other = self.estimates[:, np.newaxis], self.estimates[np.newaxis, :]
        moments = self.tops - other * self.crossed - one * self.crossed.swapaxes(0, 1) + one * other * self.bottoms
        return np.asarray(moments / (self.n * self.bottom[:, np.newaxis] * self.bottom[np.newaxis, :]))

    @cached_property
    def errors(self) -> Figures:
        """Return the standard errors by the delta method, never 0; NaN where there is no ratio or no known error."""
        return np.asarray(np.sqrt(np.maximum(self._least_variance, np.einsum("iij->ij", self.covariances))))

    @property
    @abstractmethod
    def _least_variance(self) -> Figures:
        """Return the variance that a ratio has at least, although all reports agree."""

    @abstractmethod
    def limits(self, rows: Places, columns: Places, quantile: ArrayLike) -> Limits:
        """Return the limits of some ratios at the quantile of the normal law; NaN where there are none."""

    def compared(self, first: Places, second: Places, columns: Places, quantile: ArrayLike) -> Compared:
        """Return pairs of ratios with their limits."""
        errors = self.errors[first, columns] * self.errors[second, columns]
        correlation = np.clip(self.covariances[first, second, columns] / errors, -1, 1)
        return Compared(
            self.estimates[first, columns],
            self.estimates[second, columns],
            self.limits(first, columns, quantile),
            self.limits(second, columns, quantile),
            correlation,
        )

    def figures(self, quantile: float) -> list[list[RowFigure]]:
        """Return the ratios of all groups, row by row."""
        places = np.indices(self.top.shape)
        limits = self.limits(places[0], places[1], quantile)
        grid = np.stack((self.estimates, self.errors, limits.low, limits.high), axis=-1)
        return [[_figure(cell) for cell in row] for row in grid]

    def differences(
        self, rows: Sequence[str], columns: Sequence[str | None], quantile: float, adjustment: str
    ) -> tuple[RowDifference, ...]:
        """Return the differences of all pairs of groups in these columns, with p-values for the whole family."""
        pairs = [(i, k, j) for i, k in combinations(range(len(rows)), 2) for j in range(len(columns))]
        if not pairs:
            return ()
        first, second, places = np.array(pairs).T
        compared = self.compared(first, second, places, quantile)
        gaps = compared.first - compared.second
        tests = p_values(gaps, lambda z: self.compared(first, second, places, z).difference())
        differences, ratios = self._with_errors(compared, first, second, places)
        found = tuple(
            RowDifference(
                first=rows[i],
                second=rows[k],
                column=columns[j],
                difference=_figure(differences[at]),
                p_value=or_none(tests[at]),
                ratio=_ratio(ratios[at]),
            )
            for at, (i, k, j) in enumerate(pairs)
        )
        return _adjusted(found, adjustment)

    def _with_errors(
        self, compared: Compared, first: Places, second: Places, columns: Places
    ) -> tuple[Figures, Figures]:
        """Return differences and ratios with standard errors and limits, one in each row."""
        x, y, gaps, ratios = compared.first, compared.second, compared.difference(), compared.ratio()
        one, other = self.errors[first, columns], self.errors[second, columns]
        with np.errstate(divide="ignore", invalid="ignore"):
            times = x / y
            # Var(x - ty) = Var(x) + t² Var(y) - 2t Cov(x, y), with t = 1 for the difference
            errors = [
                np.sqrt(np.maximum(0.0, one**2 + (t * other) ** 2 - 2 * t * compared.correlation * one * other))
                for t in (np.ones_like(x), times)
            ]
            ratio_errors = errors[1] / np.abs(y)
        return (
            np.column_stack((x - y, errors[0], gaps.low, gaps.high)),
            np.column_stack((times, ratio_errors, ratios.low, ratios.high)),
        )


class SharesInRows(RowRatios):
    """Shares among the people of a group."""

    @property
    def _least_variance(self) -> Figures:
        # Half a report is added on either side, as for a share; the randomizing is not known to add anything.
        people = np.maximum(self.n * self.bottom, 0.0)
        share = np.clip((people * self.estimates + 0.5) / (people + 1), 0.5 / (people + 1), 1 - 0.5 / (people + 1))
        plug_in = np.einsum("iij->ij", self.covariances)
        agreed = plug_in * self.bottom**2 <= _ROUNDING * np.einsum("iij->ij", self.tops) / self.n
        return np.where(agreed, share * (1 - share) / np.maximum(people, 1.0), 0.0)

    def limits(self, rows: Places, columns: Places, quantile: ArrayLike) -> Limits:
        """Return the limits of shares among some."""
        a, b = self.top[rows, columns], self.bottom[rows, columns]
        moments = (each[rows, rows, columns] for each in (self.tops, self.crossed, self.bottoms))
        top, both, bottom = moments
        # The noise: of a true answer in the group all three moments are 1.
        return share_among_limits(a, b, Spread(top - a, both - a, bottom - b), self.n, quantile)


class MeansInRows(RowRatios):
    """Means of a number among the people of a group."""

    @property
    def _least_variance(self) -> Figures:
        # The spread of equal reports says nothing about the error of their mean.
        plug_in = np.einsum("iij->ij", self.covariances)
        known = plug_in * self.bottom**2 > _ROUNDING * np.einsum("iij->ij", self.tops) / self.n
        return np.where(known, 0.0, np.nan)

    def limits(self, rows: Places, columns: Places, quantile: ArrayLike) -> Limits:
        """Return Fieller's limits, with Student's law for as many people as the group has."""
        a, b = self.top[rows, columns], self.bottom[rows, columns]
        top, both, bottom = (each[rows, rows, columns] for each in (self.tops, self.crossed, self.bottoms))
        spread = Spread((top - a * a) / self.n, (both - a * b) / self.n, (bottom - b * b) / self.n)
        people = np.maximum(1.0, self.n * np.clip(b, 0.0, 1.0) - 1)
        student = special.stdtrit(people, special.ndtr(-np.asarray(quantile, float)))
        # SciPy has +∞ for tails that are too small for it.
        student = np.where(np.isfinite(student), -student, np.inf)
        found = fieller_limits(a, b, spread, student)
        known = np.isfinite(self.errors[rows, columns])
        return Limits(np.where(known, found.low, np.nan), np.where(known, found.high, np.nan))


def _figure(numbers: ArrayLike) -> RowFigure:
    estimate, se, low, high = map(or_none, np.asarray(numbers, float))
    return RowFigure(estimate=estimate, se=se, low=low, high=high)


def _ratio(numbers: ArrayLike) -> RowFigure | None:
    ratio = _figure(numbers)
    return None if ratio.low is None or ratio.high is None else ratio


def _adjusted(differences: tuple[RowDifference, ...], adjustment: str) -> tuple[RowDifference, ...]:
    """Return the differences with the p-values of those that have one adjusted for all of them."""
    tested = [each.p_value for each in differences if each.p_value is not None]
    values = iter(adjusted(tested, adjustment).tolist())
    return tuple(each if each.p_value is None else replace(each, adjusted_p_value=next(values)) for each in differences)
