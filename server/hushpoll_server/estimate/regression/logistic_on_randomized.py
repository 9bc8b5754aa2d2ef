"""Logistic regression on covariates that are randomized questions themselves, beside public ones.

Putting the draws of a covariate in place of its answers shrinks its coefficient, as an error of measurement does, and
moves those of all covariates that are related to it. Here the answers are averaged over: their distribution is
estimated together with the coefficients, from the likelihood of outcome and draws (private_likelihood.py).

The rule here: what is assumed about the answers to randomized covariates is part of every result. By default their
distribution depends on all public covariates, by a multinomial logit; it can be made to depend on some or on none,
which needs fewer reports and is wrong if it does depend on them.

References
----------
- A. van den Hout, P. G. M. van der Heijden (2002). Randomized response, statistical disclosure control and
  misclassification: a review. *International Statistical Review* 70, 269-288.
- R. J. Carroll, D. Ruppert, L. A. Stefanski, C. M. Crainiceanu (2006). *Measurement Error in Nonlinear Models*, 2nd
  edition, chapter 8 (likelihood). Chapman & Hall.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from hushpoll_server.estimate.errors import EstimateError, check_level
from hushpoll_server.estimate.regression.fisher_scoring import Top
from hushpoll_server.estimate.regression.labels import LabelCovariate
from hushpoll_server.estimate.regression.logistic import LogisticRegression, check_outcomes
from hushpoll_server.estimate.regression.model_matrix import INTERCEPT, ModelMatrix, check_rows
from hushpoll_server.estimate.regression.private_covariates import PrivateCovariates, Randomized
from hushpoll_server.estimate.regression.private_likelihood import PrivateLikelihood, highest_of
from hushpoll_server.estimate.regression.private_starts import starts
from hushpoll_server.estimate.regression.randomized_outcome import RandomizedOutcome
from hushpoll_server.estimate.regression.results import make_coefficients, wald_test_of
from hushpoll_server.estimate.results import Json
from hushpoll_server.estimate.support import LEAST_PROBABILITY, Figures, SupportDesign

PrivateErrors = Literal["observed", "outer_product", "sandwich"]
PRIVATE_ERRORS: tuple[PrivateErrors, ...] = get_args(PrivateErrors)

# An outcome that is known as it is.
KNOWN = SupportDesign(1 - LEAST_PROBABILITY, LEAST_PROBABILITY)
# As for other regressions: beyond the first, in log-odds, an interval says nothing; beyond the second it is rough.
_USELESS, _WIDE = 20.0, 1.0
_TAKES_PART = 0.2


@dataclass(frozen=True, kw_only=True, eq=False)
class LogisticOnRandomized(LogisticRegression):
    """A fitted logistic regression on public and randomized covariates; `assumed` says what of the latter.

    `parameter_covariance` is that of the coefficients and then of the parameters of the distribution of the answers.
    """

    private: PrivateCovariates
    depends: Figures
    shares: Figures
    parameter_covariance: Figures
    assumed: str

    @property
    def labels(self) -> tuple[LabelCovariate, ...]:
        """Return the covariates that are labels, public ones first."""
        return (*self.matrix.labels, *self.private.labels)

    @property
    def answers(self) -> dict[str, dict[str, float]]:
        """Return the estimated shares of the answers to each randomized covariate."""
        mean, places = self.outcome.times @ self.shares / self.n, np.array(self.private.combinations)
        return {
            covariate.label.name: {
                answer: float(mean[places[:, number] == place].sum())
                for place, answer in enumerate(covariate.design.answers)
            }
            for number, covariate in enumerate(self.private.each)
        }

    def to_json(self) -> Json:
        """Return the regression by name."""
        return super().to_json() | {"assumed": self.assumed, "answers": self.answers}

    def row(self, at: Mapping[str, float | str]) -> Figures:
        """Return the columns for these values: a number, a label, or an answer to a randomized covariate."""
        public = {name: value for name, value in at.items() if name not in self._private_names}
        if set(at) != {*self.matrix.covariates, *self._private_names}:
            names = ", ".join((*self.matrix.covariates, *self._private_names))
            raise EstimateError(f"give a value for each covariate and no other: {names}")
        own = [figure for label in self.private.labels for figure in label.place(at[label.name]).values()]
        return np.concatenate([self.matrix.row(public), own])

    @property
    def _private_names(self) -> tuple[str, ...]:
        return tuple(label.name for label in self.private.labels)

    @property
    def rows(self) -> Figures:
        """Return the columns of every row with every combination of answers, combination by combination."""
        n, columns = len(self.matrix.values), self.private.columns
        return np.vstack([np.hstack([self.matrix.values, np.broadcast_to(own, (n, len(own)))]) for own in columns])

    @property
    def every_covariance(self) -> Figures:
        """Return the covariances of all parameters."""
        return self.parameter_covariance

    @property
    def weights(self) -> Figures:
        """Return the estimated probability of each of these, times how often its row occurs, over all reports."""
        return (self.shares.T * self.outcome.times).ravel() / self.n

    def weight_slopes(self, values: Figures) -> Figures:
        """Return how the weighted sum of these values changes with the parameters of the distribution of answers."""
        # d P(z)/dγ_k = P(z) (1[z = k] - P(k)) w, summed with the values: P(k) (v_k - Σ P(z) v_z) w
        each = values.reshape(len(self.private.columns), -1).T
        spread = self.shares * (each - (self.shares * each).sum(axis=1, keepdims=True))
        return np.asarray(((spread[:, 1:].T * self.outcome.times) @ self.depends).ravel() / self.n)


def logistic_regression_on_randomized(
    outcomes: ArrayLike,
    covariates: Mapping[str, ArrayLike],
    randomized: Randomized,
    design: SupportDesign | Sequence[SupportDesign] | None = None,
    *,
    depends_on: Sequence[str] | None = None,
    references: Mapping[str, str] | None = None,
    standard_errors: str = "observed",
    level: float = 0.95,
    times: ArrayLike | None = None,
) -> LogisticOnRandomized:
    """Return the regression of a yes/no outcome (1 or 0) on public covariates and on randomized questions.

    `randomized` has for each such question its draws and its design. Without a `design` the outcome is known as it is.
    `depends_on` names the public covariates that the answers to randomized questions may depend on: all if it is None.
    Equal rows can be given once, with how often each occurs: `times`.
    """
    check_level(level)
    outcome = RandomizedOutcome.of(outcomes, KNOWN if design is None else design, times)
    n, chosen = outcome.n, dict(references or {})
    check_rows(n, (INTERCEPT, *covariates, *randomized))
    check_outcomes(outcome)
    private = PrivateCovariates.of(randomized, chosen, len(outcome.yes))
    public = {name: label for name, label in chosen.items() if name not in randomized}
    matrix = ModelMatrix.of(_apart(covariates, randomized), len(outcome.yes), public, outcome.times)
    places = _depends(matrix, depends_on)
    likelihood = PrivateLikelihood(
        outcome, matrix.standard, private.columns, private.chances, matrix.standard[:, places]
    )
    _check_enough(n, likelihood.parameters)
    top = highest_of(likelihood, starts(likelihood, private))
    names = (*matrix.names, *private.names)
    inner = _covariance(top, likelihood, names, standard_errors)
    back = np.eye(likelihood.parameters)
    back[: len(matrix.names), : len(matrix.names)] = matrix.back
    every = back @ inner @ back.T
    covariance: Figures = every[: len(names), : len(names)]
    estimates = back @ top.coefficients
    return LogisticOnRandomized(
        n=n,
        level=level,
        coefficients=make_coefficients(names, estimates[: len(names)], covariance, level),
        standard_errors=standard_errors,
        covariance=covariance,
        matrix=matrix,
        warnings=_warnings(inner, names),
        log_likelihood=top.log_likelihood,
        slopes_test=wald_test_of(estimates[1 : len(names)], covariance[1:, 1:]),
        outcome=outcome,
        private=private,
        depends=likelihood.depends,
        shares=np.exp(likelihood.log_shares(top.coefficients)),
        parameter_covariance=every,
        assumed=_assumed(private, matrix, depends_on),
    )


def _apart(covariates: Mapping[str, ArrayLike], randomized: Randomized) -> Mapping[str, ArrayLike]:
    if both := covariates.keys() & randomized.keys():
        raise EstimateError(f"{', '.join(sorted(both))} is both a public and a randomized covariate: name it once")
    return covariates


def _depends(matrix: ModelMatrix, depends_on: Sequence[str] | None) -> list[int]:
    """Return the columns, the constant included, that the answers to randomized covariates depend on."""
    if depends_on is None:
        return list(range(len(matrix.names)))
    if missing := [name for name in depends_on if name not in matrix.covariates]:
        known = ", ".join(matrix.covariates) or "there is none"
        raise EstimateError(f"answers cannot depend on {', '.join(missing)}: name public covariates ({known})")
    columns = {label.name: label.columns for label in matrix.labels}
    names = {INTERCEPT, *(column for name in depends_on for column in columns.get(name, (name,)))}
    return [place for place, name in enumerate(matrix.names) if name in names]


def _check_enough(rows: int, parameters: int) -> None:
    if rows <= parameters:
        raise EstimateError(
            f"there are {rows} rows for {parameters} parameters, those of the answers to randomized covariates "
            "included: collect more reports, leave out covariates, or let the answers depend on fewer"
        )


def _covariance(top: Top, likelihood: PrivateLikelihood, names: Sequence[str], standard_errors: str) -> Figures:
    if standard_errors not in PRIVATE_ERRORS:
        raise EstimateError(
            f"there are no standard errors {standard_errors!r} with randomized covariates: choose one of "
            f"{', '.join(PRIVATE_ERRORS)}"
        )
    scores, observed = likelihood.derivatives(top.coefficients)
    values, vectors = np.linalg.eigh(observed)
    if not top.reached or values[0] * _USELESS**2 <= 1:
        raise EstimateError(_no_top(top, likelihood, vectors[:, 0], names))
    inverse: Figures = (vectors / values) @ vectors.T
    outer = (scores.T * likelihood.outcome.times) @ scores
    if standard_errors == "observed":
        return inverse
    return np.asarray(inverse @ outer @ inverse if standard_errors == "sandwich" else np.linalg.inv(outer))


def _no_top(top: Top, likelihood: PrivateLikelihood, flattest: Figures, names: Sequence[str]) -> str:
    cure = "collect more reports, leave out covariates, or let the answers depend on fewer of them"
    first = likelihood.public.shape[1]
    outcome = likelihood.outcome
    shares = outcome.times @ np.exp(likelihood.log_shares(top.coefficients)) / outcome.n @ likelihood.columns
    rare = [name for name, share in zip(names[first:], shares, strict=True) if not 0.001 < share < 0.999]
    if rare:
        return (
            f"the draws are most likely if nobody or everybody is {', '.join(rare)}, so nothing can be said about what "
            f"that changes: {cure}"
        )
    weights = np.abs(top.coefficients if not top.reached else flattest)[1 : likelihood.slopes]
    guilty = [name for name, weight in zip(names[1:], weights, strict=True) if weight > _TAKES_PART * weights.max()]
    if top.reached:
        return f"there is too little information for {', '.join(guilty)}: the likelihood is almost flat; {cure}"
    return (
        f"separation: the reports are most likely if coefficients are infinite ({', '.join(guilty)}), so there is "
        f"neither an estimate nor a standard error: {cure}"
    )


def _warnings(inner: Figures, names: Sequence[str]) -> tuple[str, ...]:
    wide = [name for name, variance in zip(names, np.diag(inner), strict=False) if variance > _WIDE**2]
    if not wide:
        return ()
    warning = (
        f"There is little information about {', '.join(wide)}: the standard error is above {_WIDE:g} in log-odds, for "
        "a number those of a standard deviation. The estimate and its interval are rough there. Collect more reports."
    )
    return (warning,)


def _assumed(private: PrivateCovariates, matrix: ModelMatrix, depends_on: Sequence[str] | None) -> str:
    names = ", ".join(label.name for label in private.labels)
    public = matrix.covariates if depends_on is None else tuple(depends_on)
    if not public:
        related = "" if not matrix.covariates else f" and do not depend on {', '.join(matrix.covariates)}"
        return f"answers to {names} were randomized separately{related}"
    return f"answers to {names} were randomized separately, and depend on {', '.join(public)} by a multinomial logit"
