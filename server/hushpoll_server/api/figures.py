"""The calls through which programs read figures: estimates, comparisons, cross tables, quantiles and regressions.

The rule here: what a command prints from the exported reports, a call sends from the counters, to the digit. A wrong
name or option is a `bad-query`; a group that is too small is `group-withheld`; a figure that the reports do not give
is null, with a warning that says why.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any

from flask import Blueprint, Response, request
from werkzeug.datastructures import MultiDict

from hushpoll_server.analysis.comparison import compare_grouped_counts, question_of
from hushpoll_server.analysis.groups import GroupWithheld
from hushpoll_server.analysis.quantiles import quantiles_of
from hushpoll_server.analysis.regression import EVERY_ERROR, MODELS, check_names
from hushpoll_server.analysis.survey import Analysis
from hushpoll_server.collect.scan import ReportsPurged
from hushpoll_server.counting.tally import NO_COUNTERS
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.groups.multiple_tests import ADJUSTMENTS
from hushpoll_server.export.regressions import regression_document
from hushpoll_server.researchers.access import bearer
from hushpoll_server.results.query import (
    check_options,
    read_labels,
    read_list,
    read_numbers,
    read_one,
    read_one_of,
    read_options,
)
from hushpoll_server.results.scans import ScanStopped
from hushpoll_server.results.service import ResultsService
from hushpoll_server.surveys.service import SurveyService
from hushpoll_server.web.current import current
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.problems import BAD_QUERY, GROUP_WITHHELD, REPORTS_PURGED, TRY_LATER, ProblemError

blueprint = Blueprint("figures", __name__, url_prefix="/api/v1/surveys/<name>")

Figures = dict[str, object]

# What each call needs to be told, and what it can be told besides.
NEEDED = {
    "estimates": (),
    "compare": ("question", "by"),
    "crosstab": ("questions",),
    "quantiles": ("question",),
    "regression": ("outcome", "covariates"),
}
POSSIBLE = {
    "estimates": ("level", "method", "coverage", "beta", "group"),
    "compare": ("level", "method", "coverage", "beta", "adjust", "group"),
    "crosstab": ("level", "method", "coverage", "adjust", "group"),
    "quantiles": ("shares", "at", "level", "group"),
    "regression": ("model", "standard_errors", "reference", "level", "group"),
}
OPTIONS = {call: (*NEEDED[call], *POSSIBLE[call]) for call in NEEDED}


def figures(call: Callable[[str], Figures]) -> Callable[..., Any]:
    """Guard a call, and send its figures with a tag, so that a program that has them already gets 304."""

    @bearer
    @wraps(call)
    def sent(name: str) -> Response:
        # An unknown survey is refused here.
        survey = current(SurveyService).get(name)
        # A misspelled option must not give the figures of everybody.
        check_options(request.args, OPTIONS[call.__name__])
        try:
            content = call(survey.name)
        except GroupWithheld:
            raise ProblemError(GROUP_WITHHELD) from None
        except ReportsPurged:
            raise ProblemError(REPORTS_PURGED) from None
        except ScanStopped:
            raise ProblemError(TRY_LATER) from None
        except InvalidValue:
            raise ProblemError(BAD_QUERY) from None
        # Flask's jsonify would sort the questions by name.
        response = Response(json.dumps(content, allow_nan=False), mimetype="application/json")
        response.add_etag()
        response.make_conditional(request)
        return response

    return sent


@blueprint.get("/estimates")
@figures
def estimates(name: str) -> Figures:
    """Send what `hushpoll estimate --manifest --json` prints."""
    options, results = read_options(request.args), current(ResultsService)
    reading = results.read(name).within(read_labels(request.args))
    tables = results.cross_tables(reading, options)
    return Analysis(results.results(reading, options), tables, results.warnings(reading)).to_json()


@blueprint.get("/compare")
@figures
def compare(name: str) -> Figures:
    """Send one question in all groups of a dimension, and how they differ."""
    reading = current(ResultsService).read(name)
    return compare_grouped_counts(
        reading.manifest,
        reading.grouped,
        read_one(request.args, "question"),
        read_one(request.args, "by"),
        labels=read_labels(request.args),
        adjustment=read_one_of(ADJUSTMENTS, request.args, "adjust") or "holm",
        options=read_options(request.args),
    ).to_json()


@blueprint.get("/crosstab")
@figures
def crosstab(name: str) -> Figures:
    """Send a table of two or three questions."""
    results = current(ResultsService)
    reading = results.read(name).within(read_labels(request.args))
    adjustment = read_one_of(ADJUSTMENTS, request.args, "adjust") or "holm"
    questions = read_list(request.args, "questions")
    return results.table(reading, questions, adjustment, read_options(request.args)).to_json()


@blueprint.get("/quantiles")
@figures
def quantiles(name: str) -> Figures:
    """Send medians and other quantiles of a scale or a number."""
    query = request.args
    reading = current(ResultsService).read(name).within(read_labels(query))
    question = question_of(reading.manifest, read_one(query, "question"))
    return quantiles_of(
        question,
        reading.counts.get(question.id, NO_COUNTERS),
        shares=read_numbers(query, "shares"),
        at=read_numbers(query, "at"),
        options=replace(read_options(query), population=reading.manifest.population),
    ).to_json()


@blueprint.get("/regression")
@figures
def regression(name: str) -> Figures:
    """Send what an answer or a number depends on; where the reports do not determine it, why."""
    results, query = current(ResultsService), request.args
    reading = results.read(name).within(read_labels(query))
    outcome, covariates = read_one(query, "outcome"), read_list(query, "covariates")
    check_names(reading.manifest, outcome, covariates)
    options: dict[str, Any] = {"model": read_one_of(MODELS, query, "model") or "logistic"}
    options |= {"level": read_options(query).level, "references": _read_references(query, covariates)}
    if errors := read_one_of(EVERY_ERROR, query, "standard_errors"):
        options["standard_errors"] = errors
    try:
        return regression_document(results.regression(reading, outcome, covariates, **options))
    except EstimateError as error:
        # The names are right, so it is the reports that do not determine it.
        return {"n": reading.reports, "coefficients": None, "warnings": [f"There is no regression: {error}."]}


def _read_references(query: MultiDict[str, str], covariates: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Read the labels that the others of a covariate are compared with: faculty=arts,age=young."""
    parts = [text.partition("=") for text in read_list(query, "reference")]
    if not {name for name, _, _ in parts} <= set(covariates):
        raise ProblemError(BAD_QUERY)
    return tuple((name, label) for name, _, label in parts)
