"""What a logistic regression says about shares: predicted ones, and the average effect of a covariate.

Coefficients are log-odds, which few readers can use. Shares and differences of shares are what a report should state.
Their standard errors come from the covariances of the coefficients by the delta method.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy import special

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.intervals import normal_quantile
from hushpoll_server.estimate.regression.logistic import LogisticRegression
from hushpoll_server.estimate.regression.results import Coefficient, make_coefficients
from hushpoll_server.estimate.results import Json
from hushpoll_server.estimate.support import Figures

Scale = Literal["logit", "share"]
SCALES: tuple[Scale, ...] = get_args(Scale)


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """A predicted share for given covariates; its limits are symmetric on the named scale."""

    at: Mapping[str, float]
    estimate: float
    se: float
    low: float
    high: float
    level: float
    scale: str

    def to_json(self) -> Json:
        """Return the figures by name."""
        return vars(self) | {"at": dict(self.at)}


def predicted_share(regression: LogisticRegression, at: Mapping[str, float], *, scale: str = "logit") -> Prediction:
    """Return the share of yes among people with these covariates.

    Limits on the scale of `logit` stay between 0 and 1; those on the scale of `share` are the share plus and minus.
    """
    if scale not in SCALES:
        raise EstimateError(f"there is no scale {scale!r}: choose one of {', '.join(SCALES)}")
    row = regression.matrix.row(at)
    predictor, error = float(row @ regression.estimates), float(np.sqrt(row @ regression.covariance @ row))
    share, slope = float(special.expit(predictor)), float(special.expit(predictor) * special.expit(-predictor))
    half = normal_quantile(regression.level) * error
    limits = (
        (share - half * slope, share + half * slope)
        if scale == "share"
        else (float(special.expit(predictor - half)), float(special.expit(predictor + half)))
    )
    return Prediction(
        at=dict(at),
        estimate=share,
        # d expit(η) / dη = g (1 - g)
        se=slope * error,
        low=limits[0],
        high=limits[1],
        level=regression.level,
        scale=scale,
    )


def average_effects(regression: LogisticRegression) -> tuple[Coefficient, ...]:
    """Return for each covariate how much the share changes with one unit of it, on average over the rows.

    It is the mean of the derivatives g (1 - g) b; standard errors are for the covariates as they are in the rows.
    """
    matrix, estimates = regression.matrix.values, regression.estimates
    predictor = matrix @ estimates
    slopes = special.expit(predictor) * special.expit(-predictor)
    # d/db [mean g(1-g)] = mean g(1-g)(1-2g) x
    bend = (-slopes * np.tanh(predictor / 2)) @ matrix / regression.n
    mean = float(slopes.mean())
    jacobian: Figures = mean * np.eye(len(estimates)) + np.outer(estimates, bend)
    covariance = jacobian @ regression.covariance @ jacobian.T
    every = make_coefficients(regression.names, mean * estimates, covariance, regression.level)
    return every[1:]
