"""The page that regresses an answer or a number on public groups and on other questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import Blueprint, Response, request

from hushpoll_server.analysis.regression import MODELS, check_names
from hushpoll_server.analysis.rows import CountedRows, Outcome, read_outcome
from hushpoll_server.dashboard.choices import covariate_choices, outcome_choices
from hushpoll_server.dashboard.exploring import Exploration, or_reason, read_exploration
from hushpoll_server.dashboard.regression_view import RegressionView, regression_view
from hushpoll_server.estimate.regression.results import Regression
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


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is regressed on what; `regressed` is the outcome, if one is chosen."""

    asked: Exploration
    outcome: str
    regressed: Outcome | None
    covariates: tuple[str, ...]
    model: str

    @property
    def is_chosen(self) -> bool:
        """Return whether there is something to regress."""
        return bool(self.regressed and self.covariates) and not self.asked.whose.withheld

    @property
    def query(self) -> dict[str, object]:
        """Return the options that the address of a file repeats."""
        chosen = {"level": self.asked.options.level, "group": self.asked.whose.labels}
        return {**chosen, "outcome": self.outcome, "covariates": self.covariates, "model": self.model}

    def fit(self) -> Regression:
        """Return the regression."""
        reading, level = self.asked.reading, self.asked.options.level
        return current(ResultsService).regression(reading, self.outcome, self.covariates, model=self.model, level=level)

    def view(self) -> RegressionView:
        """Return the regression as the page shows it."""
        is_share = self.regressed is not None and self.regressed.place is not None
        return regression_view(self.asked.manifest, self.fit(), is_share=is_share)


def read_question(name: str) -> Question:
    """Read what is to be regressed; names that do not exist are refused."""
    asked = read_exploration(name)
    outcome, covariates = read_one(request.args, "outcome"), read_several(request.args, "covariates")
    model = read_one_of(MODELS, request.args, "model") or "logistic"
    regressed = _read(asked.manifest, outcome, covariates)
    return Question(asked=asked, outcome=outcome, regressed=regressed, covariates=covariates, model=model)


@blueprint.get("/surveys/<name>/regression")
@may_read("figures")
def page(name: str) -> str | Response:
    """Show what an answer or a number depends on."""
    wanted = read_question(name)
    manifest, reading = wanted.asked.manifest, wanted.asked.reading

    def find() -> dict[str, object]:
        view, reason = or_reason(wanted.view) if wanted.is_chosen else (None, "")
        return {"view": view, "reason": reason}

    def begin() -> Scan[CountedRows] | None:
        results = current(ResultsService)
        return results.begin_regression(reading, wanted.outcome, wanted.covariates) if wanted.is_chosen else None

    return wanted.asked.show(
        "regression",
        begin=begin,
        find=find,
        outcome=wanted.outcome,
        outcomes=outcome_choices(manifest),
        title=_title(wanted.regressed),
        covariates=wanted.covariates,
        choices=covariate_choices(manifest),
        model=wanted.model,
        models=MODEL_NAMES,
        is_chosen=wanted.is_chosen,
        query=wanted.query,
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


def _title(outcome: Outcome | None) -> str:
    """Return what is regressed, in words."""
    if outcome is None:
        return ""
    question, place = outcome.question, outcome.place
    return f"Mean: {question.text}" if place is None else f"{question.text} {question.type.words[place]}"
