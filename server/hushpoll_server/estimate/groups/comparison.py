"""Groups of different people that were asked the same yes/no question: shares, differences, ratios and tests.

Each group has a design of its own. Differences are by variance recovery (differences.py); for equal designs these are
Newcombe's limits of the reports' rates, divided by p - q. The overall test asks whether all shares are equal: Pearson's
χ² of the reports where the designs are equal, the weighted squares of the distances from the common share where not.
The rule here: a group without reports has no figures and is in no comparison, and a warning says so.

References: R. G. Newcombe (1998); G. Y. Zou, A. Donner (2008); A. Donner, G. Y. Zou (2012), Closed-form confidence
intervals for functions of the normal mean and standard deviation, Statistical Methods in Medical Research 21 (ratios).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import SupportsIndex

import numpy as np
from scipy import special

from hushpoll_server.estimate.combine import Combined
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.groups.differences import difference_between
from hushpoll_server.estimate.groups.multiple_tests import adjusted
from hushpoll_server.estimate.intervals import level_of_each
from hushpoll_server.estimate.manipulation import Band, difference_band
from hushpoll_server.estimate.options import DEFAULT, Options
from hushpoll_server.estimate.results import Json, Result
from hushpoll_server.estimate.shares import share_limits
from hushpoll_server.estimate.tables.crosstable import Independence
from hushpoll_server.estimate.yes_no_designs import NO_EPSILON, YesNoDesign, estimate_design

# All pairs of more groups would be too many to read.
MOST_GROUPS = 100
# With fewer reports expected in a cell of the table of reports the χ² law is not trusted (Cochran's rule).
_FEWEST_EXPECTED = 5
# Rates nearer to 0 or 1 have a variance that is not told from 0.
_LEAST_RATE = 1e-12
# The common share and the weights depend on each other; they settle in a few steps.
_STEPS = 20

NO_RATIO = (
    "There is no ratio of {first} to {second}: the share of {second} could be 0, or the estimate of {first} is "
    "negative. Read the difference instead."
)
EMPTY = "No reports in {names}: nothing is compared with what has none."
TOO_FEW = "Some group has too few reports for the overall test: read the single differences."


@dataclass(frozen=True, kw_only=True)
class Group:
    """One group: its name, the reports that say yes, all its reports, and the design that they come from."""

    name: str
    yes: SupportsIndex
    n: SupportsIndex
    design: YesNoDesign


@dataclass(frozen=True, kw_only=True)
class Difference:
    """How much larger the first group's share is than the second's, and how many times, if that can be said.

    `band` is what a fraction of dishonest reports in each group leaves possible, if one is stated.
    """

    first: str
    second: str
    difference: Combined
    adjusted_p_value: float
    ratio: Combined | None
    band: Band | None = None

    def to_json(self) -> Json:
        """Return the figures by the names of the contract."""
        figures = self.difference.to_json()
        ratio = None if self.ratio is None else self.ratio.to_json()
        band = {} if self.band is None else {"band": self.band.to_json()}
        return {
            "first": self.first,
            "second": self.second,
            **figures,
            "adjusted_p_value": self.adjusted_p_value,
            "ratio": ratio,
            **band,
        }


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The shares of all groups, all differences between two of them, and the test that all shares are equal."""

    groups: tuple[Result, ...]
    differences: tuple[Difference, ...]
    overall: Independence | None
    adjustment: str
    level: float
    warnings: tuple[str, ...] = ()

    def to_json(self) -> Json:
        """Return what `hushpoll compare --json` prints."""
        overall = self.overall
        test = None if overall is None else {"statistic": overall.statistic, "df": overall.degrees}
        return {
            "level": self.level,
            "groups": [_group_to_json(result) for result in self.groups],
            "differences": [difference.to_json() for difference in self.differences],
            "adjustment": self.adjustment,
            "standard_errors": "plug-in",
            "overall": None if test is None or overall is None else test | {"p_value": overall.p_value},
            "warnings": list(self.warnings),
        }


def compare_groups(groups: Sequence[Group], *, adjustment: str = "holm", options: Options = DEFAULT) -> Comparison:
    """Compare the shares of yes in groups of different people, each pair of them and all at once."""
    _check(groups)
    results = tuple(
        estimate_design(group.yes, group.n, group.design, name=group.name, options=options) for group in groups
    )
    return compare_results(results, adjustment=adjustment, options=options)


def compare_results(results: Sequence[Result], *, adjustment: str = "holm", options: Options = DEFAULT) -> Comparison:
    """Compare the first cells of results, each of a group of different people and called by the group's name.

    With `simultaneous` coverage the differences of all `families` of such results hold together.
    """
    asked = [result for result in results if result.n]
    level = level_of_differences(options, len(asked))
    pairs = [(one, other, _difference(one, other, level)) for one, other in combinations(asked, 2)]
    p_values = adjusted([figure.p_value or 0.0 for _, _, figure in pairs], adjustment)
    differences = tuple(
        Difference(
            first=_name(one),
            second=_name(other),
            difference=figure,
            adjusted_p_value=float(p_value),
            ratio=ratio_between(one, other, level=level),
            band=difference_band(one.cells[0].band, other.cells[0].band),
        )
        for (one, other, figure), p_value in zip(pairs, p_values, strict=True)
    )
    overall = equal_shares(asked)
    return Comparison(
        groups=tuple(results),
        differences=differences,
        overall=overall,
        adjustment=adjustment,
        level=options.level,
        warnings=(*_warnings(results, differences), *(() if overall or len(asked) < 2 else (TOO_FEW,))),
    )


def level_of_differences(options: Options, groups: int) -> float:
    """Return the level of each difference between two of these groups."""
    if options.coverage == "anytime":
        raise EstimateError("differences have no limits that hold at every look: choose pointwise or simultaneous")
    return level_of_each(options.level, options.coverage, max(1, math.comb(groups, 2) * options.families))


def ratio_between(first: Result, second: Result, *, level: float) -> Combined | None:
    """Return how many times larger the first share is; None where the second one could be 0, or one is negative.

    The limits are by variance recovery (MOVER-R), from the Wilson limits of the two shares.
    """
    one, other = (result.tally(_name(result)) for result in (first, second))
    x, y = float(one.share[0]), float(other.share[0])
    a, b = (share_limits(tally, level, "wilson") for tally in (one, other))
    low_x, high_x, low_y, high_y = (float(side[0]) for side in (a.low, a.high, b.low, b.high))
    if x < 0 or low_y <= 0:
        return None
    se = math.hypot(float(one.standard_error()[0]), x / y * float(other.standard_error()[0])) / y
    # L = [xy - √((xy)² - l₁u₂(2x - l₁)(2y - u₂))]/(u₂(2y - u₂)), U with u₁ and l₂ in their places
    return Combined(
        estimate=x / y,
        se=se,
        low=_root(x, y, low_x, high_y, -1),
        high=_root(x, y, high_x, low_y, 1),
        level=level,
        method="mover",
    )


def _root(x: float, y: float, limit: float, other: float, sign: int) -> float:
    """Return the ratio t at which the limit of x - t y by variance recovery is 0."""
    # (x - ty)² = (x - l)² + t²(u - y)²  ⇔  t² u(2y - u) - 2xy t + l(2x - l) = 0
    square, constant = other * (2 * y - other), limit * (2 * x - limit)
    root = math.sqrt(max(0.0, (x * y) ** 2 - square * constant))
    if sign < 0:
        # The smaller root, in the form that needs no subtraction and holds when the square's factor is 0 or below.
        return constant / (x * y + root) if x * y + root > 0 else 0.0
    return (x * y + root) / square


def _difference(first: Result, second: Result, level: float) -> Combined:
    return difference_between(first, _name(first), second, _name(second), level=level)


def equal_shares(results: Sequence[Result]) -> Independence | None:
    """Test whether all shares are equal, if there are reports enough."""
    if len(results) < 2:
        return None
    groups = [result.tally(_name(result)) for result in results]
    shares, n = np.concatenate([group.share for group in groups]), np.concatenate([group.n for group in groups])
    p, q = (np.array([getattr(group.design, side) for group in groups]) for side in "pq")
    common = float(n @ shares / n.sum())
    for _ in range(_STEPS):
        rates = np.clip(q + common * (p - q), _LEAST_RATE, 1 - _LEAST_RATE)
        # Each estimate has the variance λ(1 - λ)/(n(p - q)²) at the common share; for equal designs this is Pearson's.
        weights = n * (p - q) ** 2 / (rates * (1 - rates))
        common = float(weights @ shares / weights.sum())
    if float((np.minimum(rates, 1 - rates) * n).min()) < _FEWEST_EXPECTED:
        return None
    statistic, degrees = float(weights @ (shares - common) ** 2), len(results) - 1
    return Independence(statistic=statistic, degrees=degrees, p_value=float(special.chdtrc(degrees, statistic)))


def _check(groups: Sequence[Group]) -> None:
    if not 2 <= len(groups) <= MOST_GROUPS:
        raise EstimateError(f"{len(groups)} groups cannot be compared: give 2 to {MOST_GROUPS}")
    if len({group.name for group in groups}) < len(groups):
        raise EstimateError("two groups have the same name: give each its own")


def _warnings(results: Sequence[Result], differences: Sequence[Difference]) -> tuple[str, ...]:
    """Return each group's own warnings by name, those of empty groups as one, and the ratios without limits."""
    empty = [_name(result) for result in results if not result.n]
    own = [
        sentence if sentence == NO_EPSILON else f"{_name(result)}: {sentence}"
        for result in results
        if result.n
        for sentence in result.warnings
    ]
    without = [NO_RATIO.format(first=each.first, second=each.second) for each in differences if each.ratio is None]
    return (*dict.fromkeys(own), *((EMPTY.format(names=", ".join(empty)),) if empty else ()), *without)


def _name(result: Result) -> str:
    return result.cells[0].name


def _group_to_json(result: Result) -> Json:
    design = {"epsilon": result.epsilon, "p": result.design.p, "q": result.design.q}
    return {**result.cells[0].to_json(), "n": result.n, "method": result.method, **design}
