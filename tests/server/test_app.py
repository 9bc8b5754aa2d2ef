"""Every response of the app carries the security headers."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from hushpoll_server.surveys.service import PublishedSurvey


def test_the_first_page_says_where_to_go(client: FlaskClient) -> None:
    page = client.get("/").text
    assert "Open the address in your invitation" in page
    assert 'href="/surveys"' in page


@pytest.mark.parametrize(
    "path",
    ["/", "/nope", "/api/nope", "/s/campus", "/s/campus/privacy", "/surveys", "/healthz", "/static/hushpoll.css"],
)
def test_every_answer_has_a_policy_that_starts_from_nothing(
    client: FlaskClient, survey: PublishedSurvey, path: str
) -> None:
    with client.get(path) as response:
        headers = response.headers
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "require-trusted-types-for 'script'" in policy
    assert "unsafe" not in policy
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("path", ["/s/campus", "/s/campus/privacy", "/api/v1/surveys/campus/manifest"])
def test_respondents_get_no_cookie(client: FlaskClient, survey: PublishedSurvey, path: str) -> None:
    assert "Set-Cookie" not in client.get(path).headers


@pytest.mark.parametrize(("path", "kind"), [("/nope", "text/html"), ("/api/nope", "application/problem+json")])
def test_an_unknown_address_is_answered_in_the_callers_language(client: FlaskClient, path: str, kind: str) -> None:
    response = client.get(path)
    assert (response.status_code, response.mimetype) == (404, kind)
