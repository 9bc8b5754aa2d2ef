"""The page that regresses an answer or a number on public groups and on other questions."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, Response, request

from hushpoll_server.analysis.regression import MODELS, check_names
from hushpoll_server.analysis.rows import CountedRows, Outcome, read_outcome
from hushpoll_server.dashboard.choices import covariate_choices, outcome_choices
from hushpoll_server.dashboard.exploring import Exploration, or_reason, read_exploration
from hushpoll_server.dashboard.regression_view import RegressionView, regression_view
from hushpoll_server.results.query import read_one, read_one_of, read_several
from hushpoll_server.results.scans import Scan
from hushpoll_server.results.service import ResultsService
from hushpoll_server.sharing.access import may_read
from hushpoll_server.web.current import current
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import BAD_QUERY, ProblemError

blueprint = Blueprint("regression", __name__)

MODEL_NAMES = {"logistic": "logistic (log-odds)", "linear": "linear (points, or the unit of the number)"}
assert set(MODEL_NAMES) == set(MODELS), "every model has a name"


@blueprint.get("/surveys/<name>/regression")
@may_read("figures")
def page(name: str) -> str | Response:
    """Show what an answer or a number depends on."""
    asked = read_exploration(name)
    outcome, covariates = read_one(request.args, "outcome"), read_several(request.args, "covariates")
    model = read_one_of(MODELS, request.args, "model") or "logistic"
    regressed = _read(asked.manifest, outcome, covariates)
    is_chosen = bool(regressed and covariates) and not asked.whose.withheld

    def find() -> dict[str, object]:
        view, reason = None, ""
        if regressed and is_chosen:
            view, reason = or_reason(lambda: _regress(asked, outcome, regressed, covariates, model))
        return {"view": view, "reason": reason}

    def begin() -> Scan[CountedRows] | None:
        return current(ResultsService).begin_regression(asked.reading, outcome, covariates) if is_chosen else None

    return asked.show(
        "regression",
        begin=begin,
        find=find,
        outcome=outcome,
        outcomes=outcome_choices(asked.manifest),
        title=_title(regressed),
        covariates=covariates,
        choices=covariate_choices(asked.manifest),
        model=model,
        models=MODEL_NAMES,
        is_chosen=is_chosen,
    )


def _read(manifest: Manifest, outcome: str, covariates: Sequence[str]) -> Outcome | None:
    """Return the outcome, if one is chosen; names that do not exist are a bad query."""
    if not outcome:
        return None
    try:
        regressed = read_outcome(manifest, outcome)
        # The outcome's own box may be ticked: the page says that it is no covariate.
        check_names(manifest, outcome, [name for name in covariates if name != regressed.question.id])
    except InvalidValue:
        raise ProblemError(BAD_QUERY) from None
    return regressed


def _regress(asked: Exploration, name: str, outcome: Outcome, covariates: Sequence[str], model: str) -> RegressionView:
    fit = current(ResultsService).regression(asked.reading, name, covariates, model=model, level=asked.options.level)
    return regression_view(asked.manifest, fit, is_share=outcome.place is not None)


def _title(outcome: Outcome | None) -> str:
    """Return what is regressed, in words."""
    if outcome is None:
        return ""
    question, place = outcome.question, outcome.place
    return f"Mean: {question.text}" if place is None else f"{question.text} {question.type.words[place]}"
