"""Sign-in, sign-out and the guards, through the real app."""

from __future__ import annotations

import logging
import re
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient

from hushpoll_server.services import Services
from hushpoll_server.surveys.service import PublishedSurvey

EMAIL = "ada@example.org"
GUARDED = ["/surveys", "/surveys/campus", "/surveys/campus/chart.svg", "/surveys/no-such-survey"]


@pytest.fixture
def link(services: Services) -> str:
    services.researchers.add(EMAIL)
    return f"/sign-in/{services.researchers.new_link(EMAIL)}"


def test_a_link_signs_in_and_leads_to_the_surveys(client: FlaskClient, link: str) -> None:
    answer = client.get(link)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/surveys")
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cache-Control"] == "no-store"
    assert client.get("/surveys").status_code == 200


def test_the_cookie_is_kept_from_scripts_and_other_sites(client: FlaskClient, link: str) -> None:
    cookie = client.get(link).headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert EMAIL not in cookie


def test_a_link_that_was_used_says_how_to_get_another(client: FlaskClient, app: Flask, link: str) -> None:
    client.get(link)
    answer = app.test_client().get(link)
    assert answer.status_code == 410
    assert "hushpoll researcher link EMAIL" in answer.text
    assert link not in answer.text


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Purpose": "prefetch"},
        {"Sec-Purpose": "prefetch;prerender"},
        {"Purpose": "prefetch"},
        {"X-Moz": "prefetch"},
    ],
)
def test_a_prefetch_does_not_spend_the_link(client: FlaskClient, link: str, headers: dict[str, str]) -> None:
    assert client.get(link, headers=headers).status_code == 503
    assert client.get(link).status_code == 303


def test_a_head_request_does_not_spend_the_link(client: FlaskClient, link: str) -> None:
    assert client.head(link).status_code == 204
    assert client.get(link).status_code == 303


def test_signing_in_keeps_nothing_of_an_earlier_session(client: FlaskClient, link: str) -> None:
    with client.session_transaction() as session:
        session["planted"] = "by somebody else"
    client.get(link)
    with client.session_transaction() as session:
        assert "planted" not in session


@pytest.mark.parametrize("path", GUARDED)
def test_a_page_without_a_session_says_how_to_sign_in_and_where_to_go_on(
    client: FlaskClient, survey: PublishedSurvey, path: str
) -> None:
    answer = client.get(path)
    assert answer.status_code == 401
    assert "Location" not in answer.headers
    assert f'<a class="button" href="{path}">Continue</a>' in answer.text
    assert survey.manifest.title not in answer.text


def test_a_removed_researcher_is_out_at_once(client: FlaskClient, services: Services, link: str) -> None:
    client.get(link)
    services.researchers.remove(EMAIL)
    assert client.get("/surveys").status_code == 401


def test_a_forged_cookie_opens_nothing(client: FlaskClient, services: Services) -> None:
    researcher = services.researchers.add(EMAIL)
    client.set_cookie("hushpoll", f"eyJyZXNlYXJjaGVyIjoi{researcher.id}In0.aaaaaa.aaaaaaaaaaaaaaaaaaaaaaaaaaa")
    assert client.get("/surveys").status_code == 401


def test_signing_out_needs_the_forms_token(client: FlaskClient, link: str) -> None:
    client.get(link)
    assert client.post("/sign-out").status_code == 400
    assert client.get("/surveys").status_code == 200


def test_signing_out_ends_the_session(client: FlaskClient, link: str) -> None:
    client.get(link)
    token = re.search(r'name="csrf_token" value="([^"]+)"', client.get("/surveys").text)
    assert token is not None
    assert client.post("/sign-out", data={"csrf_token": token[1]}).status_code == 200
    assert client.get("/surveys").status_code == 401


def test_the_links_secret_is_in_no_log_line(client: FlaskClient, link: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    client.get(link)
    client.get(link)
    assert link.removeprefix("/sign-in/") not in caplog.text


def test_a_session_ends_after_twelve_hours(app: Flask) -> None:
    assert app.permanent_session_lifetime == timedelta(hours=12)
