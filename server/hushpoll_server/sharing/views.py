"""The page on which a researcher shares a survey, and the page that a link opens.

The rule here: only a press of the button opens a survey by a link. Whatever only fetches the address, such as a mail
scanner or a prefetching browser, gets no cookie. The address of a link is shown once.
"""

from __future__ import annotations

from flask import Blueprint, g, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from hushpoll_server.researchers import forms
from hushpoll_server.researchers.access import session_secret, signed_in
from hushpoll_server.sharing import access
from hushpoll_server.sharing.forms import read_link
from hushpoll_server.sharing.public_results import PublicResultsService, TooManyCounters
from hushpoll_server.sharing.service import DEFAULT_DAYS, MOST_DAYS, ShareService
from hushpoll_server.surveys.service import SurveyService
from hushpoll_server.watch.metrics import STEP
from hushpoll_server.web import headers
from hushpoll_server.web.current import current
from hushpoll_shared.errors import InvalidValue

blueprint = Blueprint("sharing", __name__)

SCOPE_NAMES = {
    "figures": "figures",
    "reports": "figures and randomized reports",
}


@blueprint.get("/surveys/<name>/share")
@signed_in
def share(name: str) -> ResponseReturnValue:
    """Show who else can read a survey, with the forms that change it."""
    return _page(name)


@blueprint.post("/surveys/<name>/share")
@signed_in
def make_link(name: str) -> ResponseReturnValue:
    """Make a link and show its address, this once."""
    forms.check_token(session_secret() or "")
    survey = current(SurveyService).get(name)
    try:
        secret = current(ShareService).make(survey.name, read_link(request.form), g.researcher)
    except InvalidValue as error:
        return _page(name, problem=str(error)), 400
    return _page(name, address=(headers.server_url() or "") + url_for("sharing.ask_to_open", token=secret))


@blueprint.post("/surveys/<name>/share/withdraw")
@signed_in
def withdraw(name: str) -> ResponseReturnValue:
    """End a link."""
    forms.check_token(session_secret() or "")
    current(ShareService).withdraw(current(SurveyService).get(name).name, request.form.get("name", ""))
    return redirect(url_for("sharing.share", name=name), 303)


@blueprint.post("/surveys/<name>/share/results")
@signed_in
def switch_results(name: str) -> ResponseReturnValue:
    """Make the results of a survey public, or end that."""
    forms.check_token(session_secret() or "")
    survey, results = current(SurveyService).get(name), current(PublicResultsService)
    switch = results.switch_on if request.form.get("public") else results.switch_off
    try:
        switch(survey)
    except TooManyCounters as error:
        return _page(name, problem=str(error)), 400
    return redirect(url_for("sharing.share", name=name), 303)


@blueprint.get("/shared/<token>")
def ask_to_open(token: str) -> ResponseReturnValue:
    """Show what a link opens and until when, with the button that does it."""
    link = current(ShareService).find(token)
    if link is None:
        return access.link_over()
    headers.use(headers.RESEARCHER_PAGE)
    title = current(SurveyService).manifest(link.survey).title
    return render_template("sharing/open.html", link=link, title=title)


@blueprint.post("/shared/<token>")
def open_survey(token: str) -> ResponseReturnValue:
    """Let the browser read the survey of a link, and go to its dashboard."""
    link = current(ShareService).find(token)
    if link is None:
        return access.link_over()
    headers.use(headers.RESEARCHER_PAGE)
    dashboard = redirect(url_for("dashboard.dashboard", name=link.survey), 303)
    return access.remember(make_response(dashboard), link, token)


def _page(name: str, *, address: str = "", problem: str = "") -> str:
    headers.use(headers.RESEARCHER_PAGE)
    survey = current(SurveyService).get(name)
    return render_template(
        "sharing/share.html",
        survey=survey,
        links=current(ShareService).list(survey.name),
        scopes=SCOPE_NAMES,
        address=address,
        problem=problem,
        filled=request.form if "name" in request.form and problem else {"days": DEFAULT_DAYS},
        most_days=MOST_DAYS,
        is_public=current(PublicResultsService).is_on(survey.name),
        step=STEP,
    )
