"""The pages and the API call by which researchers read estimates."""

from __future__ import annotations

import json

from flask import Blueprint, Response, render_template, request

from hushpoll_server import security
from hushpoll_server.collect.tally import Counts, number_of_reports
from hushpoll_server.dashboard import figures
from hushpoll_server.dashboard.chart import STROKES
from hushpoll_server.dashboard.cross_panel import make_cross_panels
from hushpoll_server.dashboard.panel import METHOD_NAMES, TOO_EARLY_BELOW
from hushpoll_server.dashboard.panels import COVERAGE_NAMES, AnyPanel, make_panels, shown_levels, survey_chart
from hushpoll_server.dashboard.query import BETAS, LEVELS, Choice, read_choice, read_page_choice
from hushpoll_server.estimate import METHODS, CrossResult
from hushpoll_server.researchers.access import bearer, signed_in
from hushpoll_server.results import estimates_to_json
from hushpoll_server.services import services
from hushpoll_server.surveys.service import PublishedSurvey

blueprint = Blueprint("dashboard", __name__)


@blueprint.get("/surveys")
@signed_in
def survey_list() -> str:
    """List the surveys with what a researcher asks first: are they open, and how many reports are there."""
    security.use(security.RESEARCHER_PAGE)
    surveys = services().surveys.list()
    now = services().clock()
    rows = [(survey, survey.phase(now), _count(survey)) for survey in surveys]
    return render_template("dashboard/list.html", rows=rows, figures=figures)


@blueprint.get("/surveys/<name>")
@signed_in
def dashboard(name: str) -> str:
    """Show the estimates of a survey."""
    security.use(security.RESEARCHER_PAGE)
    choice, survey = read_page_choice(request.args), services().surveys.get(name)
    # One reading for all figures: between two of them a report could arrive.
    counts = services().collect.counts(name)
    panels, reports = _panels(survey, counts, choice)
    return render_template(
        "dashboard/dashboard.html",
        survey=survey,
        phase=survey.phase(services().clock()),
        panels=panels,
        cross_panels=make_cross_panels(survey.manifest, _cross_tables(survey, counts, choice)) if reports else [],
        reports=reports,
        warnings=services().warnings(name, counts),
        rejections=services().collect.rejections(name),
        choice=choice,
        levels=sorted({*LEVELS, choice.level}),
        methods={method: METHOD_NAMES[method] for method in METHODS},
        betas=sorted({*BETAS, *filter(None, [choice.beta])}),
        coverage_names=COVERAGE_NAMES,
        too_early_below=TOO_EARLY_BELOW,
        figures=figures,
        strokes=STROKES,
    )


@blueprint.get("/surveys/<name>/chart.svg")
@signed_in
def chart(name: str) -> Response:
    """Send the chart of all questions as a file."""
    choice, survey = read_page_choice(request.args), services().surveys.get(name)
    panels, reports = _panels(survey, services().collect.counts(name), choice)
    response = Response(survey_chart(survey.manifest, panels, reports), mimetype="image/svg+xml")
    response.headers.set("Content-Disposition", "attachment", filename=f"{survey.name}.svg")
    return response


@blueprint.get("/api/v1/surveys/<name>/estimates")
@bearer
def estimates(name: str) -> Response:
    """Send what `hushpoll estimate --manifest --json` prints."""
    choice, survey = read_choice(request.args), services().surveys.get(name)
    counts = services().collect.counts(survey.name)
    results = services().results.results_of(survey.manifest, counts, level=choice.level, **choice.wanted)
    # Not Flask's own writer: it would sort the questions by name.
    written = json.dumps(
        estimates_to_json(results, _cross_tables(survey, counts, choice), services().warnings(name, counts))
    )
    return Response(written, mimetype="application/json")


def _panels(survey: PublishedSurvey, counts: Counts, choice: Choice) -> tuple[list[AnyPanel], int]:
    results = services().results
    graded = results.graded_results_of(survey.manifest, counts, shown_levels(choice), **choice.wanted)
    return make_panels(survey.manifest, graded, choice), number_of_reports(survey.manifest, counts)


def _cross_tables(survey: PublishedSurvey, counts: Counts, choice: Choice) -> tuple[CrossResult, ...]:
    crossed = services().surveys.crossed(survey.name)
    return services().results.cross_results_of(survey.manifest, counts, crossed, level=choice.level, **choice.wanted)


def _count(survey: PublishedSurvey) -> int:
    return number_of_reports(survey.manifest, services().collect.counts(survey.name))
