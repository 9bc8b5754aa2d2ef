"""The pages on which researchers read estimates."""

from __future__ import annotations

from flask import Blueprint, Response, redirect, render_template, request, url_for
from werkzeug import Response as WerkzeugResponse

from hushpoll_server.collect.service import CollectService
from hushpoll_server.counting.days import ReportDays
from hushpoll_server.dashboard import formatting
from hushpoll_server.dashboard.chart import STROKES
from hushpoll_server.dashboard.cross_panel import make_cross_panels
from hushpoll_server.dashboard.days import DaysCard
from hushpoll_server.dashboard.early import read_early
from hushpoll_server.dashboard.group_filter import read_filter
from hushpoll_server.dashboard.live import Live, default_coverage
from hushpoll_server.dashboard.panel import METHOD_NAMES, TOO_EARLY_BELOW
from hushpoll_server.dashboard.panels import COVERAGE_NAMES, AnyPanel, make_panels, shown_levels, survey_chart
from hushpoll_server.dashboard.run import Run
from hushpoll_server.estimate.intervals import METHODS
from hushpoll_server.estimate.options import Options
from hushpoll_server.researchers.access import signed_in
from hushpoll_server.results.query import LEVELS, read_page_options
from hushpoll_server.results.service import Reading, ResultsService
from hushpoll_server.sharing.access import may_read
from hushpoll_server.surveys.service import SurveyService
from hushpoll_server.watch.metrics import STEP
from hushpoll_server.web import headers
from hushpoll_server.web.current import current

blueprint = Blueprint("dashboard", __name__)


@blueprint.get("/surveys")
@signed_in
def survey_list() -> str:
    """Show the surveys, whether they are open, and how many reports they have."""
    headers.use(headers.RESEARCHER_PAGE)
    surveys, collect = current(SurveyService), current(CollectService)
    rows = [(survey, surveys.phase(survey), collect.number_of_reports(survey.name)) for survey in surveys.list()]
    return render_template("dashboard/list.html", rows=rows, figures=formatting)


@blueprint.get("/surveys/<name>")
@may_read("figures")
def dashboard(name: str) -> str | Response:
    """Show the estimates of a survey; a page that is still good enough stays as it is."""
    headers.use(headers.RESEARCHER_PAGE_WITH_SCRIPT)
    surveys, results = current(SurveyService), current(ResultsService)
    survey = surveys.get(name)
    phase = surveys.phase(survey)
    options = read_page_options(request.args, default_coverage(phase))
    # Days before counters: a report that comes in between waits.
    stored_days = current(CollectService).days(name)
    # One reading for all figures: between two readings a report could arrive.
    whose = read_filter(name)
    reading = whose.reading
    if whose.withheld:
        return render_template("dashboard/withheld.html", survey=survey, whose=whose, choice=options, page="results")
    live = Live(phase=phase, reports=reading.reports, now=surveys.now())
    if live.is_shown_with(request.if_none_match):
        return _tagged(Response(status=304), live)
    tables = results.cross_tables(reading, options) if reading.reports else ()
    run = Run(survey=survey, phase=phase, reports=reading.everybody, now=live.now, grouped=bool(whose.labels))
    days = DaysCard(ReportDays.of(stored_days, run.reports), until=live.now.date() if live.is_open else None)
    page = render_template(
        "dashboard/dashboard.html",
        survey=survey,
        phase=phase,
        run=run,
        days=days,
        step=STEP,
        live=live,
        panels=_panels(reading, options),
        cross_panels=make_cross_panels(survey.manifest, tables),
        reports=reading.reports,
        whose=whose,
        page="results",
        warnings=results.warnings(reading),
        rejections=current(CollectService).rejections(name),
        choice=options,
        levels=sorted({*LEVELS, options.level}),
        methods={method: METHOD_NAMES[method] for method in METHODS},
        coverage_names=COVERAGE_NAMES,
        default_coverage=default_coverage(phase),
        early=read_early(request.args, survey, reading),
        too_early_below=TOO_EARLY_BELOW,
        figures=formatting,
        strokes=STROKES,
    )
    return _tagged(Response(page), live)


@blueprint.get("/surveys/<name>/chart.svg")
@may_read("figures")
def chart(name: str) -> Response | WerkzeugResponse:
    """Send the chart of all questions as a file."""
    survey = current(SurveyService).get(name)
    options = read_page_options(request.args, default_coverage(current(SurveyService).phase(survey)))
    whose = read_filter(name)
    if whose.withheld:
        # The page says why there is no chart.
        return redirect(url_for("dashboard.dashboard", name=name, group=whose.labels), 303)
    reading = whose.reading
    drawn = survey_chart(survey.manifest, _panels(reading, options), reading.reports)
    response = Response(drawn, mimetype="image/svg+xml")
    response.headers.set("Content-Disposition", "attachment", filename=f"{survey.name}.svg")
    return response


def _tagged(response: Response, live: Live) -> Response:
    response.set_etag(live.tag, weak=True)
    return response


def _panels(reading: Reading, options: Options) -> list[AnyPanel]:
    graded = current(ResultsService).graded_results(reading, shown_levels(options), options)
    return make_panels(reading.manifest, graded, options)
