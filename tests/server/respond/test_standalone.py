"""The form as one file, and the release that makes it without a server."""

from __future__ import annotations

import base64
import hashlib
import re
from html import unescape

import pytest
from flask.testing import FlaskClient
from tests.samples.presented import presented
from tests.samples.surveys import KEY, two_questions

from hushpoll_server.respond.release import Release, survey_of
from hushpoll_server.services import Services
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared.errors import InvalidValue, ManifestRefused
from hushpoll_shared.signing import sign

SERVER = "http://localhost"
REPORTS = "http://localhost/api/v1/surveys/campus/reports"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Nothing here depends on the engine: one is enough."""
    return sqlite_url


def policy_of(document: str) -> list[str]:
    """Return the directives in a file."""
    [policy] = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', document)
    return unescape(policy).split("; ")


def hash_of(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@pytest.fixture
def survey(services: Services) -> PublishedSurvey:
    return services.surveys.publish(two_questions(), KEY, from_disk=True)


def test_a_survey_that_takes_no_reports_from_a_disk_hands_out_no_file(client: FlaskClient, services: Services) -> None:
    services.surveys.publish(two_questions(), KEY)
    response = client.get("/s/campus/page.html")
    assert (response.status_code, "Content-Disposition" in response.headers) == (403, False)
    assert "This survey is not answered from a file" in response.text
    assert "page.html" not in client.get("/s/campus/privacy").text


def test_the_file_is_offered_for_download_under_the_name_of_the_survey(
    client: FlaskClient, survey: PublishedSurvey
) -> None:
    response = client.get("/s/campus/page.html")
    assert (response.status_code, response.mimetype) == (200, "text/html")
    assert response.headers["Content-Disposition"] == 'attachment; filename="campus.html"'
    # Opened at the server's own address, it runs nothing.
    assert "script-src" not in response.headers["Content-Security-Policy"]


def test_its_policy_allows_exactly_its_script_its_style_and_the_report_address(
    client: FlaskClient, survey: PublishedSurvey
) -> None:
    document = client.get("/s/campus/page.html").text
    [script] = re.findall(r'<script type="module">(.*?)</script>', document, re.DOTALL)
    [style] = re.findall(r"<style>(.*?)</style>", document, re.DOTALL)
    assert policy_of(document) == [
        "default-src 'none'",
        f"script-src {hash_of(script)}",
        f"style-src {hash_of(style)}",
        f"connect-src {REPORTS}",
        "form-action 'none'",
        "base-uri 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
    assert document.index("http-equiv") < document.index("<style>") < document.index("<script")
    assert script == client.get("/js/form.js").text
    assert style == client.get("/static/hushpoll.css", buffered=True).text


def test_it_names_no_other_file(client: FlaskClient, survey: PublishedSurvey) -> None:
    document = client.get("/s/campus/page.html").text
    page = re.sub(r"<(script|style|template)\b.*?</\1>", "", document, flags=re.DOTALL)
    assert re.findall(r'(?:src|href)="([^"]*)"', page) == ["#main", "http://localhost/s/campus/privacy"]
    assert "<link" not in page


def test_an_install_of_ones_own_makes_the_same_pages_byte_for_byte(client: FlaskClient, services: Services) -> None:
    manifest = presented(hosts=("https://example.org",))
    services.surveys.publish(manifest, KEY, from_disk=True)
    envelope = client.get("/api/v1/surveys/presented/manifest").data
    release, survey = Release(SERVER), survey_of(envelope)
    assert release.file(survey).encode() == client.get("/s/presented/page.html").data
    for end, made in (("", release.form(survey)), ("/embed", release.embedded(survey))):
        response = client.get(f"/s/presented{end}")
        assert made.encode() == response.data
        assert release.policy(survey, embedded=bool(end)) == response.headers["Content-Security-Policy"]


def test_a_server_below_a_path_is_no_different(client: FlaskClient, survey: PublishedSurvey) -> None:
    response = client.get("/s/campus", base_url="http://localhost/polls")
    assert Release("http://localhost/polls").form(survey).encode() == response.data
    assert 'src="/polls/js/form.js"' in response.text


def test_a_survey_that_was_changed_after_signing_is_not_made_into_a_page() -> None:
    envelope = sign(two_questions(), KEY)
    with pytest.raises(ManifestRefused):
        survey_of(envelope.replace(b'"signature":"', b'"signature":"A'))


@pytest.mark.parametrize(
    "address",
    ["", "polls.example.org", "http://polls.example.org", "ftp://localhost", "https://a;b", "https://a/b c", "https://a?b",
     "https://a/'*'", "https://user@a", "https://"],
)  # fmt: skip
def test_an_address_that_is_not_safe_or_could_change_the_policy_is_refused(address: str) -> None:
    with pytest.raises(InvalidValue, match="the server's address must"):
        Release(address)


@pytest.mark.parametrize(
    "address", ["https://polls.example.org", "https://example.org/polls", "http://127.0.0.1:8000", "http://[::1]:8000"]
)
def test_https_is_taken_and_http_on_this_machine(address: str) -> None:
    assert Release(address).server == address
