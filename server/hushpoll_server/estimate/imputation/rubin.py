"""Rubin's rules: one estimate with its standard error from the estimates of several completed data sets.

With m estimates Q_i and their variances U_i, Ū the mean of the variances and B the variance of the estimates,

    Q̄ = ΣQ_i/m,   T = Ū + (1 + 1/m) B,   ν = (m - 1)(1 + Ū/((1 + 1/m) B))²

and Q̄ ± t_ν √T. If the complete data had ν₀ degrees of freedom, ν is Barnard's and Rubin's (1999), which never exceeds
ν₀. The rule here: a standard error of 0 is never returned as one. Where the data sets agree and claim certainty there
is none.

References: D. B. Rubin (1987), Multiple Imputation for Nonresponse in Surveys; J. Barnard, D. B. Rubin (1999),
Small-sample degrees of freedom with multiple imputation, Biometrika 86.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from hushpoll_server.estimate.errors import EstimateError, check_level
from hushpoll_server.estimate.intervals import normal_quantile
from hushpoll_server.estimate.results import Json
from hushpoll_server.estimate.support import Figures

CERTAIN = (
    "The data sets agree and leave no variance, so there is neither a standard error nor an interval: analyse more "
    "data sets, or a figure that varies."
)


@dataclass(frozen=True, kw_only=True)
class Rubin:
    """A combined estimate: variance within and between the data sets, and what the missing answers cost.

    `degrees` is None where the normal law applies; `se`, `low` and `high` are None where the data sets leave none.
    """

    estimate: float
    within: float
    between: float
    total: float
    se: float | None
    degrees: float | None
    low: float | None
    high: float | None
    missing_information: float | None
    level: float
    m: int
    warnings: tuple[str, ...] = ()

    def to_json(self) -> Json:
        """Return the figures by name."""
        return {**vars(self), "warnings": list(self.warnings)}


def rubin(
    estimates: ArrayLike, variances: ArrayLike, *, complete_degrees: float | None = None, level: float = 0.95
) -> Rubin:
    """Combine the estimates of one figure from several completed data sets; `variances` are squared standard errors."""
    check_level(level)
    values, squares = _read(estimates, variances)
    _check_degrees(complete_degrees)
    m, within, between = len(values), float(squares.mean()), float(values.var(ddof=1))
    added = (1 + 1 / m) * between
    degrees = _degrees(m, within, added, complete_degrees)
    estimate, se = float(values.mean()), math.sqrt(within + added)
    half = se * (normal_quantile(level) if degrees is None else float(special.stdtrit(degrees, (1 + level) / 2)))
    return Rubin(
        estimate=estimate,
        within=within,
        between=between,
        total=within + added,
        se=se or None,
        degrees=degrees,
        low=estimate - half if se else None,
        high=estimate + half if se else None,
        missing_information=_missing(within, added, degrees) if se else None,
        level=level,
        m=m,
        warnings=() if se else (CERTAIN,),
    )


def _degrees(m: int, within: float, added: float, complete: float | None) -> float | None:
    """Return ν; None is infinite."""
    if not added:
        return None if complete is None else complete * (complete + 1) / (complete + 3)
    classic = (m - 1) * (1 + within / added) ** 2
    if complete is None:
        return classic if math.isfinite(classic) else None
    # 1/ν = 1/ν_m + 1/ν_obs, ν_obs = (ν₀ + 1)/(ν₀ + 3) ν₀ (1 - γ), γ = (1 + 1/m)B/T
    observed = (complete + 1) / (complete + 3) * complete * within / (within + added)
    return 1 / (1 / classic + 1 / observed) if observed else classic


def _missing(within: float, added: float, degrees: float | None) -> float:
    """Return the fraction of the information about the figure that the missing answers held."""
    # (r + 2/(ν + 3))/(r + 1), r = (1 + 1/m)B/Ū, multiplied by Ū so that it holds for Ū = 0
    ratio = 0.0 if degrees is None else 2 / (degrees + 3)
    return (added + within * ratio) / (added + within)


def _read(estimates: ArrayLike, variances: ArrayLike) -> tuple[Figures, Figures]:
    values, squares = np.asarray(estimates, float), np.asarray(variances, float)
    if values.ndim != 1 or values.shape != squares.shape or len(values) < 2:
        raise EstimateError("Rubin's rules need an estimate and a variance from each of two or more data sets")
    if not np.isfinite(values).all() or not np.isfinite(squares).all() or (squares < 0).any():
        raise EstimateError("an estimate or a variance is not a finite number, or a variance is negative: check them")
    return values, squares


def _check_degrees(complete: float | None) -> None:
    if complete is not None and not 0 < complete < math.inf:
        raise EstimateError("the degrees of freedom of the complete data are not a positive number: give one, or none")
