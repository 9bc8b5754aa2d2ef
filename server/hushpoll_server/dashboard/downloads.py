"""The page from which a survey is handed over, and its files: all that `hushpoll export` writes.

The rule here: the files are those of the command, byte for byte, from the same implementation. Randomized reports are
sent while they are read; everything else is small.
"""

from __future__ import annotations

from functools import partial

from flask import Blueprint, Response, render_template, request

from hushpoll_server.collect.scan import ReportsPurged
from hushpoll_server.dashboard import formatting
from hushpoll_server.dashboard.attachments import MEDIA_TYPES, NotShared, content_file, named, refusal
from hushpoll_server.dashboard.early import read_early
from hushpoll_server.dashboard.group_filter import read_filter
from hushpoll_server.dashboard.live import default_coverage
from hushpoll_server.dashboard.offers import FILES, offers_of
from hushpoll_server.dashboard.panel import METHOD_NAMES
from hushpoll_server.dashboard.panels import COVERAGE_NAMES
from hushpoll_server.estimate.intervals import METHODS
from hushpoll_server.export.order import REPORTS, SCRIPT, SHAPES, Order, OrderRefused
from hushpoll_server.export.parquet import has_parquet
from hushpoll_server.export.service import ExportService
from hushpoll_server.results.query import LEVELS, check_options, read_one, read_one_of, read_page_options
from hushpoll_server.sharing.access import may_read, opens
from hushpoll_server.surveys.service import PublishedSurvey, SurveyService
from hushpoll_server.web import headers
from hushpoll_server.web.current import current
from hushpoll_server.web.streams import MOST_SECONDS, Streams
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.problems import BAD_QUERY, NOT_FOUND, ProblemError

blueprint = Blueprint("downloads", __name__)

OPTIONS = ("level", "method", "coverage", "beta", "group", "shape", "by", "new_ids")


@blueprint.get("/surveys/<name>/download")
@may_read("figures")
def page(name: str) -> str:
    """Offer all files of a survey, with what each is for."""
    headers.use(headers.RESEARCHER_PAGE)
    survey, whose = current(SurveyService).get(name), read_filter(name)
    coverage = default_coverage(current(SurveyService).phase(survey))
    options = read_page_options(request.args, coverage)
    if whose.withheld:
        return render_template("dashboard/withheld.html", survey=survey, whose=whose, choice=options, page="download")
    return render_template(
        "dashboard/download_page.html",
        page="download",
        survey=survey,
        whose=whose,
        offers=offers_of(
            survey.manifest,
            current(SurveyService).crossed(name),
            options,
            whose.labels,
            has_reports=opens("reports"),
        ),
        has_parquet=has_parquet(),
        choice=options,
        levels=sorted({*LEVELS, options.level}),
        methods={method: METHOD_NAMES[method] for method in METHODS},
        coverage_names=COVERAGE_NAMES,
        default_coverage=coverage,
        early=read_early(request.args, survey, whose.reading),
        figures=formatting,
        stream_minutes=int(MOST_SECONDS // 60),
    )


@blueprint.get("/surveys/<name>/download/<file>")
@may_read("figures")
def download(name: str, file: str) -> Response:
    """Send one file."""
    survey = current(SurveyService).get(name)
    order = _read_order(survey, file)
    if order.what in (REPORTS, SCRIPT) and not opens("reports"):
        return refusal(survey, NotShared("this link opens figures: ask whoever sent it for one that opens reports"))
    try:
        return _send(survey, order, file)
    except OrderRefused:
        raise ProblemError(BAD_QUERY) from None
    except (InvalidValue, ReportsPurged) as error:
        return refusal(survey, error)


def _read_order(survey: PublishedSurvey, file: str) -> Order:
    """Read what is asked for; names of files, options, groups and dimensions that do not exist are refused."""
    if file not in FILES:
        raise ProblemError(NOT_FOUND)
    query, (what, format_) = request.args, FILES[file]
    check_options(query, OPTIONS)
    whose, by = read_filter(survey.name), read_one(query, "by")
    if by and by not in {dimension.id for dimension in whose.dimensions}:
        raise ProblemError(BAD_QUERY)
    return Order(
        what=what,
        format=format_,
        shape=read_one_of(SHAPES, query, "shape") or "long",
        by=by or None,
        labels=whose.labels,
        new_ids=read_one_of(("1",), query, "new_ids") is not None,
        options=read_page_options(query),
    )


def _send(survey: PublishedSurvey, order: Order, file: str) -> Response:
    stem, _, extension = file.partition(".")
    wide = order.shape if order.shape == "wide" else ""
    ids = "new-ids" if order.new_ids else ""
    words = (survey.name, stem, wide, ids, *order.labels, f"by-{order.by}" if order.by else "")
    make = partial(current(ExportService).parts, survey.name, order)
    if order.what != REPORTS:
        return content_file(b"".join(make()), *words, extension=extension)
    return named(current(Streams).response(make, MEDIA_TYPES[extension]), *words, extension=extension)
