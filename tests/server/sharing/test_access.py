"""Who may open what: every page under /surveys, and everything else, with every kind of cookie."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient
from tests.samples.surveys import KEY, two_questions
from tests.server.researchers.sign_in import sign_in
from tests.server.sharing.links import COOKIE, make_secret, open_link
from werkzeug.routing import Rule

from hushpoll_server.services import Services
from hushpoll_server.sharing.access import may_read
from hushpoll_server.surveys.service import PublishedSurvey

# Every page under /surveys, and the least that opens it. A new page is named here, or a test fails.
OPENED_BY = {
    "dashboard.survey_list": "researchers",
    "dashboard.dashboard": "figures",
    "dashboard.chart": "figures",
    "compare.page": "figures",
    "cross.page": "figures",
    "regression.page": "figures",
    "report.report": "figures",
    "card_files.chart": "figures",
    "card_files.figures": "figures",
    "explored_files.compared": "figures",
    "explored_files.compare_chart": "figures",
    "explored_files.crossed": "figures",
    "explored_files.cross_chart": "figures",
    "explored_files.regressed": "figures",
    "downloads.page": "figures",
    # Files of reports need more: see below.
    "downloads.download": "figures",
    "sharing.share": "researchers",
}
# What each part of an address is in these tests.
PARTS = {"name": "campus", "token": "x", "filename": "hushpoll.css", "module": "main"} | {
    "card": "cheated",
    "extension": "csv",
    "file": "estimates.csv",
    "place": "1",
}
CLOSED = {401, 410}
OPENS = {
    "nobody": set[str](),
    "a link to another survey": set[str](),
    "a withdrawn link": set[str](),
    "figures": {"figures"},
    "reports": {"figures", "reports"},
    "researcher": {"figures", "reports", "researchers"},
}

Visit = Callable[[FlaskClient], FlaskClient]


def path_of(rule: Rule) -> str:
    """Return an address of a route."""
    return re.sub(r"<(?:[^<>]*:)?(\w+)>", lambda part: PARTS[part[1]], rule.rule)


def pages(app: Flask) -> list[Rule]:
    """Return the routes under /surveys that can be opened."""
    return [
        rule for rule in app.url_map.iter_rules() if rule.rule.startswith("/surveys") and "GET" in (rule.methods or ())
    ]


@pytest.fixture
def visitor(request: pytest.FixtureRequest, client: FlaskClient, services: Services) -> FlaskClient:
    """Return a browser of this kind of visitor."""
    kind = request.param
    if kind == "researcher":
        return sign_in(client, services)
    if kind == "a link to another survey":
        services.surveys.publish(two_questions(survey="other"), KEY)
        # A cookie that the browser would not send here, sent by hand.
        client.set_cookie(COOKIE, make_secret(services, "other", scope="reports"))
    elif kind == "a withdrawn link":
        client.set_cookie(COOKIE, make_secret(services, scope="reports"))
        services.shares.withdraw("campus", "Committee")
    elif kind != "nobody":
        open_link(client, make_secret(services, scope=kind))
    return client


def test_every_page_of_a_survey_is_named_with_who_may_open_it(app: Flask) -> None:
    assert {rule.endpoint for rule in pages(app)} == OPENED_BY.keys()


@pytest.mark.usefixtures("survey")
@pytest.mark.parametrize(("visitor", "kind"), [(kind, kind) for kind in OPENS], indirect=["visitor"])
def test_a_page_opens_for_whom_it_is_and_for_nobody_else(app: Flask, visitor: FlaskClient, kind: str) -> None:
    statuses = {rule.endpoint: visitor.get(path_of(rule)).status_code for rule in pages(app)}
    # A link over is told once: the first page deletes its cookie, which was not sent by hand to the others.
    opened = {endpoint for endpoint, status in statuses.items() if status not in CLOSED}
    assert opened == {endpoint for endpoint, least in OPENED_BY.items() if least in OPENS[kind]}
    # Some files need to be told which question they are about.
    assert {statuses[endpoint] for endpoint in opened} <= {200, 400}


@pytest.mark.usefixtures("survey")
@pytest.mark.parametrize(("visitor", "kind"), [(kind, kind) for kind in OPENS], indirect=["visitor"])
@pytest.mark.parametrize("file", ["reports.csv", "reports.ndjson", "reports.parquet", "figures.R", "figures.ipynb"])
def test_files_of_reports_open_for_links_to_reports_only(visitor: FlaskClient, kind: str, file: str) -> None:
    response = visitor.get(f"/surveys/campus/download/{file}")
    response.close()
    assert (response.status_code == 200) == ("reports" in OPENS[kind])
    page = visitor.get("/surveys/campus/download").text
    assert (f"/download/{file}" in page) == ("reports" in OPENS[kind])


@pytest.mark.usefixtures("survey")
@pytest.mark.parametrize(("visitor", "kind"), [(kind, kind) for kind in OPENS], indirect=["visitor"])
def test_the_guard_of_reports_opens_for_links_to_reports_only(app: Flask, visitor: FlaskClient, kind: str) -> None:
    app.view_functions["dashboard.chart"] = may_read("reports")(lambda **_: "reports")
    assert (visitor.get("/surveys/campus/chart.svg").text == "reports") == ("reports" in OPENS[kind])


@pytest.mark.usefixtures("survey")
def test_a_link_changes_nothing_anywhere_else(app: Flask, services: Services) -> None:
    secret = make_secret(services, scope="reports")
    nobody, holder = app.test_client(), app.test_client()
    compared = 0
    for rule in app.url_map.iter_rules():
        for method in sorted(rule.methods or ()):
            if OPENED_BY.get(rule.endpoint) in ("figures", "reports"):
                continue
            # Signing out, for example, may delete cookies.
            holder.set_cookie(COOKIE, secret)
            without, got = (each.open(path_of(rule), method=method, buffered=True) for each in (nobody, holder))
            assert (got.status_code, got.data) == (without.status_code, without.data), (method, rule.rule)
            compared += 1
    assert compared > 40
    assert services.shares.find(secret)


def test_the_cookie_goes_to_the_pages_of_its_survey_only(
    client: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    client.post(f"/shared/{make_secret(services)}")
    cookie = client.get_cookie(COOKIE, path="/surveys/campus")
    assert cookie is not None
    assert (cookie.http_only, cookie.same_site, cookie.path) == (True, "Strict", "/surveys/campus")
    # From noon to the midnight after the thirtieth day.
    assert cookie.max_age == 30.5 * 24 * 3600
    services.surveys.publish(two_questions(survey="campus2"), KEY)
    assert client.get("/surveys/campus").status_code == 200
    assert client.get("/surveys/campus2").status_code == 401
    assert client.get("/surveys").status_code == 401


def test_a_survey_that_does_not_exist_looks_the_same_to_whoever_has_a_link(
    client: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    services.surveys.publish(two_questions(survey="other"), KEY)
    secret = make_secret(services)
    for path in ("/surveys/other", "/surveys/no-such-survey"):
        client.set_cookie(COOKIE, secret)
        assert client.get(path).status_code == 410
    assert client.get("/surveys/other").text == client.get("/surveys/no-such-survey").text.replace(
        "no-such-survey", "other"
    )


def test_a_link_that_is_over_is_told_once_and_then_the_way_to_sign_in(
    client: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    open_link(client, make_secret(services))
    services.shares.withdraw("campus", "Committee")
    assert "This link does not work" in client.get("/surveys/campus").text
    assert "Sign in to see this page" in client.get("/surveys/campus").text
