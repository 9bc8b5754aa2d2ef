"""Regression on a survey's reports: an answer or a number, on public groups and on other questions.

A covariate is a dimension of the survey's public groups, or a question, whose answers are private. The rule here: the
draws of a question are never put in place of its answers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hushpoll_server.analysis.comparison import question_of
from hushpoll_server.analysis.groups import dimension_of
from hushpoll_server.analysis.rows import CountedRows, Rows, count_rows, lay_out, matrix_of, read_outcome
from hushpoll_server.counting.combinations import Reports
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.regression.linear import ROBUST_ERRORS, linear_regression
from hushpoll_server.estimate.regression.linear_on_randomized import linear_regression_on_randomized
from hushpoll_server.estimate.regression.logistic import STANDARD_ERRORS, logistic_regression
from hushpoll_server.estimate.regression.logistic_on_randomized import (
    PRIVATE_ERRORS,
    logistic_regression_on_randomized,
)
from hushpoll_server.estimate.regression.results import Regression
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.questions import Question

# A fit passes over all reports for each of them, many times: with more a request would take minutes.
MOST_COMBINATIONS = 8
MODELS = ("logistic", "linear")
EVERY_ERROR = tuple(dict.fromkeys((*STANDARD_ERRORS, *PRIVATE_ERRORS, *ROBUST_ERRORS)))


def regress_survey(
    manifest: Manifest,
    reports: Reports,
    outcome: str,
    covariates: Sequence[str],
    *,
    model: str = "logistic",
    references: Mapping[str, str] | Sequence[tuple[str, str]] = (),
    standard_errors: str | None = None,
    level: float = 0.95,
) -> Regression:
    """Return the regression of an answer, or of a number, on dimensions of public groups and on other questions."""
    return regression_of(
        manifest,
        count_for(manifest, reports, outcome, covariates),
        model=model,
        references=references,
        standard_errors=standard_errors,
        level=level,
    )


def count_for(manifest: Manifest, reports: Reports, outcome: str, covariates: Sequence[str]) -> CountedRows:
    """Read the reports for regressions of an outcome on covariates, of any model."""
    regressed = read_outcome(manifest, outcome)
    public, private = _read_covariates(manifest, covariates, regressed.question)
    return count_rows(manifest, reports, regressed, public, private)


def regression_of(
    manifest: Manifest,
    counted: CountedRows,
    *,
    model: str = "logistic",
    references: Mapping[str, str] | Sequence[tuple[str, str]] = (),
    standard_errors: str | None = None,
    level: float = 0.95,
) -> Regression:
    """Return the regression of what was read from the reports."""
    rows = lay_out(manifest, counted)
    fit = _fit(rows, model, dict(references), standard_errors, level)
    return replace(fit, warnings=(*fit.warnings, *rows.warnings))


def check_names(manifest: Manifest, outcome: str, covariates: Sequence[str]) -> None:
    """Refuse names that are no outcome or no covariates of a survey."""
    _, private = _read_covariates(manifest, covariates, read_outcome(manifest, outcome).question)
    combinations = math.prod(len(matrix_of(question).answers) for question in private)
    if combinations > MOST_COMBINATIONS:
        raise EstimateError(
            f"the private covariates have {combinations:,} combinations of answers, more than {MOST_COMBINATIONS}: "
            "name fewer of them"
        )


def _read_covariates(manifest: Manifest, names: Sequence[str], outcome: Question) -> tuple[list[str], list[Question]]:
    """Return the dimensions and the questions with these names."""
    if len(set(names)) < len(names):
        raise EstimateError("a covariate is named twice: name each once")
    dimensions = {dimension.id for dimension in manifest.groups.dimensions} if manifest.groups else set()
    private = [question_of(manifest, name) for name in names if name not in dimensions]
    if outcome in private:
        raise EstimateError(f"{outcome.id} is the outcome: name other covariates")
    return [dimension_of(manifest, name).id for name in names if name in dimensions], private


def _fit(
    rows: Rows, model: str, references: Mapping[str, str], standard_errors: str | None, level: float
) -> Regression:
    design = rows.outcome.design
    options: dict[str, Any] = {"references": references, "level": level, "times": rows.times}
    # Least squares with corrected moments have one kind of standard errors only.
    errors: dict[str, Any] = {} if standard_errors is None else {"standard_errors": standard_errors}
    if model not in MODELS:
        raise EstimateError(f"there is no model {model!r}: choose one of {', '.join(MODELS)}")
    if design is not None and model == "logistic":
        if rows.private:
            return logistic_regression_on_randomized(
                rows.values, rows.public, rows.private, design, **options, **errors
            )
        return logistic_regression(rows.values, rows.public, design, **options, **errors)
    if rows.private:
        return linear_regression_on_randomized(rows.values, rows.public, rows.private, design, **options)
    return linear_regression(rows.values, rows.public, design, **options, **errors)
