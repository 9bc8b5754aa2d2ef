"""One question asked under several designs: two epsilons, two waves, two modes; pooled into one share.

The pooled share is the most likely one, which weighs each part by its information n(p - q)²/(λ(1 - λ)): the optimal
weights, a part of a weaker epsilon counting for less. Limits are the shares that a score test does not reject; for one
design they are Wilson's. The rule here: parts of equal designs are counted together first, so that a single design
gives the figures of `hushpoll estimate` to the last digit. Shares beyond [0, 1] are allowed as far as every part's rate
of reports stays between 0 and 1: estimate and limits are not clipped to possible shares.

References: C. R. Rao (1948), Proceedings of the Cambridge Philosophical Society 44 (score test); W. G. Cochran (1954),
Biometrics 10 (Q).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import SupportsIndex

from hushpoll_server.estimate.diagnosis import NO_REPORTS
from hushpoll_server.estimate.errors import EstimateError, check_level
from hushpoll_server.estimate.groups.comparison import equal_shares
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.regression.results import HypothesisTest
from hushpoll_server.estimate.results import Json, Result
from hushpoll_server.estimate.shares import estimate_shares
from hushpoll_server.estimate.weighting.common_share import CommonShare
from hushpoll_server.estimate.weighting.results import WeightedCell, warnings_of_limits
from hushpoll_server.estimate.yes_no_designs import YesNoDesign, estimate_design

# Parts that differ at this level are said to differ.
_DIFFER = 0.05

DIFFER = (
    "The parts differ by more than chance explains (p = {p_value:.2g}): the pooled share is an average of different "
    "shares, so read the parts one by one."
)
TOO_FEW = "Some part has too few reports to test whether the parts differ."
EMPTY = "No reports in {names}: the others are pooled."


@dataclass(frozen=True, kw_only=True)
class PooledPart:
    """One part: its name, the reports that say yes, all its reports, and the design that they come from."""

    name: str
    yes: SupportsIndex
    n: SupportsIndex
    design: YesNoDesign


@dataclass(frozen=True, kw_only=True)
class Pooled:
    """The pooled share, the parts by themselves with their share of the information, and the test that they agree."""

    n: int
    level: float
    method: str
    standard_errors: str = "expected"
    cell: WeightedCell
    parts: tuple[Result, ...]
    information: tuple[float, ...]
    heterogeneity: HypothesisTest | None
    warnings: tuple[str, ...] = ()

    def to_json(self) -> Json:
        """Return what `hushpoll pool --json` prints."""
        parts = zip(self.parts, self.information, strict=True)
        return {
            "n": self.n,
            "estimate": self.cell.estimate,
            "se": self.cell.se,
            "low": self.cell.low,
            "high": self.cell.high,
            "level": self.level,
            "method": self.method,
            "standard_errors": self.standard_errors,
            "parts": [_part_to_json(result, information) for result, information in parts],
            "heterogeneity": None if self.heterogeneity is None else self.heterogeneity.to_json(),
            "warnings": list(self.warnings),
        }


def pool(parts: Sequence[PooledPart], *, level: float = 0.95) -> Pooled:
    """Return the share of yes that all parts together show."""
    check_level(level)
    _check(parts)
    options = Options(level=level)
    results = tuple(estimate_design(part.yes, part.n, part.design, name=part.name, options=options) for part in parts)
    asked = [result for result in results if result.n]
    cell, method = _pooled(asked, level)
    test = _heterogeneity(asked)
    return Pooled(
        n=sum(result.n for result in results),
        level=level,
        method=method,
        cell=cell,
        parts=results,
        information=_information(results, cell),
        heterogeneity=test,
        warnings=_warnings(parts, results, cell, test),
    )


def _pooled(asked: Sequence[Result], level: float) -> tuple[WeightedCell, str]:
    """Return the pooled figures: those of one count if all designs are equal."""
    if not asked:
        return WeightedCell(name="yes"), "score"
    designs = {result.design for result in asked}
    if len(designs) > 1:
        return CommonShare.of([result.tally(result.cells[0].name) for result in asked]).figures(level), "score"
    count, n = sum(result.cells[0].count for result in asked), sum(result.n for result in asked)
    together = estimate_shares([("yes", count, n)], asked[0].design, epsilon=None, level=level)
    [cell] = together.cells
    figures = {"estimate": cell.estimate, "se": cell.se, "low": cell.low, "high": cell.high}
    return WeightedCell(name="yes", **figures, effective_n=float(n)), together.method


def _information(results: Sequence[Result], cell: WeightedCell) -> tuple[float, ...]:
    """Return which part of all information each part has; 0 without reports."""
    asked = [result for result in results if result.n]
    if not asked or cell.estimate is None:
        return (0.0,) * len(results)
    common = CommonShare.of([result.tally(result.cells[0].name) for result in asked])
    shares = iter(common.weights(cell.estimate).tolist())
    return tuple(next(shares) if result.n else 0.0 for result in results)


def _heterogeneity(asked: Sequence[Result]) -> HypothesisTest | None:
    test = equal_shares(asked)
    return None if test is None else HypothesisTest.of("score", test.statistic, test.degrees)


def _check(parts: Sequence[PooledPart]) -> None:
    if not parts:
        raise EstimateError("there are no parts to pool: give at least one")
    if len({part.name for part in parts}) < len(parts):
        raise EstimateError("two parts have the same name: give each its own")


def _warnings(
    parts: Sequence[PooledPart], results: Sequence[Result], cell: WeightedCell, test: HypothesisTest | None
) -> tuple[str, ...]:
    empty = [part.name for part, result in zip(parts, results, strict=True) if not result.n]
    if len(empty) == len(parts):
        return (NO_REPORTS,)
    untested = test is None and len(parts) - len(empty) > 1
    return (
        *warnings_of_limits((cell,)),
        *((EMPTY.format(names=", ".join(empty)),) if empty else ()),
        *((TOO_FEW,) if untested else ()),
        *((DIFFER.format(p_value=test.p_value),) if test is not None and test.p_value < _DIFFER else ()),
        *dict.fromkeys(sentence for part in parts for sentence in part.design.warnings),
    )


def _part_to_json(result: Result, information: float) -> Json:
    design = {"epsilon": result.epsilon, "p": result.design.p, "q": result.design.q}
    return {**result.cells[0].to_json(), "n": result.n, "method": result.method, "information": information, **design}
