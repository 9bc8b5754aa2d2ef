"""The files of the dashboard's cards: the chart of a question as SVG, its figures as CSV and JSON.

The address is `/surveys/NAME/files/QUESTION.svg` with the options of the page; of a cross table it has both questions,
with a dot between them. The rule here: figures are those of the exports, from the same code.
"""

from __future__ import annotations

from flask import Blueprint, Response, request

from hushpoll_server.collect.service import CollectService
from hushpoll_server.dashboard.attachments import content_file, figures_file
from hushpoll_server.dashboard.explored_files import file_view
from hushpoll_server.dashboard.group_filter import read_filter
from hushpoll_server.dashboard.panels import make_panels, shown_levels, survey_chart
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.tables.cross_results import CrossResult
from hushpoll_server.export.documents import about_reports, estimates_document
from hushpoll_server.export.figures import Figures, Part
from hushpoll_server.export.tables import COLUMNS, long_rows
from hushpoll_server.results.query import read_page_options
from hushpoll_server.results.service import Reading, ResultsService
from hushpoll_server.surveys.service import SurveyService
from hushpoll_server.web.current import current
from hushpoll_shared.problems import NOT_FOUND, ProblemError

blueprint = Blueprint("card_files", __name__)


@blueprint.get("/surveys/<name>/files/<card>.svg")
@file_view
def chart(name: str, card: str) -> Response:
    """Send the chart of a question."""
    options, survey = read_page_options(request.args), current(SurveyService).get(name)
    reading = read_filter(name).reading
    graded = current(ResultsService).graded_results(reading, shown_levels(options), options)
    panels = [panel for panel in make_panels(reading.manifest, graded, options) if panel.question.id == card]
    if not panels:
        raise ProblemError(NOT_FOUND)
    return content_file(survey_chart(survey.manifest, panels, reading.reports), name, card, extension="svg")


@blueprint.get("/surveys/<name>/files/<card>.<any(csv, json):extension>")
@file_view
def figures(name: str, card: str, extension: str) -> Response:
    """Send the figures of a question, or of a cross table."""
    options, survey = read_page_options(request.args), current(SurveyService).get(name)
    reading, (first, _, second) = read_filter(name).reading, card.partition(".")
    every = _figures(reading, options, first, second)
    if not every.results:
        raise ProblemError(NOT_FOUND)
    stored = about_reports(
        survey.manifest,
        reading.everybody,
        current(CollectService).rejections(name),
        current(ResultsService).warnings(reading),
    )
    document = estimates_document(survey.manifest, survey.key, [every], stored=stored)
    words = (name, first, second)
    return figures_file(extension, *words, columns=COLUMNS, rows=long_rows([every]), document=document)


def _figures(reading: Reading, options: Options, first: str, second: str) -> Figures:
    """Return the figures of one question, or of two with their cross table; none if there is no such card."""
    results = current(ResultsService)
    tables: tuple[CrossResult, ...] = ()
    if second:
        every = results.cross_tables(reading, options)
        tables = tuple(each for each in every if each.names == (first, second))
    part = Part(manifest=reading.manifest, labels=reading.labels, counts=reading.counts)
    names = {first, second} if tables or not second else set()
    questions = results.results(reading, options)
    return Figures(part=part, results={name: questions[name] for name in questions if name in names}, tables=tables)
