"""What a regression returns: coefficients with intervals, their covariances, and tests of several at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special, stats

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.intervals import normal_quantile
from hushpoll_server.estimate.regression.labels import LabelCovariate
from hushpoll_server.estimate.regression.model_matrix import ModelMatrix
from hushpoll_server.estimate.results import Json
from hushpoll_server.estimate.support import Figures


@dataclass(frozen=True, kw_only=True)
class Coefficient:
    """A coefficient with its interval; the p-value tests whether it is zero."""

    name: str
    estimate: float
    se: float
    low: float
    high: float
    p_value: float

    def to_json(self) -> Json:
        """Return the figures by name."""
        return dict(vars(self))


@dataclass(frozen=True, kw_only=True)
class HypothesisTest:
    """The outcome of a test: its statistic follows χ² with these degrees of freedom if the hypothesis is true."""

    method: str
    statistic: float
    degrees: int
    p_value: float

    @classmethod
    def of(cls, method: str, statistic: float, degrees: int) -> "HypothesisTest":
        """Return the test with the p-value of its statistic."""
        value = float(special.chdtrc(degrees, max(0.0, statistic)))
        return cls(method=method, statistic=statistic, degrees=degrees, p_value=value)

    def to_json(self) -> Json:
        """Return the outcome by name."""
        return dict(vars(self))


@dataclass(frozen=True, kw_only=True, eq=False)
class Regression:
    """A fitted regression: `standard_errors` names how they were computed, `covariance` is that of the coefficients."""

    n: int
    level: float
    coefficients: tuple[Coefficient, ...]
    standard_errors: str
    covariance: Figures
    matrix: ModelMatrix
    warnings: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the coefficients, the intercept first."""
        return tuple(coefficient.name for coefficient in self.coefficients)

    @property
    def labels(self) -> tuple[LabelCovariate, ...]:
        """Return the covariates that are labels."""
        return self.matrix.labels

    @property
    def references(self) -> dict[str, str]:
        """Return the label that each covariate of labels is compared with."""
        return {label.name: label.reference for label in self.labels}

    @property
    def joint_tests(self) -> "dict[str, HypothesisTest]":
        """Return for each covariate of labels the test whether all of them are alike."""
        return {label.name: wald_test(self, [label.name]) for label in self.labels}

    @property
    def estimates(self) -> Figures:
        """Return the estimates in the order of the names."""
        return np.array([coefficient.estimate for coefficient in self.coefficients])

    def coefficient(self, name: str) -> Coefficient:
        """Return the coefficient with this name."""
        places = self.places([name])
        if len(places) > 1:
            raise EstimateError(f"{name} has a coefficient for each label: name one of {', '.join(self.names)}")
        return self.coefficients[places[0]]

    def places(self, names: Sequence[str]) -> list[int]:
        """Return where these coefficients stand; the name of a covariate of labels means all of its columns."""
        columns = {label.name: label.columns for label in self.labels}
        single = [each for name in names for each in columns.get(name, (name,))]
        missing = [name for name in single if name not in self.names]
        if missing or not names or len(set(single)) != len(single):
            raise EstimateError(f"name coefficients of the regression, each once: {', '.join(self.names)}")
        return [self.names.index(name) for name in single]

    def to_json(self) -> Json:
        """Return the regression by name, complete with covariances."""
        return {
            "n": self.n,
            "level": self.level,
            "coefficients": [coefficient.to_json() for coefficient in self.coefficients],
            "standard_errors": self.standard_errors,
            "covariance": self.covariance.tolist(),
            "references": self.references,
            "joint_tests": {name: test.to_json() for name, test in self.joint_tests.items()},
            "warnings": list(self.warnings),
        }


def wald_test(regression: Regression, names: Sequence[str]) -> HypothesisTest:
    """Test whether these coefficients are all zero, from their estimates and covariances."""
    places = regression.places(names)
    return wald_test_of(regression.estimates[places], regression.covariance[np.ix_(places, places)])


def wald_test_of(estimates: Figures, covariance: Figures) -> HypothesisTest:
    """Test whether all of these estimates are zero, but for chance."""
    # Scaled to correlations first, as covariates in different units have variances of any size.
    spreads = np.sqrt(np.diag(covariance))
    scaled = estimates / spreads
    statistic = float(scaled @ np.linalg.solve(covariance / np.outer(spreads, spreads), scaled))
    return HypothesisTest.of("wald", statistic, len(estimates))


def make_coefficients(
    names: Sequence[str], estimates: Figures, covariance: Figures, level: float, degrees: int | None = None
) -> tuple[Coefficient, ...]:
    """Return the coefficients with intervals by the normal law, or by Student's with these degrees of freedom."""
    errors = np.sqrt(np.diag(covariance))
    quantile = normal_quantile(level) if degrees is None else float(special.stdtrit(degrees, (1 + level) / 2))
    law = stats.norm if degrees is None else stats.t(degrees)
    return tuple(
        Coefficient(
            name=name,
            estimate=float(estimate),
            se=float(error),
            low=float(estimate - quantile * error),
            high=float(estimate + quantile * error),
            p_value=float(2 * law.sf(abs(estimate) / error)),
        )
        for name, estimate, error in zip(names, estimates, errors, strict=True)
    )
