"""The posterior of a share, and of the difference of two: figures for readers who want probabilities of what is true.

The prior is a Beta law of the true share, Jeffreys' of a direct question if none is named. The rule here: a posterior
stays in [0, 1] whatever the reports are, so where the reports are outside what the design produces a warning says so.
Without reports the posterior is the prior. Prior weights below 0.05 are refused: behind a design a report never rules a
share of 0 out, so Haldane's prior (weights of 0) has no posterior.

References: R. L. Winkler, L. A. Franklin (1979), JASA 74; G. E. P. Box, G. C. Tiao (1973), Bayesian Inference in
Statistical Analysis (highest-density intervals).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from hushpoll_server.estimate.bayes.difference_law import DifferenceLaw
from hushpoll_server.estimate.bayes.share_law import ShareLaw
from hushpoll_server.estimate.bayes.shortest import shortest_interval
from hushpoll_server.estimate.errors import EstimateError, check_level, whole
from hushpoll_server.estimate.intervals import Interval
from hushpoll_server.estimate.results import Json
from hushpoll_server.estimate.support import Figures, SupportDesign
from hushpoll_server.estimate.yes_no_designs import YesNoDesign

LEAST_WEIGHT, LARGEST_WEIGHT = 0.05, 1e9
# Reports that every possible share gives this rarely are called outside what the design can produce.
_RARE = 0.025

ONLY_THE_PRIOR = "No reports yet: these figures are the prior's."
OUTSIDE = (
    "The reports say yes {how} often than any share can make them say it (probability at most {chance:.2g}). The "
    "posterior cannot leave [0, 1] and looks surer than it is: check for non-compliance or tampering, and read the raw "
    "estimate beside it."
)


@dataclass(frozen=True)
class Prior:
    """A Beta(a, b) law of the true share: as if a holders and b others had been seen."""

    a: float
    b: float

    def __post_init__(self) -> None:
        """Refuse weights that give no posterior."""
        if not all(LEAST_WEIGHT <= weight <= LARGEST_WEIGHT for weight in (self.a, self.b)):
            raise EstimateError(
                f"the prior Beta({self.a:g}, {self.b:g}) has a weight outside {LEAST_WEIGHT} to {LARGEST_WEIGHT:g}: "
                "give two such as 1/2 and 1/2 (Jeffreys), or 1 and 1 (uniform)"
            )


JEFFREYS, UNIFORM = Prior(0.5, 0.5), Prior(1.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class Posterior:
    """The posterior of a share: `low` and `high` cut equal tails off, `highest_density` is the shortest interval."""

    yes: int
    n: int
    level: float
    prior: Prior
    mean: float
    sd: float
    median: float
    low: float
    high: float
    highest_density: Interval
    law: ShareLaw = field(repr=False)
    epsilon: float | None = None
    warnings: tuple[str, ...] = ()

    def above(self, threshold: float) -> float:
        """Return the probability that the share is above this."""
        if threshold <= 0 or threshold >= 1:
            return float(threshold <= 0)
        return float(self.law.above(special.logit(threshold)))

    def quantile(self, probability: ArrayLike) -> Figures:
        """Return the shares below which these probabilities lie."""
        return np.asarray(special.expit(self.law.quantile(_probabilities(probability))))

    def draws(self, times: int, *, seed: int) -> Figures:
        """Return draws from the posterior, to simulate any figure made of the share."""
        return self.quantile(np.random.default_rng(seed).random(times))

    def to_json(self) -> Json:
        """Return what `hushpoll posterior --json` prints."""
        return {
            "yes": self.yes,
            "n": self.n,
            "level": self.level,
            "prior": {"a": self.prior.a, "b": self.prior.b},
            "p": self.law.p,
            "q": self.law.q,
            "epsilon": self.epsilon,
            "mean": self.mean,
            "sd": self.sd,
            "median": self.median,
            "low": self.low,
            "high": self.high,
            "highest_density": self.highest_density.to_json(),
            "warnings": list(self.warnings),
        }


@dataclass(frozen=True, kw_only=True)
class PosteriorDifference:
    """The posterior of the first share minus the second, of different people; `low` and `high` cut equal tails off."""

    first: Posterior
    second: Posterior
    level: float
    mean: float
    sd: float
    median: float
    low: float
    high: float
    first_is_larger: float

    def above(self, threshold: float) -> float:
        """Return the probability that the difference is above this."""
        if abs(threshold) >= 1:
            return float(threshold < 0)
        return self._law.above(threshold)

    def draws(self, times: int, *, seed: int) -> Figures:
        """Return draws from the posterior of the difference."""
        one, other = np.random.default_rng(seed).random((2, times))
        return self.first.quantile(one) - self.second.quantile(other)

    @property
    def _law(self) -> DifferenceLaw:
        return DifferenceLaw(self.first.law, self.second.law)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return the warnings of both shares, each once."""
        return tuple(dict.fromkeys((*self.first.warnings, *self.second.warnings)))

    def to_json(self) -> Json:
        """Return what `hushpoll posterior --json` prints for two groups."""
        names = ("level", "mean", "sd", "median", "low", "high", "first_is_larger")
        figures = {name: getattr(self, name) for name in names}
        both = {"first": self.first.to_json(), "second": self.second.to_json()}
        return {**both, "difference": figures, "warnings": list(self.warnings)}


def posterior_share(
    yes: SupportsIndex,
    n: SupportsIndex,
    design: YesNoDesign | SupportDesign,
    *,
    prior: Prior = JEFFREYS,
    level: float = 0.95,
) -> Posterior:
    """Return the posterior of the share of yes after `yes` of `n` reports said yes."""
    check_level(level)
    count, total = whole(yes, "count of yes"), whole(n, "number of reports")
    if count > total:
        raise EstimateError(f"the count {count} is not between 0 and n = {total}: check both figures")
    law = ShareLaw(yes=count, n=total, p=float(design.p), q=float(design.q), a=prior.a, b=prior.b)
    mean, sd = law.moments
    low, median, high = special.expit(law.quantile([(1 - level) / 2, 0.5, (1 + level) / 2])).tolist()
    known = design.epsilon if isinstance(design, YesNoDesign) else None
    return Posterior(
        yes=count,
        n=total,
        level=level,
        prior=prior,
        mean=mean,
        sd=sd,
        median=median,
        low=low,
        high=high,
        highest_density=shortest_interval(law, level),
        law=law,
        epsilon=None if known is None else float(known),
        warnings=(*_warnings(law), *(design.warnings if isinstance(design, YesNoDesign) else ())),
    )


def posterior_difference(first: Posterior, second: Posterior, *, level: float | None = None) -> PosteriorDifference:
    """Return the posterior of the difference between the shares of two groups of different people."""
    level = first.level if level is None else level
    check_level(level)
    law = DifferenceLaw(first.law, second.law)
    mean, sd = law.moments
    return PosteriorDifference(
        first=first,
        second=second,
        level=level,
        mean=mean,
        sd=sd,
        median=law.quantile(0.5),
        low=law.quantile((1 - level) / 2),
        high=law.quantile((1 + level) / 2),
        first_is_larger=law.above(0.0),
    )


def _warnings(law: ShareLaw) -> tuple[str, ...]:
    if not law.n:
        return (ONLY_THE_PRIOR,)
    yes, no = law.yes, law.n - law.yes
    least, most = sorted((law.p, law.q))
    # P(Bin(n, least) ≤ c) and P(Bin(n, most) ≥ c), by the beta distribution
    too_few = float(special.betaincc(yes + 1, no, least)) if no else 1.0
    too_many = float(special.betainc(yes, no + 1, most)) if yes else 1.0
    if min(too_few, too_many) >= _RARE:
        return ()
    return (OUTSIDE.format(how="less" if too_few < too_many else "more", chance=max(1e-300, min(too_few, too_many))),)


def _probabilities(values: ArrayLike) -> Figures:
    probabilities = np.asarray(values, float)
    if not ((probabilities >= 0) & (probabilities <= 1)).all():
        raise EstimateError("a probability is not between 0 and 1: give shares such as 0.9")
    return probabilities
