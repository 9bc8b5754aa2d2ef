"""Logistic regression with a randomized yes/no outcome.

The log-odds of a true yes are linear in the covariates: g = expit(xᵀb). A report says yes with probability
q + (p - q) g, and the coefficients b maximise the likelihood of the reports. An analysis that ignores the randomizing
estimates something else: at ε = 1 a slope of 1 shrinks to about 0.34. Here the slope keeps its size, and its standard
error grows to about 2.6 times that of true answers.

The rule here: no figure unless the likelihood has a top. Separation, collinearity and too little information are errors
in a sentence; a standard error is never small because a fit ran into a plateau.

References
----------
- N. J. Scheers, C. M. Dayton (1988). Covariate randomized response models. *Journal of the American Statistical
  Association* 83, 969-974.
- A. van den Hout, P. G. M. van der Heijden, R. Gilchrist (2007). The logistic regression model with response variables
  subject to randomized response. *Computational Statistics & Data Analysis* 51, 6060-6069.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from hushpoll_server.estimate.errors import EstimateError, check_level
from hushpoll_server.estimate.regression.fisher_scoring import Top, highest, information
from hushpoll_server.estimate.regression.model_matrix import INTERCEPT, ModelMatrix, check_rows
from hushpoll_server.estimate.regression.randomized_outcome import RandomizedOutcome
from hushpoll_server.estimate.regression.results import HypothesisTest, Regression, make_coefficients
from hushpoll_server.estimate.results import Json
from hushpoll_server.estimate.support import Figures, SupportDesign

StandardErrors = Literal["expected", "observed", "outer_product"]
STANDARD_ERRORS: tuple[StandardErrors, ...] = get_args(StandardErrors)

# In log-odds for a standard deviation of the covariate. Beyond the first, a 95 % interval spans odds of e^40 either way
# and says nothing; beyond the second, the likelihood is far from normal.
_USELESS, _WIDE = 20.0, 1.0
# A fitted share that is as good as 0 or 1.
_AT_THE_END = 1e-4
# A coefficient takes part in what diverges if its weight is at least this fraction of the largest.
_TAKES_PART = 0.2


@dataclass(frozen=True, kw_only=True, eq=False)
class LogisticRegression(Regression):
    """A fitted logistic regression; `slopes_test` compares it with one share for everybody by the likelihood ratio."""

    log_likelihood: float
    slopes_test: HypothesisTest | None
    outcome: RandomizedOutcome

    @property
    def rows(self) -> Figures:
        """Return the columns that shares are averaged over."""
        return self.matrix.values

    @property
    def weights(self) -> Figures:
        """Return the weight of each of them; together they are 1."""
        return self.outcome.times / self.n

    @property
    def every_covariance(self) -> Figures:
        """Return the covariances of all parameters: here the coefficients are all."""
        return self.covariance

    def weight_slopes(self, values: Figures) -> Figures:
        """Return how the weighted sum of these values changes with further parameters: here there are none."""
        return values[:0]

    def row(self, at: Mapping[str, float | str]) -> Figures:
        """Return the columns for these values of the covariates: a number, or one of its labels."""
        return self.matrix.row(at)

    def to_json(self) -> Json:
        """Return the regression by name."""
        test = None if self.slopes_test is None else self.slopes_test.to_json()
        return super().to_json() | {"log_likelihood": self.log_likelihood, "slopes_test": test}


def logistic_regression(
    outcomes: ArrayLike,
    covariates: Mapping[str, ArrayLike],
    design: SupportDesign | Sequence[SupportDesign],
    *,
    references: Mapping[str, str] | None = None,
    standard_errors: str = "expected",
    level: float = 0.95,
    times: ArrayLike | None = None,
) -> LogisticRegression:
    """Return the regression of a randomized yes/no outcome (1 or 0) on covariates, by name.

    Covariates are numbers or labels (texts), each of which is compared with that of `references`, else with the first.
    `design` is that of all rows, or a list with one for each row. `standard_errors` are from the `expected`
    information, from the `observed` one (minus the second derivatives) or from the `outer_product` of the scores.
    Equal rows can be given once, with how often each occurs: `times`.
    """
    check_level(level)
    outcome = RandomizedOutcome.of(outcomes, design, times)
    check_rows(outcome.n, (INTERCEPT, *covariates))
    check_outcomes(outcome)
    matrix = ModelMatrix.of(covariates, len(outcome.yes), references, outcome.times)
    top = highest(outcome, matrix.standard)
    _check_top(top, outcome, matrix)
    inner = _covariance(top, outcome, matrix, standard_errors)
    covariance = matrix.back @ inner @ matrix.back.T
    return LogisticRegression(
        n=outcome.n,
        level=level,
        coefficients=make_coefficients(matrix.names, matrix.back @ top.coefficients, covariance, level),
        standard_errors=standard_errors,
        covariance=covariance,
        matrix=matrix,
        warnings=_warnings(inner, matrix),
        log_likelihood=top.log_likelihood,
        slopes_test=_slopes_test(top, outcome, matrix),
        outcome=outcome,
    )


def likelihood_ratio_test(regression: LogisticRegression, names: Sequence[str]) -> HypothesisTest:
    """Test whether these coefficients are all zero, by a second fit without them."""
    columns = [regression.names[place] for place in regression.places(names)]
    if set(columns) - {*regression.matrix.names} or len(regression.names) > len(regression.matrix.names):
        raise EstimateError("with randomized covariates there is no second fit yet: use the Wald test")
    if INTERCEPT in columns:
        raise EstimateError("the intercept cannot be left out: name covariates")
    outcome, covariates = regression.outcome, regression.matrix.without(columns)
    if not covariates:
        assert regression.slopes_test is not None
        return regression.slopes_test
    # The likelihood has a limit even where its top is at infinity, so the second fit need not have one.
    smaller = highest(outcome, ModelMatrix.of(covariates, len(outcome.yes), times=outcome.times).standard)
    return HypothesisTest.of("likelihood_ratio", 2 * (regression.log_likelihood - smaller.log_likelihood), len(columns))


def _slopes_test(top: Top, outcome: RandomizedOutcome, matrix: ModelMatrix) -> HypothesisTest | None:
    if len(matrix.names) == 1:
        return None
    common = outcome.log_likelihood_of_share(outcome.common_share())
    return HypothesisTest.of("likelihood_ratio", 2 * (top.log_likelihood - common), len(matrix.names) - 1)


def check_outcomes(outcome: RandomizedOutcome) -> None:
    """Refuse outcomes that are all the same."""
    if outcome.yes.all() or not outcome.yes.any():
        raise EstimateError(
            f"all {outcome.n} outcomes are the same, so nothing can be said about what they depend on: "
            "collect more reports, or check that the right column was named"
        )


def _check_top(top: Top, outcome: RandomizedOutcome, matrix: ModelMatrix) -> None:
    predictor = matrix.standard @ top.coefficients
    values, vectors = np.linalg.eigh(information(matrix.standard, outcome.times * outcome.expected(predictor)))
    if top.reached and values[0] * _USELESS**2 > 1:
        return
    ends = int(outcome.times[special.expit(-np.abs(predictor)) < _AT_THE_END].sum())
    weights = np.abs(top.coefficients if ends else vectors[:, 0])
    raise EstimateError(_no_top(_open(matrix.names, weights), ends, outcome.n))


def _open(names: Sequence[str], weights: Figures) -> str:
    """Return the names of the coefficients that the reports leave open; an intercept follows its slopes."""
    first = min(1, len(names) - 1)
    part = weights[first:] > _TAKES_PART * weights[first:].max()
    return ", ".join(name for name, involved in zip(names[first:], part, strict=True) if involved)


def _no_top(guilty: str, ends: int, rows: int) -> str:
    cure = "collect more reports, leave out covariates, or join small groups"
    if ends:
        return (
            f"separation: the reports are most likely if coefficients are infinite ({guilty}), with {ends} of {rows} "
            f"fitted shares at 0 or 1, so there is neither an estimate nor a standard error: {cure}"
        )
    return f"there is too little information for {guilty}: the likelihood is almost flat, any value fits; {cure}"


def _covariance(top: Top, outcome: RandomizedOutcome, matrix: ModelMatrix, standard_errors: str) -> Figures:
    predictor = matrix.standard @ top.coefficients
    kinds: Mapping[str, Callable[[Figures], Figures]] = {
        "expected": outcome.expected,
        "observed": outcome.observed,
        "outer_product": lambda at: outcome.slopes(at) ** 2,
    }
    if standard_errors not in kinds:
        raise EstimateError(f"there are no standard errors {standard_errors!r}: choose one of {', '.join(kinds)}")
    values, vectors = np.linalg.eigh(information(matrix.standard, outcome.times * kinds[standard_errors](predictor)))
    if values[0] * _USELESS**2 <= 1:
        raise EstimateError(
            f"the {standard_errors} information does not determine all coefficients: take expected standard errors, or "
            "collect more reports"
        )
    return np.asarray((vectors / values) @ vectors.T)


def _warnings(inner: Figures, matrix: ModelMatrix) -> tuple[str, ...]:
    wide = [name for name, variance in zip(matrix.names, np.diag(inner), strict=True) if variance > _WIDE**2]
    if not wide:
        return ()
    warning = (
        f"There is little information about {', '.join(wide)}: the standard error is above {_WIDE:g} in log-odds for a "
        "standard deviation of the covariate. The estimate and its interval are rough there; a likelihood-ratio test "
        "is more reliable than the p-value. Collect more reports."
    )
    return (warning,)
