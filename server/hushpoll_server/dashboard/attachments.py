"""What is saved instead of shown: names of files, media types, and the page of a file that there is not.

The rule here: a name says the survey and what is in the file, and holds nothing but the letters of names; a file that
cannot be made is a page with the reason and the cure, never an error of the server.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from flask import Response, make_response, render_template

from hushpoll_server.analysis.groups import GroupWithheld
from hushpoll_server.collect.scan import ReportsPurged
from hushpoll_server.export.columns import Column, Row
from hushpoll_server.export.documents import write_json
from hushpoll_server.export.parquet import ParquetMissing
from hushpoll_server.export.spreadsheet import csv_parts
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_server.web import headers
from hushpoll_shared.errors import HushpollError

MEDIA_TYPES = {
    "csv": "text/csv",
    "json": "application/json",
    "ndjson": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
    "svg": "image/svg+xml",
    "R": "text/plain",
    "do": "text/plain",
    "ipynb": "application/x-ipynb+json",
}


class NotShared(HushpollError):
    """A file that a link does not open."""


# An option of a question can have any name.
_NOT_SAFE = re.compile("[^A-Za-z0-9_.-]+")
_STATUS = {GroupWithheld: 403, NotShared: 403, ReportsPurged: 410, ParquetMissing: 501}


def named(response: Response, *words: str, extension: str) -> Response:
    """Name the file that a response is saved as."""
    name = f"{'-'.join(_NOT_SAFE.sub('-', word) for word in words if word)}.{extension}"
    response.headers.set("Content-Disposition", "attachment", filename=name)
    return response


def content_file(content: bytes | str, *words: str, extension: str) -> Response:
    """Return a response to save."""
    return named(Response(content, mimetype=MEDIA_TYPES[extension]), *words, extension=extension)


def figures_file(
    extension: str, *words: str, columns: Iterable[Column], rows: Iterable[Row], document: Row
) -> Response:
    """Return figures to save: a table as CSV, a document as JSON."""
    content = b"".join(csv_parts(tuple(columns), rows)) if extension == "csv" else write_json(document)
    return content_file(content, *words, extension=extension)


def refusal(survey: PublishedSurvey, error: HushpollError) -> Response:
    """Return the page that says why there is no such file."""
    headers.use(headers.RESEARCHER_PAGE)
    status = _STATUS.get(type(error), 422)
    return make_response(render_template("dashboard/no_file.html", survey=survey, reason=f"{error}."), status)
