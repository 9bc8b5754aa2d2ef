"""The files of the pages that compare, cross and regress: figures as CSV and JSON, charts as SVG.

The address is that of the page with an extension, and the same options: `/surveys/NAME/compare.csv?question=…&by=…`;
a chart has the place of its card, `/surveys/NAME/compare/1.svg`. The rule here: figures are those of the API, and a
card has no figure that its files lack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import wraps

from flask import Blueprint, Response
from flask.typing import ResponseReturnValue

from hushpoll_server.analysis.comparison import QuestionComparison
from hushpoll_server.collect.scan import ReportsPurged
from hushpoll_server.dashboard import compare, cross, regression
from hushpoll_server.dashboard.attachments import content_file, figures_file, refusal
from hushpoll_server.dashboard.comparison_cards import Card
from hushpoll_server.dashboard.exploring import Exploration
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.export import associations, regressions, tables
from hushpoll_server.export.columns import Row, joined
from hushpoll_server.export.documents import about_survey
from hushpoll_server.export.figures import Figures, Part
from hushpoll_server.results.scans import ScanStopped
from hushpoll_server.sharing.access import may_read
from hushpoll_server.surveys.service import SurveyService
from hushpoll_server.web import headers
from hushpoll_server.web.current import current
from hushpoll_shared.problems import BAD_QUERY, NOT_FOUND, TRY_LATER, ProblemError

blueprint = Blueprint("explored_files", __name__)

_EXTENSION = "<any(csv, json):extension>"
_COLUMNS = joined(tables.COLUMNS, associations.COLUMNS)


def file_view(view: Callable[..., Response]) -> Callable[..., ResponseReturnValue]:
    """Guard a file: what does not exist gives a page with the reason."""

    @may_read("figures")
    @wraps(view)
    def sent(name: str, **place: object) -> ResponseReturnValue:
        try:
            response = view(name, **place)
        except (EstimateError, ReportsPurged) as error:
            return refusal(current(SurveyService).get(name), error)
        except ScanStopped:
            raise ProblemError(TRY_LATER) from None
        headers.use(headers.STRICTEST)
        return response

    return sent


@blueprint.get(f"/surveys/<name>/compare.{_EXTENSION}")
@file_view
def compared(name: str, extension: str) -> Response:
    """Send the figures of a comparison."""
    wanted = compare.read_question(name)
    _check(wanted.asked, is_chosen=wanted.is_chosen)
    asked, figures = wanted.asked, wanted.figures()
    words = (name, wanted.question, "by", wanted.by)
    rows = (
        _group_rows(asked.part, figures)
        if isinstance(figures, QuestionComparison)
        else associations.any_table_rows(asked.part, figures)
    )
    return figures_file(extension, *words, columns=_COLUMNS, rows=rows, document=_document(asked, figures.to_json()))


@blueprint.get("/surveys/<name>/compare/<int:place>.svg")
@file_view
def compare_chart(name: str, place: int) -> Response:
    """Send the chart of one card of a comparison."""
    wanted = compare.read_question(name)
    _check(wanted.asked, is_chosen=wanted.is_chosen)
    cards, _, _ = wanted.compare()
    return _chart(wanted.asked, cards, place, name, wanted.question, "by", wanted.by)


@blueprint.get(f"/surveys/<name>/cross.{_EXTENSION}")
@file_view
def crossed(name: str, extension: str) -> Response:
    """Send the figures of a table."""
    asked, variables = cross.read_questions(name)
    _check(asked, is_chosen=len(variables) > 1)
    table, names = cross.table_of(asked, variables), [variable.name for variable in variables]
    rows, document = associations.any_table_rows(asked.part, table), _document(asked, table.to_json())
    return figures_file(extension, name, *names, columns=associations.COLUMNS, rows=rows, document=document)


@blueprint.get("/surveys/<name>/cross/<int:place>.svg")
@file_view
def cross_chart(name: str, place: int) -> Response:
    """Send the chart of the means of a table."""
    asked, variables = cross.read_questions(name)
    _check(asked, is_chosen=len(variables) > 1)
    table, names = cross.cross(asked, variables), [variable.name for variable in variables]
    return _chart(asked, table.means if table else (), place, name, *names)


@blueprint.get(f"/surveys/<name>/regression.{_EXTENSION}")
@file_view
def regressed(name: str, extension: str) -> Response:
    """Send the figures of a regression."""
    wanted = regression.read_question(name)
    _check(wanted.asked, is_chosen=wanted.is_chosen)
    fit, asked = wanted.fit(), wanted.asked
    rows = regressions.regression_rows(asked.part, wanted.outcome, fit)
    document = _document(asked, {"outcome": wanted.outcome, **regressions.regression_document(fit)})
    words = (name, wanted.outcome, "on", *wanted.covariates)
    return figures_file(extension, *words, columns=regressions.COLUMNS, rows=rows, document=document)


def _check(asked: Exploration, *, is_chosen: bool) -> None:
    """Refuse a group that is too small, and an address that does not say what is asked."""
    if asked.whose.withheld:
        # Reading them is what is refused.
        asked.reading.counts  # noqa: B018
    if not is_chosen:
        raise ProblemError(BAD_QUERY)


def _group_rows(part: Part, comparison: QuestionComparison) -> Iterator[Row]:
    """Yield the figures of each group, then how they differ."""
    for group in comparison.groups:
        results = None if group.result is None else {comparison.question: group.result}
        own = Part(manifest=part.manifest, labels=(group.name, *part.labels), counts=None)
        rows = tables.long_rows([Figures(part=own, results=results)])
        yield from (row for row in rows if row["question"] == comparison.question)
    yield from ({**row, **part.group} for row in associations.comparison_rows(part.manifest, [comparison]))


def _document(asked: Exploration, figures: Row) -> Row:
    return {**about_survey(asked.manifest, asked.survey.key), **asked.part.group, **figures}


def _chart(asked: Exploration, cards: Sequence[Card], place: int, *words: str) -> Response:
    chart = cards[place - 1].chart if 0 < place <= len(cards) else None
    if chart is None:
        raise ProblemError(NOT_FOUND)
    return content_file(chart.draw_file(asked.legend), *words, str(place), extension="svg")
