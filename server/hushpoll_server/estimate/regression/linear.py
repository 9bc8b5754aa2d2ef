"""Linear regression of a mean: outcomes are unbiased numbers, such as debiased reports or randomized numbers.

A randomized report y of a yes/no question becomes r = (y - q) / (p - q), whose expected value is the answer. Ordinary
least squares on r therefore estimate differences of shares, and on randomized numbers differences of means. The spread
differs from row to row, so the standard errors are robust against that: HC3 by default, HC1 on request, with Student's
law.

The rule here: no standard error that is small only because a few rows are fitted exactly.

References
----------
- J. G. MacKinnon, H. White (1985). Some heteroskedasticity-consistent covariance matrix estimators with improved finite
  sample properties. *Journal of Econometrics* 29, 305-325.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from hushpoll_server.estimate.errors import EstimateError, check_level
from hushpoll_server.estimate.regression.model_matrix import INTERCEPT, ModelMatrix, check_rows, spread_of
from hushpoll_server.estimate.regression.randomized_outcome import RandomizedOutcome, read_times
from hushpoll_server.estimate.regression.results import Regression, make_coefficients
from hushpoll_server.estimate.support import Figures, SupportDesign

RobustErrors = Literal["hc3", "hc1"]
ROBUST_ERRORS: tuple[RobustErrors, ...] = get_args(RobustErrors)

# A row with a leverage of 1 is fitted exactly, whatever its outcome; rounding stays within this.
_ALONE = 1e-8
# Squares of numbers up to this are ordinary floats.
# Robust standard errors of a group with fewer rows are too small: with 8 rows intervals of 95 % hold in 89 %.
_FEW = 30
FEW = "Fewer than {few} rows of {names}: intervals there hold less often than they say. Join small groups."
_LARGEST = 1e100
# A standard error below this fraction of the outcomes' spread is rounding.
_NO_ERROR = 1e-7


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearRegression(Regression):
    """A fitted linear regression; `standard_errors` is `hc3` or `hc1`."""


def linear_regression(
    outcomes: ArrayLike,
    covariates: Mapping[str, ArrayLike],
    design: SupportDesign | Sequence[SupportDesign] | None = None,
    *,
    references: Mapping[str, str] | None = None,
    standard_errors: str = "hc3",
    level: float = 0.95,
    times: ArrayLike | None = None,
) -> LinearRegression:
    """Return the linear regression of a mean, or with a design of the share of a randomized yes/no outcome (1 or 0).

    Covariates are numbers or labels (texts), each of which is compared with that of `references`, else with the first.
    Equal rows can be given once, with how often each occurs: `times`.
    """
    check_level(level)
    values = read_numbers(outcomes) if design is None else RandomizedOutcome.of(outcomes, design).unbiased
    often = read_times(times, len(values))
    n = int(often.sum())
    check_rows(n, (INTERCEPT, *covariates))
    check_spread(values, n)
    matrix = ModelMatrix.of(covariates, len(values), references, often)
    few = check_groups(matrix, values, often)
    inner, covariance = _fit(matrix, values, often, standard_errors)
    _check_errors(matrix, covariance, spread_of(values, often))
    covariance = matrix.back @ covariance @ matrix.back.T
    degrees = n - len(matrix.names)
    return LinearRegression(
        n=n,
        level=level,
        coefficients=make_coefficients(matrix.names, matrix.back @ inner, covariance, level, degrees),
        standard_errors=standard_errors,
        covariance=covariance,
        matrix=matrix,
        warnings=few,
    )


def check_groups(matrix: ModelMatrix, values: Figures, times: Figures) -> tuple[str, ...]:
    """Refuse a label whose outcomes are all the same, whichever the reference is; warn of labels with few rows."""
    few = []
    for label in matrix.labels:
        columns = np.stack([matrix.values[:, matrix.names.index(name)] for name in label.columns], axis=1)
        members = {label.reference: ~columns.any(axis=1)} | dict(zip(label.others, columns.T > 0, strict=True))
        for name, rows in members.items():
            own = values[rows]
            if np.ptp(own) <= _NO_ERROR**2 * np.abs(values).max():
                raise EstimateError(
                    f"all outcomes of {label.name}={name} are the same, so nothing shows how uncertain that group is: "
                    "join it with another, or collect more reports"
                )
            few += [f"{label.name}={name}"] if times[rows].sum() < _FEW else []
    return (FEW.format(few=_FEW, names=", ".join(few)),) if few else ()


def _fit(matrix: ModelMatrix, values: Figures, times: Figures, standard_errors: str) -> tuple[Figures, Figures]:
    """Return the coefficients of the standardized columns and their covariances."""
    # A row that occurs t times has √t in place of 1: sums of products are those of all its reports.
    root = np.sqrt(times)
    columns, triangle = np.linalg.qr(matrix.standard * root[:, np.newaxis])
    leverage = (columns**2).sum(axis=1) / times
    _check_leverage(leverage)
    coefficients = np.linalg.solve(triangle, columns.T @ (values * root))
    residuals = values - matrix.standard @ coefficients
    spread = residuals**2 * _corrections(standard_errors, leverage, times.sum(), len(matrix.names))
    inverse = np.linalg.inv(triangle)
    # (XᵀX)⁻¹ Xᵀ diag(spread) X (XᵀX)⁻¹ = R⁻¹ Qᵀ diag(spread) Q R⁻ᵀ
    return coefficients, inverse @ ((columns.T * spread) @ columns) @ inverse.T


def _corrections(standard_errors: str, leverage: Figures, n: float, coefficients: int) -> Figures:
    kinds = {"hc3": 1 / (1 - leverage) ** 2, "hc1": np.full(len(leverage), n / (n - coefficients))}
    if standard_errors not in kinds:
        raise EstimateError(f"there are no standard errors {standard_errors!r}: choose one of {', '.join(kinds)}")
    return kinds[standard_errors]


def read_numbers(outcomes: ArrayLike) -> Figures:
    """Return outcomes that are ordinary numbers."""
    try:
        values = np.asarray(outcomes, float)
    except (TypeError, ValueError):
        raise EstimateError("an outcome is not a number: give numbers") from None
    if values.ndim != 1:
        raise EstimateError("the outcomes are not a list: give one number for each report")
    wrong = np.flatnonzero(~(np.abs(values) < _LARGEST))
    if wrong.size:
        raise EstimateError(
            f"the outcome in row {wrong[0] + 1} is not an ordinary number: fill it in or leave the row out"
        )
    return values


def check_spread(values: Figures, n: int) -> None:
    """Refuse outcomes that are all the same."""
    if np.ptp(values) <= _NO_ERROR**2 * np.abs(values).max():
        raise EstimateError(
            f"all {n} outcomes are the same, so nothing can be said about what they depend on: "
            "collect more reports, or check that the right column was named"
        )


def _check_leverage(leverage: Figures) -> None:
    alone = np.flatnonzero(leverage > 1 - _ALONE)
    if alone.size:
        raise EstimateError(
            f"row {alone[0] + 1} alone decides a coefficient, so nothing shows how uncertain that is: join its group "
            "with another, or leave out the covariate"
        )


def _check_errors(matrix: ModelMatrix, covariance: Figures, spread: float) -> None:
    # In the units of the covariates the intercept is that of rows which all covariates put at 0.
    scaled = matrix.back @ covariance @ matrix.back.T
    sizes = np.abs(matrix.back).max(axis=1)
    errors = np.sqrt(np.maximum(0.0, np.diag(scaled))) / sizes
    exact = [name for name, error in zip(matrix.names, errors, strict=True) if error <= _NO_ERROR * spread]
    if exact:
        raise EstimateError(
            f"the rows that decide {', '.join(exact)} have outcomes without any spread, so nothing shows how uncertain "
            "that is: collect more reports, or join small groups"
        )
