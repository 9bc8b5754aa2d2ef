"""The respondent's page, made from the signed survey and the server's address alone.

The law here: whoever has both makes the same page, byte for byte, so that anybody can compare what a server sends with
what this release makes (hushpoll verify-site). Nothing about the respondent or the moment goes into it.
"""

from __future__ import annotations

import json
from typing import Any

from flask import render_template, url_for
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from hushpoll_server import words
from hushpoll_server.paths import script_folder
from hushpoll_server.respond import joined
from hushpoll_server.security import Policy, respondent_page
from hushpoll_server.surveys.service import PublishedSurvey

TEMPLATE = "respond/form.html"


def form(survey: PublishedSurvey, server: str, *, embedded: bool = False) -> str:
    """Make the page with the form; embedded, it tells the page around it when it is done."""
    script, privacy = joined.form_script(), url_for("respond.privacy", name=survey.name)
    return render_template(TEMPLATE, **content(survey, server), script=script, privacy=privacy, embedded=embedded)


def content(survey: PublishedSurvey, server: str) -> dict[str, Any]:
    """Give what every form of a survey holds, wherever it is shown."""
    spoken = words.for_page(survey.manifest)
    language, first = next(iter(spoken.items()))
    texts = {"words": spoken, "language": language, "first": first}
    return {"survey": survey, "server": server, "envelope": json.loads(survey.envelope), **texts, "data": _data}


def _data(value: object) -> Markup:
    """Write a data block: in its own order and its own letters, and nothing in it can end the block."""
    return htmlsafe_json_dumps(value, ensure_ascii=False, separators=(",", ":"))


def report_url(survey: PublishedSurvey, server: str) -> str:
    """Give the one address that the page may connect to."""
    return f"{server}/api/v1/surveys/{survey.name}/reports"


def policy(survey: PublishedSurvey, server: str, *, embedded: bool = False) -> Policy:
    """Give the policy of the page; embedded, the hosts that the signed survey names may show it."""
    hosts = survey.manifest.hosts if embedded else ()
    return respondent_page(report_url(survey, server), hosts=hosts)


def element_script() -> joined.Code:
    """Give the script of the element that embeds a survey in another page, as it lies in the repository."""
    return joined.Code((script_folder() / "embed" / "hushpoll-survey.js").read_bytes())
