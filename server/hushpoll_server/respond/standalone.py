"""The form as one file, which can be kept, checked and opened from a disk without loading a page of the server.

The rule here: the file contains all the code that it runs; its policy allows exactly that, by hash, and one connection,
to the address that takes the report. The server and any other installation make the same bytes (hushpoll survey page),
so nobody has to trust the server for the code.
"""

from __future__ import annotations

from dataclasses import dataclass

from flask import render_template

from hushpoll_server.paths import static_folder
from hushpoll_server.respond import bundle, page
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_server.web import headers


@dataclass(frozen=True)
class Inline:
    """What the file contains, where the online page links to files of the server."""

    script: str
    style: str
    policy: headers.Policy


def document(survey: PublishedSurvey, server: str) -> str:
    """Return the file of a survey that sends to this server."""
    script, style = bundle.form_script(), stylesheet()
    hashes = {"script": script.integrity, "style": style.integrity}
    policy = headers.respondent_file(page.report_url(survey, server), **hashes, has_logo=page.has_logo(survey))
    file = Inline(script.plain.decode(), style.plain.decode(), policy)
    pages = {"privacy": f"{server}/s/{survey.name}/privacy", "lab": f"{server}/lab"}
    return render_template(page.TEMPLATE, **page.content(survey, server), **pages, file=file)


def stylesheet() -> bundle.Code:
    """Return the style sheet of the form."""
    return bundle.Code((static_folder() / "hushpoll.css").read_bytes())
