"""Sign-in, sign-out and the guards, through the real app."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier

import pytest
from flask import Flask
from flask.testing import FlaskClient
from itsdangerous import URLSafeTimedSerializer
from tests.server.clock import Clock
from tests.server.researchers.sign_in import EMAIL, make_link, sign_in
from werkzeug.test import TestResponse

from hushpoll_server.app import create_app
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_server.store.secrets import new_secret
from hushpoll_server.surveys.service import PublishedSurvey

GUARDED = ["/surveys", "/surveys/campus", "/surveys/campus/chart.svg", "/surveys/no-such-survey"]
NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
COOKIE, COOKIE_BEHIND_TLS = "hushpoll", "__Host-hushpoll"
PUBLIC_URL = "https://polls.example.org"
CROSS_SITE = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
    {"Origin": "https://evil.example"},
    {"Origin": "http://localhost.evil.example"},
    {"Origin": "https://localhost"},
    {"Origin": "http://localhost:8001"},
    {"Origin": "null"},
    {"Origin": ""},
]
Request = Callable[[FlaskClient, str], TestResponse]
SCANNERS: dict[str, Request] = {
    "a mail scanner": lambda client, link: client.get(link),
    "a HEAD request": lambda client, link: client.head(link),
    "an OPTIONS request": lambda client, link: client.options(link),
    "a prefetch": lambda client, link: client.get(link, headers={"Sec-Purpose": "prefetch"}),
    "a prerender": lambda client, link: client.get(link, headers={"Sec-Purpose": "prefetch;prerender"}),
    "a preview": lambda client, link: client.get(link, headers={"User-Agent": "Slackbot-LinkExpanding 1.0"}),
}


@pytest.fixture
def link(services: Services) -> str:
    return make_link(services)


@pytest.fixture
def public(settings: Settings, clock: Clock) -> Iterator[Flask]:
    """Open an instance whose public address is https."""
    app = create_app(settings.model_copy(update={"public_url": PUBLIC_URL}), clock=clock)
    yield app
    app.extensions["hushpoll"].close()


def cookie_of(client: FlaskClient) -> str:
    """Return the secret that a signed-in browser holds."""
    cookie = client.get_cookie(COOKIE)
    assert cookie is not None
    return cookie.value


def thief_of(app: Flask, client: FlaskClient) -> FlaskClient:
    """Return another browser with a copy of the cookie."""
    thief = app.test_client()
    thief.set_cookie(COOKIE, cookie_of(client))
    assert thief.get("/surveys").status_code == 200
    return thief


def form_token(client: FlaskClient) -> dict[str, str]:
    """Return the hidden field of the forms."""
    [token, *_] = re.findall(r'name="csrf_token" value="([^"]+)"', client.get("/surveys").text)
    return {"csrf_token": token}


def test_the_button_signs_in_and_leads_to_the_surveys(client: FlaskClient, link: str) -> None:
    assert '<form method="post">' in client.get(link).text
    answer = client.post(link)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/surveys")
    assert client.get("/surveys").status_code == 200


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_the_links_secret_leaves_by_no_referrer_cache_or_page(client: FlaskClient, link: str, method: str) -> None:
    answer = client.open(link, method=method)
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cache-Control"] == "no-store"
    assert link.removeprefix("/sign-in/") not in answer.text


@pytest.mark.parametrize("scanner", SCANNERS)
def test_whatever_opens_a_link_leaves_it_whole_and_holds_no_session(
    app: Flask, client: FlaskClient, link: str, scanner: str
) -> None:
    other = app.test_client()
    for _ in range(3):
        answer = SCANNERS[scanner](other, link)
        assert answer.status_code == 200
        assert "Set-Cookie" not in answer.headers
    assert other.get("/surveys").status_code == 401
    assert client.post(link).status_code == 303
    assert client.get("/surveys").status_code == 200


def test_of_two_browsers_that_race_for_a_link_one_is_signed_in(app: Flask, link: str) -> None:
    browsers, together = [app.test_client() for _ in range(8)], Barrier(8)

    def press(browser: FlaskClient) -> int:
        together.wait()
        return browser.post(link).status_code

    with ThreadPoolExecutor(8) as pool:
        statuses = sorted(pool.map(press, browsers))
    assert statuses == [303, *[410] * 7]
    assert sorted(browser.get("/surveys").status_code for browser in browsers) == [200, *[401] * 7]


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_link_that_was_used_says_how_to_get_another(client: FlaskClient, app: Flask, link: str, method: str) -> None:
    client.post(link)
    answer = app.test_client().open(link, method=method)
    assert answer.status_code == 410
    assert "Set-Cookie" not in answer.headers
    assert "hushpoll researcher link EMAIL" in answer.text
    assert link not in answer.text


@pytest.mark.parametrize("headers", CROSS_SITE, ids=str)
def test_another_site_cannot_sign_a_browser_in_with_a_link_of_its_own(
    client: FlaskClient, link: str, headers: dict[str, str]
) -> None:
    answer = client.post(link, headers=headers)
    assert answer.status_code == 400
    assert "Set-Cookie" not in answer.headers
    # Nor was the link used up.
    assert client.post(link).status_code == 303


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "null"},
        {"Origin": "http://localhost"},
        {},
    ],
    ids=str,
)
def test_our_own_page_signs_in_whatever_its_browser_tells(
    client: FlaskClient, link: str, headers: dict[str, str]
) -> None:
    assert client.post(link, headers=headers).status_code == 303


def test_the_public_address_is_the_origin_that_counts(public: Flask) -> None:
    link, client = make_link(public.extensions["hushpoll"]), public.test_client()
    assert client.post(link, headers={"Origin": "http://localhost"}).status_code == 400
    assert client.post(link, headers={"Origin": PUBLIC_URL}).status_code == 303


def test_every_address_that_changes_something_is_closed_to_other_sites(app: Flask, client: FlaskClient) -> None:
    changing = [
        (rule.rule.replace("<token>", "x"), method)
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"GET", "HEAD", "OPTIONS"}
        if not rule.rule.startswith("/api/")
    ]
    assert len(changing) >= 3
    for path, method in changing:
        assert client.open(path, method=method, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 400


def test_a_copied_cookie_is_refused_after_the_sign_out(app: Flask, client: FlaskClient, services: Services) -> None:
    thief = thief_of(app, sign_in(client, services))
    assert client.post("/sign-out", data=form_token(client)).status_code == 200
    assert client.get("/surveys").status_code == 401
    assert thief.get("/surveys").status_code == 401


def test_a_copied_cookie_that_is_used_every_minute_is_refused_after_twelve_hours(
    app: Flask, client: FlaskClient, services: Services, clock: Clock
) -> None:
    thief = thief_of(app, sign_in(client, services))
    for minute in range(0, 12 * 60, 10):
        clock.now = NOON + timedelta(minutes=minute)
        answer = thief.get("/surveys")
        assert answer.status_code == 200
        assert "Set-Cookie" not in answer.headers
    clock.now = NOON + timedelta(hours=12)
    assert thief.get("/surveys").status_code == 401


def test_signing_out_everywhere_ends_the_session_of_the_other_browser(
    app: Flask, client: FlaskClient, services: Services
) -> None:
    other = sign_in(app.test_client(), services)
    sign_in(client, services)
    unused = make_link(services)
    answer = client.post("/sign-out/everywhere", data=form_token(client))
    assert "You are signed out everywhere" in answer.text
    assert other.get("/surveys").status_code == 401
    assert client.get("/surveys").status_code == 401
    assert app.test_client().post(unused).status_code == 410


def test_signing_out_leaves_other_browsers_and_other_researchers_alone(
    app: Flask, client: FlaskClient, services: Services
) -> None:
    other, grace = sign_in(app.test_client(), services), sign_in(app.test_client(), services, "grace@example.org")
    sign_in(client, services)
    client.post("/sign-out", data=form_token(client))
    assert other.get("/surveys").status_code == 200
    other.post("/sign-out/everywhere", data=form_token(other))
    assert grace.get("/surveys").status_code == 200


def test_a_session_holds_and_ends_on_every_node_of_a_database(
    app: Flask, client: FlaskClient, services: Services, settings: Settings, clock: Clock, tmp_path: Path
) -> None:
    sign_in(client, services)
    node = create_app(settings.model_copy(update={"home": tmp_path / "node"}), clock=clock)
    there = thief_of(node, client)
    there.post("/sign-out", data=form_token(there))
    assert client.get("/surveys").status_code == 401
    node.extensions["hushpoll"].close()


def test_a_planted_cookie_is_not_adopted_by_the_sign_in(app: Flask, client: FlaskClient, link: str) -> None:
    planted, attacker = new_secret(), app.test_client()
    for browser in (client, attacker):
        browser.set_cookie(COOKIE, planted)
    client.post(link)
    assert cookie_of(client) != planted
    assert client.get("/surveys").status_code == 200
    assert attacker.get("/surveys").status_code == 401


def test_a_session_that_an_attacker_planted_does_not_become_the_victims(
    app: Flask, client: FlaskClient, services: Services, link: str
) -> None:
    attacker = sign_in(app.test_client(), services, "mallory@example.org")
    client.set_cookie(COOKIE, cookie_of(attacker))
    client.post(link)
    assert EMAIL in client.get("/surveys").text
    assert EMAIL not in attacker.get("/surveys").text


def test_behind_tls_the_cookie_is_one_that_no_neighbour_can_plant(public: Flask) -> None:
    services, client = public.extensions["hushpoll"], public.test_client()
    answer = client.post(make_link(services), base_url=PUBLIC_URL)
    name, _, rest = answer.headers["Set-Cookie"].partition("=")
    _, *flags = rest.split("; ")
    assert name == COOKIE_BEHIND_TLS
    assert {"Secure", "HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"} <= set(flags)
    assert not any(flag.startswith("Domain") for flag in flags)
    assert client.get("/surveys", base_url=PUBLIC_URL).status_code == 200


def test_behind_tls_a_cookie_of_the_plain_name_opens_nothing(public: Flask) -> None:
    client, other = public.test_client(), public.test_client()
    client.post(make_link(public.extensions["hushpoll"]), base_url=PUBLIC_URL)
    cookie = client.get_cookie(COOKIE_BEHIND_TLS, domain="polls.example.org")
    assert cookie is not None
    other.set_cookie(COOKIE, cookie.value, domain="polls.example.org")
    assert other.get("/surveys", base_url=PUBLIC_URL).status_code == 401


def test_the_cookie_is_kept_from_scripts_and_other_sites(client: FlaskClient, link: str) -> None:
    cookie = client.post(link).headers["Set-Cookie"]
    assert cookie.startswith(f"{COOKIE}=")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
    assert EMAIL not in cookie


@pytest.mark.parametrize("path", GUARDED)
def test_a_page_without_a_session_says_how_to_sign_in_and_where_to_go_on(
    client: FlaskClient, survey: PublishedSurvey, path: str
) -> None:
    answer = client.get(path)
    assert answer.status_code == 401
    assert "Location" not in answer.headers
    assert f'<a class="button" href="{path}">Continue</a>' in answer.text
    assert survey.manifest.title not in answer.text


def test_a_removed_researcher_is_out_at_once(client: FlaskClient, services: Services) -> None:
    sign_in(client, services)
    services.researchers.remove(EMAIL)
    assert client.get("/surveys").status_code == 401


def test_a_signed_cookie_of_an_earlier_version_opens_nothing(
    client: FlaskClient, services: Services, settings: Settings
) -> None:
    researcher, key = services.researchers.add(EMAIL), b"k" * 32
    settings.home.mkdir(exist_ok=True)
    (settings.home / "session-key").write_bytes(key)
    signed = URLSafeTimedSerializer(key, salt="cookie-session").dumps({"researcher": researcher.id})
    for value in (signed, researcher.id, researcher.email):
        client.set_cookie(COOKIE, str(value))
        assert client.get("/surveys").status_code == 401


@pytest.mark.parametrize("path", ["/sign-out", "/sign-out/everywhere"])
@pytest.mark.parametrize("token", [None, "", "x", "0" * 64, "\udcff", "of another session"])
def test_signing_out_needs_the_token_of_this_sessions_forms(
    app: Flask, client: FlaskClient, services: Services, path: str, token: str | None
) -> None:
    sign_in(client, services)
    if token == "of another session":
        token = form_token(sign_in(app.test_client(), services))["csrf_token"]
    body = {} if token is None else {"csrf_token": token.encode("utf-8", "surrogateescape")}
    answer = client.post(path, data=body)
    assert (answer.status_code, "Set-Cookie" in answer.headers) == (400, False)
    assert client.get("/surveys").status_code == 200


@pytest.mark.parametrize("path", ["/sign-out", "/sign-out/everywhere"])
def test_another_site_cannot_sign_anybody_out(client: FlaskClient, services: Services, path: str) -> None:
    sign_in(client, services)
    for headers in CROSS_SITE:
        answer = client.post(path, data=form_token(client), headers=headers)
        assert (answer.status_code, "Set-Cookie" in answer.headers) == (400, False)
    assert client.get("/surveys").status_code == 200


def test_signing_out_twice_is_no_error(client: FlaskClient, services: Services) -> None:
    token = form_token(sign_in(client, services))
    assert [client.post("/sign-out", data=token).status_code for _ in range(2)] == [200, 200]


def test_no_secret_of_a_sign_in_is_in_a_log_line(
    client: FlaskClient, link: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    client.get(link)
    client.post(link)
    secret = cookie_of(client)
    client.post(link)
    client.get("/surveys")
    assert link.removeprefix("/sign-in/") not in caplog.text
    assert secret not in caplog.text
