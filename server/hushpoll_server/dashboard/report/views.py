"""The page of the report, made for paper: the browser prints it, or saves it as a PDF file.

The rule here: the figures are those of the dashboard and of the API, from one reading, to the digit.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version

from flask import Blueprint, render_template, request, url_for

from hushpoll_server.collect.service import CollectService
from hushpoll_server.dashboard import formatting
from hushpoll_server.dashboard.chart import STROKES
from hushpoll_server.dashboard.cross_panel import CrossPanel, make_cross_panels
from hushpoll_server.dashboard.early import Early, read_early
from hushpoll_server.dashboard.panel import METHOD_NAMES, TOO_EARLY_BELOW
from hushpoll_server.dashboard.panels import COVERAGE_NAMES, AnyPanel, make_panels, shown_levels
from hushpoll_server.dashboard.report.design import design_lines
from hushpoll_server.dashboard.report.methods import describe_methods
from hushpoll_server.dashboard.report.privacy import privacy_statement
from hushpoll_server.dashboard.run import Run
from hushpoll_server.estimate.intervals import METHODS
from hushpoll_server.results.query import LEVELS, read_page_options
from hushpoll_server.results.service import ResultsService
from hushpoll_server.sharing.access import may_read
from hushpoll_server.surveys.service import SurveyService
from hushpoll_server.web import headers
from hushpoll_server.web.current import current
from hushpoll_server.words.languages import ENGLISH, moment

blueprint = Blueprint("report", __name__)


@dataclass(frozen=True, kw_only=True)
class Facts(Run):
    """What stands at the head of a report."""

    @property
    def as_of(self) -> str:
        """Return the time of the figures in words, in UTC."""
        return moment(ENGLISH, self.now)

    @property
    def software(self) -> str:
        """Return the name and the version of this software."""
        return f"Hushpoll {version('hushpoll')}"

    @property
    def addresses(self) -> tuple[tuple[str, str], ...]:
        """Return the public addresses of the survey, as they are printed."""
        server = headers.server_url() or ""
        pages = (("Form", "respond.form"), ("Privacy label", "respond.privacy"))
        return tuple((name, server + url_for(view, name=self.survey.name)) for name, view in pages)


@blueprint.get("/surveys/<name>/report")
@may_read("figures")
def report(name: str) -> str:
    """Show a survey with its design, its methods and its figures, for paper."""
    headers.use(headers.RESEARCHER_PAGE)
    options = read_page_options(request.args)
    surveys, results = current(SurveyService), current(ResultsService)
    survey, reading = surveys.get(name), results.read(name)
    early = read_early(request.args, survey, reading)
    facts = Facts(survey=survey, phase=surveys.phase(survey), reports=reading.reports, now=surveys.now())
    graded = results.graded_results(reading, shown_levels(options), options)
    panels = make_panels(reading.manifest, graded, options)
    tables = make_cross_panels(survey.manifest, results.cross_tables(reading, options) if reading.reports else ())
    shown = _shown([*panels, *tables], early)
    return render_template(
        "dashboard/report/report.html",
        facts=facts,
        survey=survey,
        reports=facts.reports,
        designs=design_lines(survey.manifest),
        text=describe_methods(survey.manifest, shown, options),
        statement=privacy_statement(survey.manifest),
        panels=panels,
        cross_panels=tables,
        warnings=results.warnings(reading),
        rejections=current(CollectService).rejections(name),
        early=early,
        choice=options,
        levels=sorted({*LEVELS, options.level}),
        methods={method: METHOD_NAMES[method] for method in METHODS},
        coverage_names=COVERAGE_NAMES,
        default_coverage="pointwise",
        too_early_below=TOO_EARLY_BELOW,
        figures=formatting,
        strokes=STROKES,
    )


def _shown(panels: list[AnyPanel | CrossPanel], early: Early) -> list[AnyPanel | CrossPanel]:
    """Return the panels that have figures on the page."""
    return [panel for panel in panels if panel.result.n and not early.hides(panel.result.n)]
