"""The headers of every response."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask.testing import FlaskClient
from markupsafe import escape
from tests.samples.surveys import KEY, two_questions

from hushpoll_server.app import create_app
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_server.surveys.service import PublishedSurvey

POLICY = "Content-Security-Policy"
LOCKED = (
    "default-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
)
NOTHING_TRUSTED, ONLY_THE_WORKER = "trusted-types 'none'", "trusted-types worker"
PATHS = ("/s/campus", "/s/campus/privacy", "/s/campus/embed", "/s/campus/page.html", "/s/nowhere", "/nowhere",
         "/js/form.js", "/js/dashboard/main.js", "/s/worker.js", "/static/hushpoll.css", "/healthz", "/surveys",
         "/api/v1/surveys/campus/manifest", "/api/nowhere")  # fmt: skip


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Nothing here depends on the engine: one is enough."""
    return sqlite_url


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_is_locked_down(client: FlaskClient, survey: PublishedSurvey, path: str) -> None:
    headers = client.get(path, buffered=True).headers
    directives = headers[POLICY].split("; ")
    assert {*LOCKED, ONLY_THE_WORKER if path == "/s/campus" else NOTHING_TRUSTED} <= set(directives)
    assert not [directive for directive in directives if "unsafe" in directive or "*" in directive]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cross-Origin-Opener-Policy"] == headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "Strict-Transport-Security" not in headers


def test_the_page_holds_its_policy_but_for_what_only_a_header_can_say(
    client: FlaskClient, survey: PublishedSurvey
) -> None:
    response = client.get("/s/campus")
    within = response.headers[POLICY].replace("frame-ancestors 'none'; ", "")
    assert f'<meta http-equiv="Content-Security-Policy" content="{escape(within)}">' in response.text


def test_the_form_may_connect_to_its_report_address_only(client: FlaskClient, survey: PublishedSurvey) -> None:
    directives = client.get("/s/campus", base_url="http://127.0.0.1:8000").headers[POLICY].split("; ")
    assert set(directives) == {
        *LOCKED,
        ONLY_THE_WORKER,
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "form-action 'none'",
        "connect-src http://127.0.0.1:8000/api/v1/surveys/campus/reports",
    }


def test_only_the_hosts_that_the_signed_survey_names_may_show_it_and_only_in_its_frame(
    client: FlaskClient, services: Services
) -> None:
    hosts = ("https://example.org", "http://localhost:8080")
    services.surveys.publish(two_questions(hosts=hosts), KEY)
    own, framed = (client.get(f"/s/campus{end}").headers for end in ("", "/embed"))
    assert "frame-ancestors 'none'" in own[POLICY].split("; ")
    assert "frame-ancestors https://example.org http://localhost:8080" in framed[POLICY].split("; ")
    # Everything else is as for the form.
    policy = framed[POLICY].replace(" ".join(hosts), "'none'")
    different = dict(framed) | {POLICY: policy, "Content-Length": own["Content-Length"]}
    assert different == dict(own)


def test_the_element_and_nothing_else_may_be_loaded_by_other_pages(
    client: FlaskClient, survey: PublishedSurvey
) -> None:
    headers = client.get("/js/hushpoll-survey.js").headers
    assert headers["Access-Control-Allow-Origin"] == "*"
    assert headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert headers[POLICY].startswith("default-src 'none'; form-action 'none'")
    for path in PATHS:
        if not path.startswith("/api/v1/"):
            assert "Access-Control-Allow-Origin" not in client.get(path, buffered=True).headers


@pytest.mark.parametrize("path", ["/s/campus", "/s/campus/privacy", "/s/nowhere"])
def test_no_copy_of_a_respondents_page_is_kept(client: FlaskClient, survey: PublishedSurvey, path: str) -> None:
    assert client.get(path).headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("host", ["evil.test", "127.0.0.1.evil.test", "localhost.", "[::2]", "10.0.0.1"])
@pytest.mark.parametrize("path", ["/s/campus", "/s/campus/page.html", "/s/campus/privacy"])
def test_without_a_public_address_a_foreign_host_reaches_neither_policy_nor_page(
    client: FlaskClient, services: Services, host: str, path: str
) -> None:
    services.surveys.publish(two_questions(), KEY, from_disk=True)
    response = client.get(path, headers={"Host": host})
    assert response.status_code == 400
    assert host not in str(response.headers) + response.text


@pytest.mark.parametrize("host", ["evil.test; script-src *", "a b", "x'y", "a,b", "user@host", "host/path", "[::1", ""])
def test_a_host_that_is_none_never_reaches_the_policy(client: FlaskClient, survey: PublishedSurvey, host: str) -> None:
    response = client.get("/s/campus", headers={"Host": host})
    if host:
        assert response.status_code == 400
        assert host not in response.headers[POLICY]
    assert "*" not in response.headers[POLICY]


def test_with_a_public_address_that_one_is_used_and_https_is_demanded(tmp_path: Path) -> None:
    app = create_app(Settings(home=tmp_path, public_url="https://polls.example.org"))
    instance: Services = app.extensions["hushpoll"]
    instance.surveys.publish(two_questions(), KEY)
    response = app.test_client().get("/s/campus", headers={"Host": "evil.test; script-src *"})
    instance.close()
    assert "connect-src https://polls.example.org/api/v1/surveys/campus/reports;" in response.headers[POLICY]
    assert response.headers["Strict-Transport-Security"] == "max-age=63072000"
