"""The power of tests of numbers: the difference of two means, and the slope of a logistic regression.

Means: Student's test with a noncentral t law, where each report has the variance of the answers and that of the
randomizing. Slopes of a covariate that is 0 or 1, or standard normal: the coefficient divided by its standard error
from the expected information, or the likelihood ratio by a noncentral χ² law,

    I = E[(1, x)(1, x)ᵀ ((p - q) g(1 - g))²/(λ(1 - λ))],   g = expit(b₀ + b₁ x)
    noncentrality = 2n E[λ ln(λ/λ̄) + (1 - λ) ln((1 - λ)/(1 - λ̄))],   λ̄ = E λ

References: J. Cohen (1988); F. Y. Hsieh, D. A. Bloch, M. D. Larsen (1998), A simple method of sample size calculation
for linear and logistic regression, Statistics in Medicine 17; S. G. Self, R. H. Mauritsen, J. Ohara (1992), Power
calculations for likelihood ratio tests in generalized linear models, Biometrics 48.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
from scipy import special

from hushpoll_server.estimate.support import Figures, SupportDesign
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.variance import MeanVariance, places
from hushpoll_server.plan.choose import choose_mechanism
from hushpoll_server.plan.power.case import Case, chi_square_power, normal_power
from hushpoll_server.plan.power.shares import check_ratio, second_size
from hushpoll_server.plan.sizes import PlanError
from hushpoll_shared.question_types import QuestionType

Covariate = Literal["binary", "normal"]
Statistic = Literal["wald", "likelihood_ratio"]

# From here on Student's law is the normal one to five digits.
_MOST_DEGREES = 100_000
# The trapezoid rule is exact but for rounding for a smooth function times the normal density.
_NORMAL = np.linspace(-12.0, 12.0, 4001)


@dataclass(frozen=True, kw_only=True)
class MeanCase(Case):
    """The means of two groups; `sd` is the standard deviation of the answers, `noise` that of the randomizing."""

    difference: float
    sd: float
    noise: float = 0.0
    ratio: float = 1.0

    TEST: ClassVar[str] = "mean"
    METHOD: ClassVar[str] = "noncentral t"

    def __post_init__(self) -> None:
        """Refuse answers that do not vary, and groups without people."""
        super().__post_init__()
        check_ratio(self.ratio)
        if not 0 <= self.sd < math.inf or not 0 <= self.noise < math.inf or self.sd + self.noise == 0:
            raise PlanError("the standard deviation of a report is not a positive number: give that of the answers")
        if not math.isfinite(self.difference):
            raise PlanError("the difference is not a finite number: give one")

    @property
    def is_null(self) -> bool:
        """Return whether the means are equal."""
        return self.difference == 0

    def sizes(self, n: int) -> tuple[int, int]:
        """Return the sizes of both groups."""
        return n, second_size(n, self.ratio)

    def approximate(self, n: int) -> float:
        """Return the power of Student's test, by the normal law where there are many respondents."""
        first, second = self.sizes(n)
        degrees, se = first + second - 2, math.hypot(self.sd, self.noise) * math.sqrt(1 / first + 1 / second)
        if degrees < 1:
            # There is no test yet: it cannot find anything.
            return 0.0
        if degrees > _MOST_DEGREES:
            return normal_power(self.difference, se, se, self.alpha)
        reach, away = float(special.stdtrit(degrees, 1 - self.alpha / 2)), abs(self.difference) / se
        above = 1 - float(special.nctdtr(degrees, away, reach))
        return min(1.0, above + float(special.nctdtr(degrees, away, -reach)))


def noise_of(question_type: QuestionType, bound: Bound) -> float:
    """Return the largest standard deviation that the best mechanism for the question's mean adds to a report."""
    variance = choose_mechanism(question_type, bound).variance_by_answer()
    if not isinstance(variance, MeanVariance):
        raise PlanError("this question has no mean: give a number")
    # V(x) = E[y²|x] - x², on [-1, 1]
    added = (square - x * x for x, square in zip(places(len(variance.squares)), variance.squares, strict=True))
    return math.sqrt(max(added)) * variance.half


@dataclass(frozen=True, kw_only=True)
class SlopeCase(Case):
    """A logistic regression with one covariate; `share` is that of yes where the covariate is 0.

    `odds_ratio` is for one unit: from 0 to 1 of a binary covariate, of which `covariate_share` is 1, or one standard
    deviation of a normal one.
    """

    share: float
    odds_ratio: float
    design: SupportDesign
    covariate: Covariate = "binary"
    covariate_share: float = 0.5
    statistic: Statistic = "wald"

    TEST: ClassVar[str] = "regression"

    def __post_init__(self) -> None:
        """Refuse what no regression can find."""
        super().__post_init__()
        if not 0 < self.share < 1 or not 0 < self.covariate_share < 1:
            raise PlanError("a regression needs shares above 0 and below 1: give such ones")
        if not 1e-6 <= self.odds_ratio <= 1e6:
            raise PlanError(
                f"the odds ratio {self.odds_ratio:g} is not between 0.000001 and 1000000: give one such as 2"
            )
        if self.covariate not in ("binary", "normal"):
            raise PlanError(f"there is no covariate {self.covariate!r}: choose binary or normal")

    @property
    def is_null(self) -> bool:
        """Return whether the covariate does not matter."""
        return self.odds_ratio == 1

    @property
    def slope(self) -> float:
        """Return the coefficient of the covariate, in log-odds."""
        return math.log(self.odds_ratio)

    @property
    def approximation(self) -> str:
        """Return the name of the approximation."""
        return "normal" if self.statistic == "wald" else "noncentral χ²"

    @cached_property
    def unit_variance(self) -> float:
        """Return the variance of the coefficient times n, from the expected information."""
        x, weights = self._law
        yes, no, change = self._rates
        known = weights * change**2 / (yes * no)
        # The lower right element of I⁻¹ is one over the weighted sum of squares of x around its weighted mean.
        return 1 / float(known @ (x - known @ x / known.sum()) ** 2)

    @cached_property
    def unit_noncentrality(self) -> float:
        """Return the expected statistic of the likelihood ratio for one respondent."""
        (_, weights), (yes, no, _) = self._law, self._rates
        return 2 * float(weights @ (special.rel_entr(yes, weights @ yes) + special.rel_entr(no, weights @ no)))

    @property
    def _rates(self) -> tuple[Figures, Figures, Figures]:
        """Return λ, 1 - λ and (p - q) g(1 - g) at each value of the covariate."""
        predictor = float(special.logit(self.share)) + self.slope * self._law[0]
        g, rest, p, q = special.expit(predictor), special.expit(-predictor), self.design.p, self.design.q
        return p * g + q * rest, (1 - p) * g + (1 - q) * rest, (p - q) * g * rest

    @property
    def _law(self) -> tuple[Figures, Figures]:
        if self.covariate == "binary":
            return np.array([0.0, 1.0]), np.array([1 - self.covariate_share, self.covariate_share])
        density = np.exp(-(_NORMAL**2) / 2)
        return _NORMAL, density / density.sum()

    def approximate(self, n: int) -> float:
        """Return the power of the coefficient divided by its standard error, or of the likelihood ratio."""
        if self.statistic == "likelihood_ratio":
            return chi_square_power(n * self.unit_noncentrality, 1, self.alpha)
        se = math.sqrt(self.unit_variance / n)
        return normal_power(self.slope, se, se, self.alpha)
