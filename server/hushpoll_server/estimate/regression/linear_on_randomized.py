"""Linear regression on covariates that are randomized questions themselves: least squares with corrected moments.

A draw becomes z̃, whose expected value is the answer's column z. Least squares on z̃ shrink the coefficient, as the
square of z̃ has the variance of the randomizing in it. But the columns of one covariate are 0 or 1 and exclude each
other, so that z zᵀ = diag(z): in the normal equations z̃ z̃ᵀ is replaced by diag(z̃), which is right on average. All other
products are right as they are, because questions were randomized separately.

    Σ M β = Σ x̃ r          Cov(β̂) = A⁻¹ (Σ ψψᵀ) A⁻ᵀ n/(n - k),   A = Σ M,   ψ = x̃ r - M β̂

The rule here: nothing is assumed about how the answers are distributed or what they depend on. Where the corrected
variance of a covariate cannot be told from 0 there is no figure.

References: W. A. Fuller (1987), Measurement Error Models, Wiley; J. P. Buonaccorsi (2010), Measurement Error: Models,
Methods, and Applications, Chapman & Hall (corrected moments).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hushpoll_server.estimate.errors import EstimateError, check_level
from hushpoll_server.estimate.regression.labels import LabelCovariate
from hushpoll_server.estimate.regression.linear import LinearRegression, check_groups, check_spread, read_numbers
from hushpoll_server.estimate.regression.model_matrix import INTERCEPT, ModelMatrix, check_rows, mean_of, spread_of
from hushpoll_server.estimate.regression.private_covariates import PrivateCovariates, Randomized
from hushpoll_server.estimate.regression.randomized_outcome import RandomizedOutcome, read_times
from hushpoll_server.estimate.regression.results import make_coefficients
from hushpoll_server.estimate.results import Json
from hushpoll_server.estimate.support import Figures, SupportDesign

# The corrected variance of a covariate, in its own standard errors: below the first there is no figure, below the
# second it is rough.
_TOO_LITTLE, _LITTLE = 2.0, 4.0

# A corrected variance below this is none, and a standard error below this part of the outcomes' spread is rounding.
_LEAST_VARIANCE, _NO_ERROR = 1e-6, 1e-7

ASSUMED = "{names} and the outcome were randomized separately; nothing is assumed about what the answers depend on"


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearOnRandomized(LinearRegression):
    """A fitted linear regression on public and randomized covariates; `standard_errors` is `sandwich`."""

    private: PrivateCovariates
    assumed: str

    @property
    def labels(self) -> tuple[LabelCovariate, ...]:
        """Return the covariates that are labels, public ones first."""
        return (*self.matrix.labels, *self.private.labels)

    def to_json(self) -> Json:
        """Return the regression by name."""
        return super().to_json() | {"assumed": self.assumed}


def linear_regression_on_randomized(
    outcomes: ArrayLike,
    covariates: Mapping[str, ArrayLike],
    randomized: Randomized,
    design: SupportDesign | Sequence[SupportDesign] | None = None,
    *,
    references: Mapping[str, str] | None = None,
    level: float = 0.95,
    times: ArrayLike | None = None,
) -> LinearOnRandomized:
    """Return the linear regression of a mean, or with a design of a share, on public covariates and on randomized ones.

    `randomized` has for each such question its draws and its design. Equal rows can be given once, with how often each
    occurs: `times`.
    """
    check_level(level)
    values = read_numbers(outcomes) if design is None else RandomizedOutcome.of(outcomes, design).unbiased
    often, chosen = read_times(times, len(values)), dict(references or {})
    n = int(often.sum())
    if both := covariates.keys() & randomized.keys():
        raise EstimateError(f"{', '.join(sorted(both))} is both a public and a randomized covariate: name it once")
    check_rows(n, (INTERCEPT, *covariates, *randomized))
    check_spread(values, n)
    private = PrivateCovariates.of(randomized, chosen, len(values))
    public = {name: label for name, label in chosen.items() if name not in randomized}
    matrix = ModelMatrix.of(covariates, len(values), public, often)
    names = (*matrix.names, *private.names)
    check_rows(n, names)
    few = check_groups(matrix, values, often)
    moments = _Moments.of(matrix.standard, private, often)
    warnings = (*few, *_check_variances(moments))
    inner, covariance = moments.solve(values)
    _check_errors(names, covariance, spread_of(values, often))
    back = np.eye(len(names))
    back[: len(matrix.names), : len(matrix.names)] = matrix.back
    covariance = back @ covariance @ back.T
    return LinearOnRandomized(
        n=n,
        level=level,
        coefficients=make_coefficients(names, back @ inner, covariance, level, n - len(names)),
        standard_errors="sandwich",
        covariance=covariance,
        matrix=matrix,
        warnings=warnings,
        private=private,
        assumed=ASSUMED.format(names=", ".join(label.name for label in private.labels)),
    )


@dataclass(frozen=True, eq=False)
class _Moments:
    """The public columns and the unbiased private ones, how often each row occurs, and their corrected products."""

    columns: Figures
    private: PrivateCovariates
    times: Figures
    products: Figures

    @classmethod
    def of(cls, public: Figures, private: PrivateCovariates, times: Figures) -> "_Moments":
        """Return the corrected products; refuse those that no answers have."""
        columns = np.hstack([public, private.unbiased])
        products: Figures = (columns.T * times) @ columns
        own, same = slice(public.shape[1], None), private.owners[:, np.newaxis] == private.owners
        # E[z̃ z̃ᵀ] has the variance of the randomizing in it; zzᵀ = diag(z) within a covariate has not.
        products[own, own] = np.where(same, np.diag(times @ columns[:, own]), products[own, own])
        if np.linalg.eigvalsh(products)[0] <= _LEAST_VARIANCE * times.sum():
            raise EstimateError(_too_little(private.names))
        return cls(columns, private, times, products)

    @property
    def first(self) -> int:
        """Return the place of the first private column."""
        return int(self.columns.shape[1]) - len(self.private.names)

    def excess(self, weights: Figures) -> Figures:
        """Return for each row what its plain products have more than the corrected ones, times these weights."""
        # (x̃x̃ᵀ - M) u, which is z̃ (z̃ᵀu) - z̃ u within each covariate and 0 elsewhere
        same, own = self.private.owners[:, np.newaxis] == self.private.owners, weights[self.first :]
        unbiased, excess = self.columns[:, self.first :], np.zeros(self.columns.shape)
        excess[:, self.first :] = unbiased * ((unbiased * own) @ same) - unbiased * own
        return excess

    def solve(self, values: Figures) -> tuple[Figures, Figures]:
        """Return the coefficients of all columns and their covariances."""
        n, inverse = self.times.sum(), np.linalg.inv(self.products)
        coefficients: Figures = np.asarray(inverse @ (self.columns.T @ (self.times * values)), np.float64)
        # ψ = x̃ (r - x̃ᵀβ) + (x̃x̃ᵀ - M) β
        scores = self.columns * (values - self.columns @ coefficients)[:, np.newaxis] + self.excess(coefficients)
        return coefficients, inverse @ ((scores.T * self.times) @ scores) @ inverse.T * n / (n - len(coefficients))

    def certainties(self) -> list[float]:
        """Return for each private column its corrected variance, given all others, in its own standard errors."""
        n, inverse = self.times.sum(), np.linalg.inv(self.products)
        ratios = []
        for place in range(self.first, self.columns.shape[1]):
            # The residual of a column is uᵀx̃ with u from its row of the inverse; its variance is the mean of uᵀMu.
            weights = inverse[place] / inverse[place, place]
            squares = (self.columns @ weights) ** 2 - self.excess(weights) @ weights
            # The second term is what the error of the mean of z̃ adds where the first vanishes: at a share of one half.
            variance, own = (spread_of(each, self.times) ** 2 for each in (squares, self.columns[:, place]))
            error = np.sqrt(variance / n + 2 * (own / n) ** 2)
            ratios.append(mean_of(squares, self.times) / max(error, 1e-300))
        return ratios


def _check_errors(names: Sequence[str], covariance: Figures, spread: float) -> None:
    errors = np.sqrt(np.maximum(0.0, np.diag(covariance)))
    exact = [name for name, error in zip(names, errors, strict=True) if error <= _NO_ERROR * spread]
    if exact:
        raise EstimateError(
            f"the outcomes follow exactly from the public covariates, so nothing shows how uncertain "
            f"{', '.join(exact)} is: check that the right columns were named"
        )


def _check_variances(moments: _Moments) -> tuple[str, ...]:
    """Refuse covariates whose answers may all be the same, given the others; warn of those that nearly are."""
    names, ratios = moments.private.names, moments.certainties()
    little = [name for name, ratio in zip(names, ratios, strict=True) if ratio < _TOO_LITTLE]
    if little:
        raise EstimateError(_too_little(little))
    rough = [name for name, ratio in zip(names, ratios, strict=True) if ratio < _LITTLE]
    if not rough:
        return ()
    return (f"There is little information about {', '.join(rough)}: estimates are rough. Collect more reports.",)


def _too_little(names: Sequence[str]) -> str:
    return (
        f"there is too little information about {', '.join(names)}: beyond the randomizing and the other covariates "
        "nothing shows that answers differ between people, so nothing can be said about what they change; collect more "
        "reports, or leave it out"
    )
