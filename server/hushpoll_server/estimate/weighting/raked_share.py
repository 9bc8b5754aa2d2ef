"""The share of yes with raked weights, and its variance.

Raking is a calibration: in large samples its estimate is that of a regression on the labels of all margins, so what
varies from sample to sample are the residuals of that regression, weighted (the g-weighted variance). The rule here:
with one variable raking is post-stratification, and its variance is that of the post-strata.

References: J.-C. Deville, C.-E. Särndal (1992), Calibration estimators in survey sampling, JASA 87; J.-C. Deville,
C.-E. Särndal, O. Sautory (1993), Generalized raking procedures in survey sampling, JASA 88.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushpoll_server.estimate.errors import EstimateError, check_level
from hushpoll_server.estimate.support import Figures, SupportDesign
from hushpoll_server.estimate.weighting.linearized import Linearized
from hushpoll_server.estimate.weighting.raking import Raked
from hushpoll_server.estimate.weighting.results import Weighted
from hushpoll_server.estimate.weighting.shares import filled, orient, read_population, read_reports
from hushpoll_server.estimate.weighting.weights import Weights

# With fewer reports of a label its residuals are small because the fit follows them.
_FEW = 10

FEW = "Fewer than {few} reports with {names}: the standard error is too small there, so join small labels."
TRIMMED = (
    "{trimmed} weights were trimmed to the largest allowed: the margins hold, but the variance is that of weights "
    "which were not trimmed."
)


def raked_share(
    reports: ArrayLike,
    raked: Raked,
    design: SupportDesign,
    *,
    level: float = 0.95,
    population: SupportsIndex | None = None,
    name: str = "yes",
) -> Weighted:
    """Return the share of yes from reports of 0 and 1 with raked weights, in the order of the rows."""
    check_level(level)
    column = read_reports(reports, 1)
    if len(column) != raked.weights.size:
        raise EstimateError(f"there are {len(column)} reports for {raked.weights.size} rows: give one for each")
    rows = np.ones(len(column), np.int64)
    supporting, oriented = orient(column, rows, design)
    weights = Weights.of(raked.weights, rows, read_population(population))
    squares = _residuals(supporting[:, 0], raked)[:, np.newaxis] ** 2
    result = filled([name], Linearized(weights, supporting, squares, oriented), design, level, "pointwise")
    return result.with_warnings(_warnings(raked))


def _residuals(values: Figures, raked: Raked) -> Figures:
    """Return what the weighted regression on the labels of all margins leaves."""
    matrix = _indicators(raked.codes, raked.labels)
    # One label of each variable follows from the others: lstsq takes the shortest of the equal solutions.
    gram = matrix.T @ (raked.weights[:, np.newaxis] * matrix)
    coefficients = np.linalg.lstsq(gram, matrix.T @ (raked.weights * values), rcond=1e-12)[0]
    return np.asarray(values - matrix @ coefficients)


def _indicators(codes: Mapping[str, NDArray[np.intp]], labels: Mapping[str, tuple[str, ...]]) -> Figures:
    return np.concatenate([np.eye(len(labels[name]))[column] for name, column in codes.items()], axis=1)


def _warnings(raked: Raked) -> tuple[str, ...]:
    few = [
        f"{name} {label}"
        for name, labels in raked.labels.items()
        for label, count in zip(labels, np.bincount(raked.codes[name], minlength=len(labels)), strict=True)
        if 0 < count < _FEW
    ]
    small = (FEW.format(few=_FEW, names=", ".join(few)),) if few else ()
    return (*small, *((TRIMMED.format(trimmed=raked.trimmed),) if raked.trimmed else ()))
