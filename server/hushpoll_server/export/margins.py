"""Margins of error: half the width of an interval, and what it would be without the randomizing."""

from __future__ import annotations

from hushpoll_server.analysis.sampling import mean_sampling, share_sampling
from hushpoll_server.estimate.estimands import QuestionResult
from hushpoll_server.estimate.numbers.distribution import DistributionResult
from hushpoll_server.estimate.numbers.mean_of_some import MeanOfSomeResult
from hushpoll_server.estimate.numbers.means import MeanResult
from hushpoll_server.estimate.results import Result
from hushpoll_server.export.columns import Row
from hushpoll_shared.questions import Question

MEAN = "mean"


def without_randomizing(question: Question, result: QuestionResult) -> Row:
    """Return for each figure of a question the interval that it would have without the randomizing, if it has one."""
    common = result.mean if isinstance(result, DistributionResult) else result
    cells = common.cells if isinstance(common, Result | MeanOfSomeResult) else ()
    population, level = common.population, common.level
    limits = {each.name: share_sampling(each, n=common.n, population=population, level=level) for each in cells}
    if isinstance(common, MeanResult):
        low, high = question.type.range
        limits[MEAN] = mean_sampling(common, low=float(low), high=float(high))
    found = {name: each for name, each in limits.items() if each is not None}
    return {name: {**each.to_json(), "margin": _half(each.low, each.high)} for name, each in found.items()}


def margins_in(question: Row) -> Row:
    """Return the margin of error of each figure of a question's document that has limits, by its name."""
    figures = {each["name"]: each for each in question.get("cells", [])}
    figures |= {f"quantile_{100 * each['share']:g}": each for each in question.get("quantiles", [])}
    figures |= {name: question[name] for name in (MEAN, "sd") if name in question}
    margins = {name: _half(each["low"], each["high"]) for name, each in figures.items()}
    return {name: margin for name, margin in margins.items() if margin is not None}


def margins_of(row: Row, sampling: Row) -> Row:
    """Return the margins of error of a row: that of its own interval, and that without the randomizing."""
    own = margin_of(row)
    without = sampling.get(row.get("cell") or MEAN) if row["kind"] in ("cell", MEAN) else None
    return own if without is None else own | {f"sampling_{name}": value for name, value in without.items()}


def margin_of(row: Row) -> Row:
    """Return the margin of error of a row."""
    return {"margin": _half(row.get("low"), row.get("high"))}


def _half(low: float | None, high: float | None) -> float | None:
    return None if low is None or high is None else (high - low) / 2
