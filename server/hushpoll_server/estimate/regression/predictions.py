"""What a logistic regression says about shares: predicted ones, those of each label, and average effects.

Coefficients are log-odds, which few readers can use. Shares and differences of shares are what a report should state.
Their standard errors come from the covariances of the coefficients by the delta method, for the covariates as they are
in the rows.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy import special

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.intervals import normal_quantile
from hushpoll_server.estimate.regression.labels import LabelCovariate
from hushpoll_server.estimate.regression.logistic import LogisticRegression
from hushpoll_server.estimate.regression.results import Coefficient, make_coefficients
from hushpoll_server.estimate.results import Json
from hushpoll_server.estimate.support import Figures

Scale = Literal["logit", "share"]
SCALES: tuple[Scale, ...] = get_args(Scale)


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """A predicted share for given covariates; its limits are symmetric on the named scale."""

    at: Mapping[str, float | str]
    estimate: float
    se: float
    low: float
    high: float
    level: float
    scale: str

    @classmethod
    def of(
        cls, at: Mapping[str, float | str], *, log_odds: float, error: float, level: float, scale: str
    ) -> "Prediction":
        """Return the share with these log-odds and their standard error."""
        if scale not in SCALES:
            raise EstimateError(f"there is no scale {scale!r}: choose one of {', '.join(SCALES)}")
        share, half = float(special.expit(log_odds)), normal_quantile(level) * error
        # d expit(η) / dη = g (1 - g)
        slope = share * float(special.expit(-log_odds))
        low, high = (
            (share - half * slope, share + half * slope)
            if scale == "share"
            else (float(special.expit(log_odds - half)), float(special.expit(log_odds + half)))
        )
        return cls(at=dict(at), estimate=share, se=slope * error, low=low, high=high, level=level, scale=scale)

    def to_json(self) -> Json:
        """Return the figures by name."""
        return vars(self) | {"at": dict(self.at)}


def predicted_share(
    regression: LogisticRegression, at: Mapping[str, float | str], *, scale: str = "logit"
) -> Prediction:
    """Return the share of yes among people with these covariates: a number for each, or one of its labels.

    Limits on the scale of `logit` stay between 0 and 1; those on the scale of `share` are the share plus and minus.
    """
    row = regression.row(at)
    error = float(np.sqrt(row @ regression.covariance @ row))
    log_odds = float(row @ regression.estimates)
    return Prediction.of(at, log_odds=log_odds, error=error, level=regression.level, scale=scale)


def adjusted_shares(regression: LogisticRegression, name: str, *, scale: str = "logit") -> tuple[Prediction, ...]:
    """Return for each label of a covariate the share of yes if everybody had it and all else were as it is."""
    label = _label(regression, name)
    return tuple(_adjusted(regression, label, each, scale) for each in label.labels)


def average_effects(regression: LogisticRegression) -> tuple[Coefficient, ...]:
    """Return for each covariate how much the share changes with it, on average over the rows.

    For numbers it is the change with one unit, the mean of the derivatives g (1 - g) b; for labels the difference of
    the shares if everybody had the label and if everybody had the reference.
    """
    owners = {column: (label, other) for label in regression.labels for column, other in _columns(label)}
    effects = [
        _label_effect(regression, *owners[name]) if name in owners else _slope_effect(regression, place)
        for place, name in enumerate(regression.names)
        if place
    ]
    jacobian = np.array([gradient for _, gradient in effects]).reshape(len(effects), -1)
    covariance = jacobian @ regression.every_covariance @ jacobian.T
    values = np.array([effect for effect, _ in effects])
    return make_coefficients(regression.names[1:], values, covariance, regression.level)


def _columns(label: LabelCovariate) -> Iterator[tuple[str, str]]:
    return zip(label.columns, label.others, strict=True)


def _label(regression: LogisticRegression, name: str) -> LabelCovariate:
    for label in regression.labels:
        if label.name == name:
            return label
    known = ", ".join(label.name for label in regression.labels) or "there is none"
    raise EstimateError(f"{name} is no covariate of labels: {known}")


def _rows_with(regression: LogisticRegression, label: LabelCovariate, value: str) -> Figures:
    """Return the rows of the matrix as they would be if everybody had this label."""
    rows = regression.rows.copy()
    for column, figure in label.place(value).items():
        rows[:, regression.names.index(column)] = figure
    return rows


def _mean_share(regression: LogisticRegression, rows: Figures) -> tuple[float, Figures]:
    """Return the mean share of these rows, and its derivatives: the mean of g (1 - g) x, and those of the weights."""
    predictor, weights = rows @ regression.estimates, regression.weights
    shares = special.expit(predictor)
    slopes = weights * shares * special.expit(-predictor)
    return float(weights @ shares), np.concatenate([slopes @ rows, regression.weight_slopes(shares)])


def _adjusted(regression: LogisticRegression, label: LabelCovariate, value: str, scale: str) -> Prediction:
    share, gradient = _mean_share(regression, _rows_with(regression, label, value))
    # d logit(g) / dg = 1 / (g (1 - g))
    error = float(np.sqrt(gradient @ regression.every_covariance @ gradient)) / (share * (1 - share))
    log_odds = float(special.logit(share))
    return Prediction.of({label.name: value}, log_odds=log_odds, error=error, level=regression.level, scale=scale)


def _label_effect(regression: LogisticRegression, label: LabelCovariate, value: str) -> tuple[float, Figures]:
    with_label, up = _mean_share(regression, _rows_with(regression, label, value))
    with_reference, down = _mean_share(regression, _rows_with(regression, label, label.reference))
    return with_label - with_reference, up - down


def _slope_effect(regression: LogisticRegression, place: int) -> tuple[float, Figures]:
    rows, weights, slope = regression.rows, regression.weights, float(regression.estimates[place])
    predictor = rows @ regression.estimates
    slopes = special.expit(predictor) * special.expit(-predictor)
    mean = float(weights @ slopes)
    # d/db [mean g(1-g)] = mean g(1-g)(1-2g) x
    bend: Figures = slope * ((-weights * slopes * np.tanh(predictor / 2)) @ rows)
    bend[place] += mean
    return slope * mean, np.concatenate([bend, slope * regression.weight_slopes(slopes)])
