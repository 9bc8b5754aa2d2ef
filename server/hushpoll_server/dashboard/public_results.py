"""The results of a survey for everybody, where its researchers have made them public.

The rule here: figures come from the counters that `sharing/public_results.py` shows, never from the newest ones, and
are those of everybody, never of a group. A page is rendered once for all visitors of a step. Where results are not
public, nothing tells whether there is such a survey.
"""

from __future__ import annotations

from flask import Blueprint, Response, render_template, request
from werkzeug import Response as WerkzeugResponse

from hushpoll_server.dashboard import formatting
from hushpoll_server.dashboard.chart import STROKES
from hushpoll_server.dashboard.cross_panel import make_cross_panels
from hushpoll_server.dashboard.early import Early, least_reports
from hushpoll_server.dashboard.panel import METHOD_NAMES, TOO_EARLY_BELOW
from hushpoll_server.dashboard.panels import COVERAGE_NAMES, make_panels, shown_levels
from hushpoll_server.dashboard.run import Run
from hushpoll_server.estimate.intervals import METHODS
from hushpoll_server.estimate.options import Options
from hushpoll_server.results.query import DEFAULT_LEVEL
from hushpoll_server.results.service import Reading, ResultsService
from hushpoll_server.sharing.public_results import PublicResultsService, Shown
from hushpoll_server.surveys.service import Phase, PublishedSurvey, SurveyService
from hushpoll_server.watch.metrics import STEP
from hushpoll_server.web import headers
from hushpoll_server.web.current import current
from hushpoll_shared.problems import NOT_FOUND, ProblemError

blueprint = Blueprint("public_results", __name__)


@blueprint.get("/s/<name>/results")
def page(name: str) -> WerkzeugResponse:
    """Show the public results of a survey."""
    survey, shown = _find(name)
    phase = current(SurveyService).phase(survey)
    made_from = survey.manifest.id, shown.tag, phase
    made = current(PublicResultsService).pages.recall(made_from, lambda: _render(survey, shown, phase), len)
    headers.use(headers.PUBLIC_PAGE)
    response = Response(made, mimetype="text/html")
    # Nobody's own figures: a browser may keep them, and asks whether they are still the same.
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    return response.make_conditional(request)


def _find(name: str) -> tuple[PublishedSurvey, Shown]:
    try:
        survey = current(SurveyService).get(name)
    except ProblemError:
        raise ProblemError(NOT_FOUND) from None
    shown = current(PublicResultsService).look(survey)
    if shown is None:
        raise ProblemError(NOT_FOUND)
    return survey, shown


def _render(survey: PublishedSurvey, shown: Shown, phase: Phase) -> bytes:
    results = current(ResultsService)
    reading = Reading(survey.manifest, {"": current(PublicResultsService).counts(survey.name)})
    # Whoever reloads an open survey looks again and again; the figures of a closed one stay.
    options = Options(level=DEFAULT_LEVEL, coverage="pointwise" if phase == "closed" else "anytime")
    graded = results.graded_results(reading, shown_levels(options), options)
    tables = results.cross_tables(reading, options) if reading.reports else ()
    return render_template(
        "dashboard/public_results.html",
        survey=survey,
        phase=phase,
        period=Run(survey=survey, phase=phase, reports=shown.reports, now=current(SurveyService).now()).period,
        reports=reading.reports,
        panels=make_panels(survey.manifest, graded, options),
        cross_panels=make_cross_panels(survey.manifest, tables),
        early=Early(shown=False, link="", below=least_reports(survey, reading)),
        choice=options,
        methods={method: METHOD_NAMES[method] for method in METHODS},
        coverage_names=COVERAGE_NAMES,
        too_early_below=TOO_EARLY_BELOW,
        step=STEP,
        figures=formatting,
        strokes=STROKES,
    ).encode()
