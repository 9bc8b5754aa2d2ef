"""The respondent's page, made from the signed survey and the server's address alone.

The rule here: both determine the page, byte for byte, so that anybody can compare what a server sends with what this
release makes (hushpoll verify-site). Nothing about the respondent or the time goes into it.
"""

from __future__ import annotations

import json
from typing import Any

from flask import render_template, request, url_for
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from hushpoll_server.respond import bundle
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_server.web.cache import Cache
from hushpoll_server.web.headers import Policy, respondent_page
from hushpoll_server.words import for_page
from hushpoll_shared.scripts import script_folder
from hushpoll_shared.words import interface

TEMPLATE = "respond/form.html"
# The most bytes of forms that each process caches.
MOST_BYTES = 32_000_000


class PageCache(Cache):
    """The forms that were requested recently."""

    def __init__(self) -> None:
        """Make an empty cache."""
        super().__init__(most_bytes=MOST_BYTES)


def form(survey: PublishedSurvey, server: str, *, embedded: bool = False) -> str:
    """Return the page with the form; embedded, it tells the surrounding page when it is done."""
    script, privacy = bundle.form_script(), url_for("respond.privacy", name=survey.name)
    own = {"script": script, "privacy": privacy, "lab": f"{request.script_root}/lab", "embedded": embedded}
    own |= {"policy": _policy_within(survey, server)}
    return render_template(TEMPLATE, **content(survey, server), **own)


def content(survey: PublishedSurvey, server: str) -> dict[str, Any]:
    """Return the content that every form of a survey has, wherever it is shown."""
    by_language = for_page(survey.manifest)
    language = next(iter(by_language))
    texts = {"words": by_language, "language": language, "first": interface(language)}
    return {"survey": survey, "server": server, "envelope": json.loads(survey.envelope), **texts, "data": _data}


def _data(value: object) -> Markup:
    """Return a data block: keys in their order, letters unescaped, and nothing in it can end the block."""
    return htmlsafe_json_dumps(value, ensure_ascii=False, separators=(",", ":"))


def report_url(survey: PublishedSurvey, server: str) -> str:
    """Return the one address that the page may connect to."""
    return f"{server}/api/v1/surveys/{survey.name}/reports"


def policy(survey: PublishedSurvey, server: str, *, embedded: bool = False) -> Policy:
    """Return the policy of the page; embedded, the hosts named in the signed survey may show it."""
    hosts = survey.manifest.hosts if embedded else ()
    return respondent_page(report_url(survey, server), has_logo=has_logo(survey), hosts=hosts)


def _policy_within(survey: PublishedSurvey, server: str) -> Policy:
    """Return the policy that the page itself holds, so that the copy for a device that is offline has it too."""
    return respondent_page(report_url(survey, server), has_logo=has_logo(survey), hosts=None)


def has_logo(survey: PublishedSurvey) -> bool:
    """Return whether the survey holds a picture that the page shows."""
    about = survey.manifest.about
    return about is not None and about.logo is not None


def element_script() -> bundle.Code:
    """Return the script of the element that embeds a survey in another page, as it is in the repository."""
    return bundle.Code((script_folder() / "embed" / "hushpoll-survey.js").read_bytes())
