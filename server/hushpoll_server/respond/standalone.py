"""The form as one file: kept, checked and opened from a disk, it needs no page of the server.

The law here: the file holds all that it runs, and its policy allows exactly that by hash, and one connection, to the
address that takes the report. The server and anybody's own install make the same bytes (hushpoll survey page), so
nobody has to trust the server for the code.
"""

from __future__ import annotations

from dataclasses import dataclass

from flask import render_template

from hushpoll_server import security
from hushpoll_server.paths import static_folder
from hushpoll_server.respond import joined, page
from hushpoll_server.surveys.service import PublishedSurvey


@dataclass(frozen=True)
class Inline:
    """What a file holds itself, where the page online names files of the server."""

    script: str
    style: str
    policy: security.Policy


def document(survey: PublishedSurvey, server: str) -> str:
    """Make the file of a survey that sends to this server."""
    script, style = joined.form_script(), stylesheet()
    hashes = {"script": script.integrity, "style": style.integrity}
    policy = security.respondent_file(page.report_url(survey, server), **hashes)
    file = Inline(script.plain.decode(), style.plain.decode(), policy)
    return render_template(
        page.TEMPLATE, **page.content(survey, server), file=file, privacy=f"{server}/s/{survey.name}/privacy"
    )


def stylesheet() -> joined.Code:
    """Give the style of the form."""
    return joined.Code((static_folder() / "hushpoll.css").read_bytes())
