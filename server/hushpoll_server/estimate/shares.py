"""From counts of randomized reports to shares with their intervals, for every design whose reports support categories.

The target is the population the respondents were drawn from. The rule here: the estimate is unbiased and its interval
comes from the raw counts, and neither is clipped; the tidy value is the projection, and separate.
"""

import math
from collections.abc import Callable, Iterable
from typing import Literal, SupportsIndex

import numpy as np

from hushpoll_server.estimate.anytime import anytime_limits
from hushpoll_server.estimate.diagnosis import NO_REPORTS, Diagnosis
from hushpoll_server.estimate.errors import EstimateError, check_epsilon, check_level, check_population, whole
from hushpoll_server.estimate.finite import exact_share, score_share, wald_share
from hushpoll_server.estimate.intervals import (
    Interval,
    Limits,
    check_method,
    choose_method,
    clopper_pearson,
    level_of_each,
    wald,
    wilson,
)
from hushpoll_server.estimate.joint import Joint
from hushpoll_server.estimate.manipulation import Band, manipulation_band
from hushpoll_server.estimate.projection import likelihood_of_counts, simplex_projection
from hushpoll_server.estimate.results import COVERAGES, Cell, Coverage, Result, ShownMethod
from hushpoll_server.estimate.support import Figures, SupportDesign, Tally, clamp

Counted = tuple[str, SupportsIndex, SupportsIndex]
Tidy = Literal["projection", "likelihood"]

_RATE_LIMITS = {"wilson": wilson, "exact": clopper_pearson, "wald": wald, "mixture": anytime_limits}
_SHARE_LIMITS: dict[str, Callable[[Tally, float], Limits]] = {
    "wilson": score_share,
    "exact": exact_share,
    "wald": wald_share,
}


def estimate_yes_no(
    count: SupportsIndex,
    n: SupportsIndex,
    design: SupportDesign,
    *,
    epsilon: float | None,
    level: float = 0.95,
    method: str | None = None,
    population: SupportsIndex | None = None,
) -> Result:
    """Estimate the share of "yes" from the count of reports that say yes."""
    cells = [("yes", count, n)]
    return estimate_shares(cells, design, epsilon=epsilon, level=level, method=method, population=population)


def estimate_shares(
    cells: Iterable[Counted],
    design: SupportDesign,
    *,
    epsilon: float | None,
    n: SupportsIndex | None = None,
    level: float = 0.95,
    method: str | None = None,
    coverage: str = "pointwise",
    population: SupportsIndex | None = None,
    families: int = 1,
    tidy: Tidy = "projection",
    beta: float | None = None,
    joint: Joint | None = None,
) -> Result:
    """Estimate the shares of all categories of a question.

    `cells` gives for each category its name, the count of supporting reports and the number of reports that asked it;
    `n` is the number of reports to the question, if that is different. `joint` says how often one report supports two
    cells, which is needed to combine them; without it the shares are assumed to add up to 1, where a single cell is
    one of two. Without a population the respondents are a sample of an infinite one; with population = n they are a
    census. `families` is that of `Options`. A design without a finite epsilon has None. Without reports every figure is
    None and a warning says so.
    """
    check_level(level)
    if epsilon is not None:
        check_epsilon(epsilon)
    names, tally = _read(cells, design, None if population is None else whole(population, "population"))
    total = int(tally.n.max()) if n is None else whole(n, "number of reports")
    check_population(tally.population, total)
    exclusive = joint is None or joint.exclusive
    _check_exclusive(tally, exclusive=exclusive)
    promise = check_coverage(coverage)
    cell_level = level_of_each(level, promise, families * len(names))
    chosen = _choose(tally, method, promise, cell_level)
    findings = _find(names, tally, cell_level, chosen)
    return Result(
        n=total,
        level=level,
        method=chosen,
        coverage=promise,
        epsilon=None if epsilon is None else float(epsilon),
        design=design,
        joint=joint,
        population=tally.population,
        cells=_cells(names, tally, total, findings, _tidy(findings.tally, tidy, exclusive=exclusive), beta),
        warnings=_warnings(names, findings),
    )


def share_limits(tally: Tally, level: float, method: ShownMethod) -> Limits:
    """Return the unclipped limits of the shares, exact ones where Wald's have no width."""
    oriented = tally.oriented()
    if oriented.population is not None and method != "mixture":
        limits = _SHARE_LIMITS[method](oriented, level)
    else:
        rates = _RATE_LIMITS[method](oriented.count, oriented.n, level)
        limits = rates.mapped(oriented.design.gap, oriented.design.q)
    if method != "wald" or not oriented.one_sided.any():
        return limits
    exact = share_limits(oriented, level, "exact")
    unanimous = oriented.one_sided
    return Limits(np.where(unanimous, exact.low, limits.low), np.where(unanimous, exact.high, limits.high))


def _read(cells: Iterable[Counted], design: SupportDesign, population: int | None) -> tuple[tuple[str, ...], Tally]:
    rows = [(name, whole(count, "count"), whole(n, "number of reports")) for name, count, n in cells]
    if not rows:
        raise EstimateError("there are no cells: give at least one category")
    names, counts, totals = zip(*rows, strict=True)
    if len(set(names)) < len(names):
        raise EstimateError("two cells have the same name: give each category its own")
    return names, Tally(counts, totals, design, population)


def _check_exclusive(tally: Tally, *, exclusive: bool) -> None:
    if exclusive and (tally.n != tally.n[0]).any():
        raise EstimateError("categories that exclude each other have different numbers of reports: count again")


def _choose(tally: Tally, method: str | None, promise: Coverage, level: float) -> ShownMethod:
    if promise == "anytime":
        if method is not None:
            raise EstimateError("anytime-valid limits have a method of their own: leave the method out")
        return "mixture"
    if method is not None:
        return check_method(method)
    asked = tally.of(tally.n > 0)
    return choose_method(asked.count, asked.n, level)


def check_coverage(coverage: str) -> Coverage:
    """Return the name of a known coverage, or refuse it."""
    for known in COVERAGES:
        if coverage == known:
            return known
    raise EstimateError(f"there is no coverage {coverage!r}: choose one of {', '.join(COVERAGES)}")


def _find(names: tuple[str, ...], tally: Tally, level: float, method: ShownMethod) -> Diagnosis:
    """Return the limits of the cells that have reports."""
    asked = tally.n > 0
    oriented = tally.of(asked).oriented()
    asked_names = tuple(name for name, there in zip(names, asked.tolist(), strict=True) if there)
    return Diagnosis(asked_names, oriented, share_limits(oriented, level, method), level, method)


def _tidy(oriented: Tally, tidy: Tidy, *, exclusive: bool) -> Figures:
    # A single cell is one of two that add up to 1: its nearest and its most likely share are the same.
    if not exclusive or oriented.count.size < 2:
        return clamp(oriented.share)
    if tidy == "likelihood":
        return likelihood_of_counts(oriented.count, oriented.design)
    return simplex_projection(oriented.share)


def _cells(
    names: tuple[str, ...], tally: Tally, total: int, findings: Diagnosis, tidy: Figures, beta: float | None
) -> tuple[Cell, ...]:
    oriented, limits = findings.tally, findings.limits
    columns = {
        "estimate": oriented.share.tolist(),
        # se = √(λ̂(1 - λ̂)/n) / |p - q|, corrected for the population's size if it is declared
        "se": oriented.standard_error().tolist(),
        "low": limits.low.tolist(),
        "high": limits.high.tolist(),
        "tidy": tidy.tolist(),
        "price_of_privacy": oriented.price_of_privacy().tolist(),
        "constrained": _constrained(findings),
        "band": _bands(oriented, beta),
    }
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    return tuple(
        Cell(name=name, count=count, asked=None if n == total else n, **(next(rows) if n else {}))
        for name, count, n in zip(names, tally.count.tolist(), tally.n.tolist(), strict=True)
    )


def _constrained(findings: Diagnosis) -> list[Interval | None]:
    limits = findings.constrained()
    pairs = zip(limits.low.tolist(), limits.high.tolist(), strict=True)
    return [None if math.isnan(low) else Interval(low, high) for low, high in pairs]


def _bands(oriented: Tally, beta: float | None) -> list[Band | None]:
    if beta is None:
        return [None] * oriented.count.size
    limits = manipulation_band(oriented, beta)
    return [Band(beta, low, high) for low, high in zip(limits.low.tolist(), limits.high.tolist(), strict=True)]


def _warnings(names: tuple[str, ...], findings: Diagnosis) -> tuple[str, ...]:
    if not findings.names:
        return (NO_REPORTS,)
    unasked = len(names) - len(findings.names)
    waiting = (f"No report has asked about {unasked} of {len(names)} cells yet.",) if unasked else ()
    return (*findings.sentences(), *waiting)
