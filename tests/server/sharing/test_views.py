"""The page that shares a survey, and the page of a link, through the real app."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from tests.server.clock import Clock
from tests.server.dashboard.grouped_surveys import publish_campus
from tests.server.researchers.sign_in import EMAIL, sign_in
from tests.server.researchers.test_views import CROSS_SITE, SCANNERS, form_token
from tests.server.sharing.links import COOKIE, make_secret, open_link

from hushpoll_server.app import create_app
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_server.sharing import public_results
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared.manifest import Manifest

PAGE = "/surveys/campus/share"
LINK = {"name": "Committee", "scope": "figures", "days": "30"}


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Use SQLite: what the engines do is in tests/server/sharing/test_service.py."""
    return sqlite_url


@pytest.fixture
def manifest(services: Services) -> Manifest:
    """Publish a survey with groups and reports."""
    return publish_campus(services)


@pytest.fixture
def researcher(client: FlaskClient, services: Services, manifest: Manifest) -> FlaskClient:
    """Return a researcher's browser."""
    return sign_in(client, services)


@pytest.fixture
def guest(app: Flask, services: Services, manifest: Manifest) -> FlaskClient:
    """Return a browser that opened a link."""
    return open_link(app.test_client(), make_secret(services))


def address_in(page: str) -> str:
    """Return the path of the link that a page shows."""
    [address] = re.findall(r"<pre>http://localhost(/shared/[\w-]{43})</pre>", page)
    return str(address)


def test_a_researcher_makes_a_link_and_sees_its_address_once(app: Flask, researcher: FlaskClient) -> None:
    made = researcher.post(PAGE, data={**form_token(researcher), **LINK})
    assert made.status_code == 200
    address = address_in(made.text)
    again = researcher.get(PAGE).text
    assert "/shared/" not in again
    for words in ("Committee", "16 December 2026", EMAIL):
        assert words in again
    guest = app.test_client()
    opened = guest.get(address).text
    assert "Campus integrity" in opened
    assert "16 December 2026" in opened
    answer = guest.post(address)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/surveys/campus")
    assert guest.get("/surveys/campus").status_code == 200


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"name": " "}, "A link needs a name"),
        ({"name": "x" * 65}, "A link needs a name"),
        ({"days": "0"}, "A link works for 1 to 365 days"),
        ({"days": "366"}, "A link works for 1 to 365 days"),
        ({"days": "1e2"}, "A link works for 1 to 365 days"),
        ({"days": "9" * 5000}, "A link works for 1 to 365 days"),
        ({"days": "٣"}, "A link works for 1 to 365 days"),
        ({"scope": "everything"}, "A link opens figures, or figures and reports"),
        ({"scope": ""}, "A link opens figures, or figures and reports"),
    ],
)
def test_a_link_that_cannot_be_is_refused_in_a_sentence(
    researcher: FlaskClient, services: Services, changes: dict[str, str], sentence: str
) -> None:
    answer = researcher.post(PAGE, data={**form_token(researcher), **LINK, **changes})
    assert answer.status_code == 400
    assert sentence in answer.text
    assert services.shares.list("campus") == ()


def test_a_name_is_shown_as_a_name(researcher: FlaskClient) -> None:
    name = "<script>alert(1)</script>"
    page = researcher.post(PAGE, data={**form_token(researcher), **LINK, "name": name}).text
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_withdrawing_ends_what_others_have_open(researcher: FlaskClient, guest: FlaskClient) -> None:
    token = form_token(researcher)
    answer = researcher.post(f"{PAGE}/withdraw", data={**token, "name": "Committee"})
    assert (answer.status_code, answer.headers["Location"]) == (303, PAGE)
    assert guest.get("/surveys/campus").status_code == 410
    assert "No link works now." in researcher.get(PAGE).text


def test_what_others_have_open_ends_by_the_clock(guest: FlaskClient, clock: Clock) -> None:
    clock.now += timedelta(days=30)
    assert guest.get("/surveys/campus").status_code == 200
    clock.now += timedelta(hours=12)
    assert guest.get("/surveys/campus").status_code == 410


def test_what_others_have_open_ends_with_the_researcher_who_made_it(guest: FlaskClient, services: Services) -> None:
    services.researchers.remove(EMAIL)
    assert guest.get("/surveys/campus").status_code == 410


@pytest.mark.parametrize("path", ["", "/report", "/compare", "/cross", "/regression", "?group=arts", "?group=middle"])
def test_a_guest_reads_and_is_told_until_when(guest: FlaskClient, path: str) -> None:
    page = guest.get(f"/surveys/campus{path}").text
    assert "Shared with you until 16 December 2026: read only" in page
    for missing in ('href="/surveys"', "Sign out", "Signed in as", "/share", 'method="post"', EMAIL):
        assert missing not in page


@pytest.mark.parametrize("path", [PAGE, f"{PAGE}/withdraw", f"{PAGE}/results"])
@pytest.mark.parametrize("fields", [{}, LINK, {"public": "1"}])
def test_a_guest_shares_nothing(guest: FlaskClient, services: Services, path: str, fields: dict[str, str]) -> None:
    assert guest.post(path, data=fields).status_code == 401
    assert len(services.shares.list("campus")) == 1
    assert not services.public_results.is_on("campus")


@pytest.mark.parametrize("path", [PAGE, f"{PAGE}/withdraw", f"{PAGE}/results"])
def test_a_form_without_the_sessions_token_changes_nothing(
    researcher: FlaskClient, services: Services, path: str
) -> None:
    secret = make_secret(services)
    for token in ({}, {"csrf_token": "0" * 64}):
        assert researcher.post(path, data={**token, **LINK, "public": "1"}).status_code == 400
    assert services.shares.find(secret)
    assert not services.public_results.is_on("campus")


@pytest.mark.parametrize("path", [PAGE, "/surveys/no-such-survey/share"])
def test_sharing_is_for_researchers(client: FlaskClient, survey: PublishedSurvey, path: str) -> None:
    assert client.get(path).status_code == 401
    assert client.post(path, data=LINK).status_code == 401


def test_a_survey_that_does_not_exist_cannot_be_shared(researcher: FlaskClient) -> None:
    token = form_token(researcher)
    assert researcher.get("/surveys/nothing/share").status_code == 404
    for path in ("share", "share/withdraw", "share/results"):
        assert researcher.post(f"/surveys/nothing/{path}", data={**token, **LINK}).status_code == 404


def test_a_survey_that_is_too_large_for_public_results_is_told_so(
    researcher: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(public_results, "LARGEST_COUNTS", 10)
    answer = researcher.post(f"{PAGE}/results", data={**form_token(researcher), "public": "1"})
    assert answer.status_code == 400
    assert "too many counters for public results" in answer.text


@pytest.mark.parametrize("scanner", SCANNERS)
def test_whatever_only_fetches_a_link_gets_no_cookie(
    client: FlaskClient, services: Services, survey: PublishedSurvey, scanner: str
) -> None:
    answer = SCANNERS[scanner](client, f"/shared/{make_secret(services)}")
    assert answer.status_code == 200
    assert "Set-Cookie" not in answer.headers
    assert client.get("/surveys/campus").status_code == 401


@pytest.mark.parametrize("headers", CROSS_SITE)
def test_a_page_elsewhere_opens_nothing_in_somebodys_browser(
    client: FlaskClient, services: Services, survey: PublishedSurvey, headers: dict[str, str]
) -> None:
    answer = client.post(f"/shared/{make_secret(services)}", headers=headers)
    assert answer.status_code == 400
    assert "Set-Cookie" not in answer.headers


def test_a_link_can_be_opened_by_several_people(app: Flask, services: Services, survey: PublishedSurvey) -> None:
    secret = make_secret(services)
    for _ in range(3):
        assert open_link(app.test_client(), secret).get("/surveys/campus").status_code == 200


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_links_that_never_were_are_withdrawn_or_expired_get_the_same_page(
    client: FlaskClient, services: Services, survey: PublishedSurvey, clock: Clock, method: str
) -> None:
    expired, withdrawn = make_secret(services, name="a", days=1), make_secret(services, name="b")
    services.shares.withdraw("campus", "b")
    clock.now += timedelta(days=2)
    answers = [client.open(f"/shared/{secret}", method=method) for secret in (expired, withdrawn, "x", "%00", "é")]
    assert {answer.status_code for answer in answers} == {410}
    assert len({answer.text for answer in answers}) == 1
    assert all("Set-Cookie" not in answer.headers for answer in answers)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_the_secret_leaves_by_no_referrer_cache_page_or_line(
    client: FlaskClient, services: Services, survey: PublishedSurvey, caplog: pytest.LogCaptureFixture, method: str
) -> None:
    secret = make_secret(services)
    with caplog.at_level(logging.DEBUG):
        answer = client.open(f"/shared/{secret}", method=method)
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cache-Control"] == "no-store"
    assert secret not in answer.text
    assert secret not in caplog.text


@pytest.fixture
def public(settings: Settings, clock: Clock) -> Iterator[Flask]:
    """Open an instance whose public address is https."""
    app = create_app(settings.model_copy(update={"public_url": "https://polls.example.org"}), clock=clock)
    yield app
    app.extensions["hushpoll"].close()


def test_behind_tls_the_cookie_is_one_that_only_tls_can_set(public: Flask) -> None:
    services = public.extensions["hushpoll"]
    publish_campus(services)
    cookie = public.test_client().post(f"/shared/{make_secret(services)}").headers["Set-Cookie"]
    assert cookie.startswith(f"__Secure-{COOKIE}=")
    for flag in ("Secure", "HttpOnly", "SameSite=Strict", "Path=/surveys/campus"):
        assert f"; {flag}" in cookie
    assert "Domain" not in cookie


def test_a_researcher_who_opens_a_link_stays_a_researcher(researcher: FlaskClient, services: Services) -> None:
    page = open_link(researcher, make_secret(services)).get("/surveys/campus").text
    assert "Sign out" in page
    assert "Shared with you" not in page
