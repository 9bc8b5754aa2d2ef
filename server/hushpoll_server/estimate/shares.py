"""From counts of randomized reports to shares with their intervals.

The target is the population the respondents were drawn from. Law kept here: the estimate is
unbiased and its interval comes from the raw counts, neither is clipped; the tidy value is the
projection and stands apart.
"""

import math
from typing import SupportsIndex

from hushpoll_server.estimate.diagnosis import NO_REPORTS, constrained_interval, sentences
from hushpoll_server.estimate.errors import check_epsilon, check_level, whole
from hushpoll_server.estimate.finite import exact_share, score_share, wald_share
from hushpoll_server.estimate.intervals import (
    Interval,
    Method,
    check_method,
    choose_method,
    clopper_pearson,
    wald,
    wilson,
)
from hushpoll_server.estimate.results import Cell, Result
from hushpoll_server.estimate.support import SupportDesign, Tally, clamp

_RATE_INTERVALS = {"wilson": wilson, "exact": clopper_pearson, "wald": wald}
_SHARE_INTERVALS = {"wilson": score_share, "exact": exact_share, "wald": wald_share}


def estimate_yes_no(
    count: SupportsIndex,
    n: SupportsIndex,
    design: SupportDesign,
    *,
    epsilon: float,
    level: float = 0.95,
    method: str | None = None,
    population: SupportsIndex | None = None,
) -> Result:
    """Estimate the share of "yes" from the count of reports that say yes.

    Without a population the respondents are a sample of a boundless one; with population = n they
    are a census. Without reports every figure is None and a warning says so.
    """
    check_level(level)
    check_epsilon(epsilon)
    size = None if population is None else whole(population, "population")
    tally = Tally(whole(count, "count"), whole(n, "number of reports"), design, size)
    chosen = choose_method(tally.n) if method is None else check_method(method)
    cell, warnings = _cell("yes", tally, level, chosen)
    return Result(
        n=tally.n,
        level=level,
        method=chosen,
        epsilon=float(epsilon),
        population=size,
        cells=(cell,),
        warnings=warnings,
    )


def share_interval(tally: Tally, level: float, method: Method) -> Interval:
    """Return the unclipped interval of the share, the exact one where Wald's has no width."""
    if method == "wald" and tally.one_sided:
        method = "exact"
    upright = tally.oriented()
    if upright.population is not None:
        return _SHARE_INTERVALS[method](upright, level)
    rates = _RATE_INTERVALS[method](upright.count, upright.n, level)
    return Interval(upright.design.share(rates.low), upright.design.share(rates.high))


def _cell(name: str, tally: Tally, level: float, method: Method) -> tuple[Cell, tuple[str, ...]]:
    if tally.n == 0:
        return Cell(name=name, count=tally.count), (NO_REPORTS,)
    upright = tally.oriented()
    interval = share_interval(tally, level, method)
    constrained = constrained_interval(upright, interval, level)
    cell = Cell(
        name=name,
        count=tally.count,
        estimate=upright.share,
        # se = √(λ̂(1 - λ̂)/n) / |p - q|, corrected for the population's size if it is declared
        se=math.sqrt(upright.variance()),
        low=interval.low,
        high=interval.high,
        # The nearest pair of shares (yes, no) that are not negative and add up to 1
        tidy=clamp(upright.share),
        price_of_privacy=upright.price_of_privacy(),
        constrained=constrained,
    )
    return cell, sentences(upright, interval, constrained, method)
