"""Two independent samples that were asked with different probabilities, and what is linear in their two rates.

With two samples two unknowns can be estimated: a share, and something that a single sample would have to assume. Each
figure is a sum w₁λ₁ + w₂λ₂ + c of the rates of yes. The rule here: its limits are by variance recovery from the limits
of each rate, so none has zero width where all reports of a sample agree; nothing is clipped.

References: G. Y. Zou, A. Donner (2008), Construction of confidence limits about effect measures: a general approach,
Statistics in Medicine 27 (MOVER).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
from scipy import optimize, special

from hushpoll_server.estimate.diagnosis import NO_REPORTS
from hushpoll_server.estimate.errors import EstimateError, whole
from hushpoll_server.estimate.intervals import (
    Limits,
    Method,
    check_method,
    choose_method,
    clopper_pearson,
    wald,
    wilson,
)
from hushpoll_server.estimate.results import Cell, Json
from hushpoll_server.estimate.support import Counts, Figures

_LIMITS = {"wilson": wilson, "exact": clopper_pearson, "wald": wald}


@dataclass(frozen=True, eq=False)
class TwoSamples:
    """The reports that say yes, and all reports, of two samples; each has some."""

    yes: Counts
    n: Counts
    level: float
    method: Method

    @classmethod
    def of(
        cls, yes: Sequence[SupportsIndex], n: Sequence[SupportsIndex], level: float, method: str | None
    ) -> TwoSamples | None:
        """Return the samples, or None if one of them has no reports."""
        counts, totals = read_pair(yes, n)
        if 0 in totals:
            return None
        chosen = choose_method(counts, totals, level) if method is None else check_method(method)
        return cls(np.array(counts), np.array(totals), level, chosen)

    @property
    def rates(self) -> Figures:
        """Return the rates of yes."""
        return self.yes / self.n

    @property
    def variances(self) -> Figures:
        """Return the variances of the rates: plug-in, with half a report on either side where all agree."""
        agree = (self.yes == 0) | (self.yes == self.n)
        rates = np.where(agree, (self.yes + 0.5) / (self.n + 1), self.rates)
        return np.asarray(rates * (1 - rates) / self.n)

    def covariance(self, first: Figures, second: Figures) -> float:
        """Return the covariance of two figures with these weights."""
        return float((first * second) @ self.variances)

    def cell(self, name: str, weights: Figures, constant: float, count: int, tidy: float) -> Cell:
        """Return a figure with these weights of the two rates."""
        estimate, limits = float(weights @ self.rates) + constant, self._limits()
        rates, ends = self.rates, np.stack([limits.low, limits.high])
        # L = f̂ - √Σ(w λ̂ - least w λ)² and U = f̂ + √Σ(most w λ - w λ̂)²
        terms = weights * ends
        below, above = weights * rates - terms.min(axis=0), terms.max(axis=0) - weights * rates
        return Cell(
            name=name,
            count=count,
            estimate=estimate,
            se=math.sqrt(self.covariance(weights, weights)),
            low=estimate - float(np.linalg.norm(below)),
            high=estimate + float(np.linalg.norm(above)),
            tidy=tidy,
        )

    def log_likelihood(self, rates: Figures) -> float:
        """Return the log-likelihood of two rates, without the constant."""
        return float((special.xlogy(self.yes, rates) + special.xlog1py(self.n - self.yes, -rates)).sum())

    def most_likely(self, matrix: Figures, corners: Figures) -> Figures:
        """Return the most likely x, with rates `matrix` x, of those between the corners, given counter-clockwise."""
        free = np.asarray(np.linalg.solve(matrix, self.rates), np.float64)
        edges = list(zip(corners, np.roll(corners, -1, axis=0), strict=True))
        if all(_left_of(start, end, free) for start, end in edges):
            return free
        # The likelihood is concave: if its top is outside, the most likely point is on an edge.
        best = (self.best_on_edge(matrix, start, end) for start, end in edges)
        return max(best, key=lambda point: self.log_likelihood(matrix @ point))

    def best_on_edge(self, matrix: Figures, start: Figures, end: Figures) -> Figures:
        """Return the most likely x between two points."""

        def loss(part: float) -> float:
            return -self.log_likelihood(matrix @ (start + part * (end - start)))

        found = optimize.minimize_scalar(loss, bounds=(0.0, 1.0), options={"xatol": 1e-12})
        part = min((0.0, float(found.x), 1.0), key=loss)
        return np.asarray(start + part * (end - start))

    def _limits(self) -> Limits:
        limits = _LIMITS[self.method](self.yes, self.n, self.level)
        exact = clopper_pearson(self.yes, self.n, self.level)
        none = limits.low == limits.high
        return Limits(np.where(none, exact.low, limits.low), np.where(none, exact.high, limits.high))


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One of two samples: its counts, p and, where it has one, q, and its epsilon, None if there is none."""

    yes: int
    n: int
    p: float
    q: float | None = None
    epsilon: float | None

    def to_json(self) -> Json:
        """Return the figures by name."""
        return {name: value for name, value in vars(self).items() if name != "q" or value is not None}


@dataclass(frozen=True, kw_only=True)
class TwoSampleResult:
    """The figures of two samples; `covariances` are those of the cells, in their order, None without reports."""

    n: int
    level: float
    method: Method
    coverage: str = "pointwise"
    epsilon: float | None
    samples: tuple[Sample, ...]
    cells: tuple[Cell, ...]
    covariances: tuple[tuple[float, ...], ...] | None = None
    warnings: tuple[str, ...] = ()

    def to_json(self) -> Json:
        """Return the question object of the contract, with the two samples."""
        return {
            "n": self.n,
            "level": self.level,
            "method": self.method,
            "coverage": self.coverage,
            "epsilon": self.epsilon,
            "samples": [sample.to_json() for sample in self.samples],
            "standard_errors": "plug-in",
            "cells": [_cell_to_json(cell) for cell in self.cells],
            "covariances": None if self.covariances is None else [list(row) for row in self.covariances],
            "warnings": list(self.warnings),
        }


def read_pair(yes: Sequence[SupportsIndex], n: Sequence[SupportsIndex]) -> tuple[list[int], list[int]]:
    """Return the counts of two samples as plain integers."""
    if len(yes) != 2 or len(n) != 2:
        raise EstimateError("two samples are needed: give two counts of yes and two numbers of reports")
    counts = [whole(count, "count") for count in yes]
    totals = [whole(total, "number of reports") for total in n]
    for count, total in zip(counts, totals, strict=True):
        if count > total:
            raise EstimateError(f"the count {count} is not between 0 and n = {total}: check both figures")
    return counts, totals


def doubts(cells: Sequence[Cell]) -> tuple[str, ...]:
    """Return what a reader must know of figures that no population has."""
    outside = [cell.name for cell in cells if _outside(cell)]
    if not outside:
        return ()
    names = ", ".join(f"“{name}”" for name in outside)
    sentence = (
        f"The whole interval lies outside 0 to 1 for {names}, where no share can be: unless it is chance, the model "
        "does not hold, or people did not follow the instructions."
    )
    return (sentence,)


def _left_of(start: Figures, end: Figures, point: Figures) -> bool:
    across, up = end - start
    return bool(across * (point[1] - start[1]) - up * (point[0] - start[0]) >= 0)


def missing(cells: Sequence[str]) -> tuple[tuple[Cell, ...], tuple[str, ...]]:
    """Return cells without figures, and the reason."""
    return tuple(Cell(name=name, count=0) for name in cells), (
        f"{NO_REPORTS} Both samples need some, as two figures are estimated.",
    )


def _outside(cell: Cell) -> bool:
    return cell.low is not None and cell.high is not None and (cell.high < 0 or cell.low > 1)


def _cell_to_json(cell: Cell) -> Json:
    return {name: getattr(cell, name) for name in ("name", "count", "estimate", "se", "low", "high", "tidy")}
