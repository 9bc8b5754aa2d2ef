"""Quantiles of a survey's question from its reports, or from its counters.

The rule here: a question whose answers have no order is refused. One that reports only its mean has that mean, and a
warning that says what the survey file would have to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from hushpoll_server.analysis.results import MORE_THAN_THE_POPULATION, estimand_of
from hushpoll_server.counting.tally import NO_COUNTERS, tally
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.estimands import DistributionEstimand, Estimand, SharesEstimand
from hushpoll_server.estimate.numbers.means import MeanResult
from hushpoll_server.estimate.options import DEFAULT, Options
from hushpoll_server.estimate.quantiles.distributions import quantiles_of_distribution, quantiles_of_mean
from hushpoll_server.estimate.quantiles.results import QuantilesResult
from hushpoll_server.estimate.quantiles.scales import quantiles_of_scale
from hushpoll_server.mechanisms.mechanism import Counters
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.question_types import Scale
from hushpoll_shared.questions import Question
from hushpoll_shared.report import Report

NO_ORDER = "the answers to question {name} have no order, so it has no quantiles: name a scale or a number"
NO_QUESTION = "there is no question {name} in this survey: name one of {known}"
# What a survey file must say so that a question has quantiles.
_CURES = {"scale": "`report: shares`", "number": "`report: distribution`"}


def analyse_quantiles(
    manifest: Manifest,
    reports: Iterable[Report],
    question: str,
    *,
    shares: Sequence[float] | None = None,
    at: Sequence[float | Fraction] | None = None,
    options: Options = DEFAULT,
) -> QuantilesResult:
    """Return the quantiles of some shares of a question, the shares at most some numbers, mean and standard deviation.

    By default these are the quartiles and, for a scale, the shares at most each of its points.
    """
    known = {each.id: each for each in manifest.questions}
    if question not in known:
        raise EstimateError(NO_QUESTION.format(name=question, known=", ".join(known)))
    counts = tally(manifest, [report.draws for report in reports], ()).get(question, NO_COUNTERS)
    within = replace(options, population=manifest.population)
    return quantiles_of(known[question], counts, shares=shares, at=at, options=within)


def quantiles_of(
    question: Question,
    counters: Counters,
    *,
    shares: Sequence[float] | None = None,
    at: Sequence[float | Fraction] | None = None,
    options: Options = DEFAULT,
) -> QuantilesResult:
    """Return the quantiles of a question from its counters."""
    estimand = estimand_of(question, counters)
    if options.population is None or estimand.n <= options.population:
        return _quantiles(question, estimand, shares, at, options)
    result = _quantiles(question, estimand, shares, at, replace(options, population=None))
    return replace(result, warnings=(*result.warnings, MORE_THAN_THE_POPULATION))


def _quantiles(
    question: Question,
    estimand: Estimand,
    shares: Sequence[float] | None,
    at: Sequence[float | Fraction] | None,
    options: Options,
) -> QuantilesResult:
    if isinstance(estimand, DistributionEstimand):
        return quantiles_of_distribution(estimand, shares=shares, at=at or (), options=options)
    if not isinstance(estimand, SharesEstimand):
        mean = estimand.estimate(options)
        assert isinstance(mean, MeanResult), "what reports neither shares nor a distribution reports a mean"
        return quantiles_of_mean(mean, _CURES[question.type.NAME], shares=shares, at=at or ())
    if not isinstance(question.type, Scale):
        raise EstimateError(NO_ORDER.format(name=question.id))
    # A table of two answers shows one; here every point is needed.
    every = replace(estimand, shown=tuple(name for name, _, _ in estimand.cells))
    return quantiles_of_scale(every.estimate(options), question.type.points, shares=shares, at=at)
