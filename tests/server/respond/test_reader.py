"""What the server writes is in its reader's language: the label, a survey without a form, and errors."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from flask.testing import FlaskClient
from sqlalchemy.exc import OperationalError
from tests.samples.surveys import KEY, two_questions
from tests.server.words.test_languages import in_four_languages

from hushpoll_server.services import Services
from hushpoll_server.words import moment
from hushpoll_shared.words import interface, known

every_language = pytest.mark.parametrize("tag", known())


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Nothing here depends on the engine: one is enough."""
    return sqlite_url


def accept(languages: str) -> dict[str, str]:
    return {"Accept-Language": languages}


def start_of(tag: str) -> str:
    return f'<html lang="{tag}" dir="{interface(tag)["direction"]}">'


@pytest.mark.parametrize(
    ("query", "accepted", "shown"),
    [
        ("", "", "en"),
        ("", "fr", "fr"),
        ("", "fr-CH, fr;q=0.9", "fr"),
        ("", "ar-EG, en-GB;q=0.5", "ar"),
        ("", "de, fr;q=0.3, ar;q=0.8", "ar"),
        ("", "de", "en"),
        ("", "fr;q=0, ar;q=0.1", "ar"),
        ("?lang=ar", "fr", "ar"),
        ("?lang=de", "fr", "fr"),
        ("", "<script>, ;;q=x", "en"),
    ],
)
def test_the_label_is_in_the_first_language_of_the_reader_that_the_survey_has(
    client: FlaskClient, services: Services, query: str, accepted: str, shown: str
) -> None:
    services.surveys.publish(in_four_languages(), KEY)
    response = client.get(f"/s/campus/privacy{query}", headers=accept(accepted))
    assert start_of(shown) in response.text
    assert "Accept-Language" in response.vary


def test_the_form_is_the_same_whatever_the_browser_prefers(client: FlaskClient, services: Services) -> None:
    services.surveys.publish(in_four_languages(), KEY)
    pages = [client.get("/s/campus", headers=accept(tag)) for tag in ("en", "ar", "fr")]
    assert len({page.data for page in pages}) == 1
    assert not any("Accept-Language" in page.vary for page in pages)


@pytest.mark.parametrize(("path", "tag"), [("", "fr"), ("/embed", "fr"), ("/page.html", "fr"), ("?lang=ar", "ar")])
def test_a_closed_survey_says_so_in_its_readers_language(
    client: FlaskClient, services: Services, path: str, tag: str
) -> None:
    services.surveys.publish(in_four_languages(), KEY)
    services.surveys.close("campus")
    page = client.get(f"/s/campus{path}", headers=accept("fr")).text
    assert start_of(tag) in page
    assert f"<h1>{interface(tag)['closed']}</h1>" in page
    assert in_four_languages().translations[tag].title in page
    assert f'href="/s/campus/privacy?lang={tag}"' in page
    # The same page in another language.
    assert f'href="/s/campus{path.partition("?")[0]}?lang=pt"' in page


def test_a_survey_that_opens_later_says_when_in_its_readers_language(client: FlaskClient, services: Services) -> None:
    opens = datetime(2026, 11, 17, 9, tzinfo=UTC)
    translations = in_four_languages().translations
    services.surveys.publish(two_questions(language="en-GB", opens=opens, translations=translations), KEY)
    pages = {tag: client.get("/s/campus", headers=accept(tag)).text for tag in ("fr", "ar")}
    assert ">17 novembre 2026 à 09:00 UTC</time>" in pages["fr"]
    assert moment(interface("ar"), opens) in pages["ar"]


@every_language
@pytest.mark.parametrize("path", ["/s/nowhere", "/s/nowhere/embed", "/s/nowhere/page.html", "/s/nowhere/privacy"])
def test_an_unknown_survey_is_told_in_the_readers_language(client: FlaskClient, path: str, tag: str) -> None:
    response = client.get(path, headers=accept(tag))
    assert (response.status_code, start_of(tag) in response.text) == (404, True)
    assert f"<h1>{interface(tag)['no_survey']}</h1>" in response.text


@every_language
def test_an_unknown_page_is_told_in_the_readers_language(client: FlaskClient, tag: str) -> None:
    expect_problem(client, "/nope", tag, 404, "not-found")
    assert start_of(tag) in client.get(f"/nope?lang={tag}").text


@every_language
def test_a_server_that_fails_says_so_in_the_readers_language(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, tag: str
) -> None:
    failures = {
        503: ("try-later", OperationalError("SELECT", {}, Exception("the disk is full"))),
        500: ("unexpected", RuntimeError("a fault of our own")),
    }
    for status, (name, failure) in failures.items():

        def fail(*_: object, failure: Exception = failure) -> None:
            raise failure

        monkeypatch.setattr("hushpoll_server.surveys.service.SurveyService.get", fail)
        expect_problem(client, "/s/campus", tag, status, name)


def expect_problem(client: FlaskClient, path: str, tag: str, status: int, name: str) -> None:
    response = client.get(path, headers=accept(tag))
    title, text = interface(tag)["problems"][name]
    assert (response.status_code, start_of(tag) in response.text) == (status, True)
    assert f"<h1>{title}</h1>" in response.text
    assert f"<p>{text}</p>" in response.text


def test_what_only_researchers_and_programs_meet_is_in_english_and_says_so(client: FlaskClient) -> None:
    response = client.post("/s/campus", headers=accept("ar"))
    assert response.status_code == 405
    assert start_of("en") in response.text
    assert "The Allow header lists the methods that it accepts." in response.text


def test_an_epsilon_has_the_decimal_mark_of_the_page(client: FlaskClient, services: Services) -> None:
    services.surveys.publish(in_four_languages(), KEY)
    marks = {tag: f"ε&nbsp;=&nbsp;1{interface(tag)['decimal']}10" for tag in ("en", "fr", "ar")}
    pages = {tag: client.get(f"/s/campus/privacy?lang={tag}").text for tag in marks}
    assert [marks[tag] in page for tag, page in pages.items()] == [True] * 3
    assert marks["fr"] not in pages["en"]
