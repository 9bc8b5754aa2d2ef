"""The respondent's pages as the server sends them."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser

import pytest
from flask.testing import FlaskClient
from tests.samples.every_type import every_type
from tests.samples.presented import presented
from tests.samples.surveys import KEY, two_questions

from hushpoll_server.respond import page
from hushpoll_server.respond.bundle import form_script
from hushpoll_server.respond.page import element_script
from hushpoll_server.services import Services
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared.signing import verify
from hushpoll_shared.words import interface

HOSTILE = "</script><script>alert(1)</script>"
HOSTS = ("https://example.org", "http://localhost:8080")


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Nothing here depends on the engine: one is enough."""
    return sqlite_url


class Reader(HTMLParser):
    """Collects what could run, be sent or be styled inline in a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.blocks: dict[str, str] = {}
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        name = self.tags[-1][1].get("id") if self.tags and self.tags[-1][0] == "script" else None
        if name:
            self.blocks[name] = self.blocks.get(name, "") + data


def test_the_form_carries_the_signed_survey_and_writes_only_its_title(
    client: FlaskClient, survey: PublishedSurvey
) -> None:
    page = client.get("/s/campus").text
    manifest = verify(Reader(page).blocks["envelope"].strip().encode(), survey.key)
    assert manifest == survey.manifest
    assert f"<title>{survey.manifest.title}</title>" in page
    assert survey.manifest.questions[0].text not in page


def test_the_form_has_no_inline_code_no_form_and_no_foreign_address(
    client: FlaskClient, survey: PublishedSurvey
) -> None:
    page = client.get("/s/campus").text
    # Templates that the script clones do nothing by themselves.
    assert "<input" not in re.sub(r"<template.*?</template>", "", page, flags=re.DOTALL)
    for tag, attributes in Reader(page).tags:
        assert tag not in {"form", "style", "iframe"}
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        assert tag != "script" or attributes.get("src") or attributes.get("type") == "application/json"
        assert (attributes.get("src") or attributes.get("href") or "/").startswith(("/", "#"))


def test_a_hostile_title_cannot_leave_its_place(client: FlaskClient, services: Services) -> None:
    services.surveys.publish(two_questions(survey="hostile", title=HOSTILE, consent=HOSTILE), KEY)
    for path in ("/s/hostile", "/s/hostile/privacy"):
        assert HOSTILE not in client.get(path).text


def test_an_unknown_survey_is_a_page_that_says_so(client: FlaskClient) -> None:
    for path in ("/s/nowhere", "/s/nowhere/privacy", "/s/%3Cb%3E"):
        response = client.get(path)
        assert (response.status_code, response.mimetype) == (404, "text/html")
        assert "There is no such survey here" in response.text
        assert "<b>" not in response.text


def test_a_closed_survey_shows_no_form(client: FlaskClient, services: Services, survey: PublishedSurvey) -> None:
    services.surveys.close(survey.name)
    response = client.get("/s/campus")
    assert response.status_code == 403
    assert "This survey is closed" in response.text
    assert "<script" not in response.text
    assert client.get("/s/campus/privacy").status_code == 200


def test_a_survey_that_opens_later_says_when(client: FlaskClient, services: Services) -> None:
    opens = datetime(2026, 11, 17, 9, tzinfo=UTC)
    services.surveys.publish(two_questions(survey="later", opens=opens, closes=opens + timedelta(days=1)), KEY)
    response = client.get("/s/later")
    assert response.status_code == 403
    assert "17 November 2026 at 09:00 UTC" in response.text


SCRIPTS = {"/js/form.js": form_script, "/js/hushpoll-survey.js": element_script}
every_script = pytest.mark.parametrize("path", SCRIPTS)


@every_script
def test_a_script_is_handed_out_and_asked_for_again_each_time(client: FlaskClient, path: str) -> None:
    response = client.get(path)
    assert (response.status_code, response.mimetype) == (200, "text/javascript")
    assert response.data == SCRIPTS[path]().plain
    assert response.headers["Cache-Control"] == "no-cache"
    again = client.get(path, headers={"If-None-Match": response.headers["ETag"]})
    assert again.status_code == 304


@every_script
def test_a_browser_that_unpacks_gzip_gets_the_same_script_in_fewer_bytes(client: FlaskClient, path: str) -> None:
    plain = client.get(path)
    packed = client.get(path, headers={"Accept-Encoding": "br, gzip"})
    assert (packed.status_code, packed.headers["Content-Encoding"]) == (200, "gzip")
    assert gzip.decompress(packed.data) == plain.data
    assert packed.content_length == len(packed.data) < len(plain.data)
    assert "Content-Encoding" not in plain.headers
    assert plain.headers["Vary"] == packed.headers["Vary"] == "Accept-Encoding"


def test_each_encoding_of_a_script_has_its_own_tag(client: FlaskClient) -> None:
    for encoding, other in (("gzip", "identity"), ("identity", "gzip"), ("gzip;q=0", "gzip")):
        tag = client.get("/js/form.js", headers={"Accept-Encoding": encoding}).headers["ETag"]
        for accepted, status in ((encoding, 304), (other, 200)):
            again = client.get("/js/form.js", headers={"Accept-Encoding": accepted, "If-None-Match": tag})
            assert again.status_code == status
            assert again.headers["Vary"] == "Accept-Encoding"


def test_the_page_loads_one_script_and_demands_its_hash(client: FlaskClient, survey: PublishedSurvey) -> None:
    tags = Reader(client.get("/s/campus").text).tags
    [script] = [attributes for tag, attributes in tags if tag == "script" and attributes["type"] == "module"]
    found = hashlib.sha256(client.get(script["src"] or "").data).digest()
    assert script == {
        "type": "module",
        "src": "/js/form.js",
        "integrity": f"sha256-{base64.b64encode(found).decode()}",
    }
    assert not [attributes for tag, attributes in tags if attributes.get("rel") == "modulepreload"]


@pytest.mark.parametrize("path", ["form/main.js", "src/index.js", "package.json", "embed/hushpoll-survey.js", ""])
def test_nothing_else_of_the_folder_is_handed_out(client: FlaskClient, path: str) -> None:
    assert client.get(f"/js/{path}").status_code == 404


def test_the_form_carries_its_words_in_every_language_of_the_survey(client: FlaskClient, services: Services) -> None:
    services.surveys.publish(presented(), KEY)
    page = client.get("/s/presented").text
    assert '<html lang="en" dir="ltr">' in page
    words = json.loads(Reader(page).blocks["words"])
    assert list(words) == ["en", "ar", "de"]
    assert interface("en")["loading"] in page


def test_a_survey_in_a_script_from_right_to_left_begins_so(client: FlaskClient, services: Services) -> None:
    services.surveys.publish(two_questions(survey="arabic", language="ar"), KEY)
    page = client.get("/s/arabic").text
    assert '<html lang="ar" dir="rtl">' in page
    assert interface("ar")["loading"] in page


def test_the_form_for_other_pages_differs_in_its_marks_and_in_where_links_open(
    client: FlaskClient, services: Services
) -> None:
    services.surveys.publish(two_questions(survey="framed", hosts=HOSTS), KEY)
    own, framed = (client.get(f"/s/framed{end}").text for end in ("", "/embed"))
    [policy] = re.findall(r'\n  <meta http-equiv="Content-Security-Policy" content="[^"]*">', own)
    # Only the form alone has a worker, and its policy in itself for the copy that the worker keeps.
    changed = framed.replace('\n  <base target="_blank">', policy)
    for mark, own_mark in (
        (" data-embedded", ' data-worker="/s/worker.js"'),
        ('class="narrow embedded"', 'class="narrow"'),
    ):
        changed = changed.replace(mark, own_mark)
    assert changed == own != framed


def test_a_survey_that_names_no_host_is_not_shown_in_other_pages(client: FlaskClient, survey: PublishedSurvey) -> None:
    response = client.get("/s/campus/embed")
    assert response.status_code == 403
    assert "No other page may show this survey" in response.text
    assert "<script" not in response.text


@pytest.mark.parametrize("end", ["/embed", "/page.html"])
def test_no_other_way_leads_to_a_form_that_is_closed(
    client: FlaskClient, services: Services, survey: PublishedSurvey, end: str
) -> None:
    assert client.get(f"/s/nowhere{end}").status_code == 404
    services.surveys.close(survey.name)
    response = client.get(f"/s/campus{end}")
    assert (response.status_code, response.mimetype) == (403, "text/html")
    assert "Content-Disposition" not in response.headers
    assert "This survey is closed" in response.text


def test_the_label_is_there_for_programs_with_exact_numbers(client: FlaskClient, survey: PublishedSurvey) -> None:
    for response in (
        client.get("/s/campus/privacy?format=json"),
        client.get("/s/campus/privacy", headers={"Accept": "application/json"}),
    ):
        label = json.loads(response.data)
        assert (label["manifest"], label["key"]) == (survey.manifest.id, survey.key)
        assert label["epsilon"] == str(survey.manifest.epsilon)
        assert label["questions"][0]["odds"] == "3:1"
        assert label["questions"][0]["times_in_100"] == 75


def test_the_label_of_every_type_tells_programs_what_is_sent(client: FlaskClient, services: Services) -> None:
    manifest = services.surveys.publish(every_type(), KEY).manifest
    label = json.loads(client.get("/s/all/privacy?format=json").data)
    assert (label["ask"], label["panel"], label["epsilon"]) == (None, "students", str(manifest.epsilon))
    told = {question["id"]: question for question in label["questions"]}
    assert [question["type"] for question in told.values()] == [question.type.NAME for question in manifest.questions]
    assert (told["town"]["mechanism"], told["town"]["times_in_100"]) == ("projective", 58)
    assert told["ways"]["sent"] == "for each of the 7 options, 1 for a tick or 0 for none, or - if it was left out."
    without = [name for name, question in told.items() if question["times_in_100"] is None]
    assert without == ["stress", "hours", "income", "mood"]


def test_the_label_names_the_odds_the_key_and_what_is_not_hidden(client: FlaskClient, survey: PublishedSurvey) -> None:
    page = client.get("/s/campus/privacy").text
    for words in (
        "Your device sends your real answer 75 times in 100, the other one 25 times.",
        "a browser cannot prove",
        survey.key,
        survey.manifest.id,
        "/api/v1/surveys/campus/manifest",
        "1.0986122886681096914",
    ):
        assert words in page


def test_no_page_uses_a_word_that_promises_too_much(client: FlaskClient, services: Services) -> None:
    services.surveys.publish(every_type(), KEY)
    texts = [client.get(path).text for path in ("/s/all", "/s/all/privacy")]
    for word in ("anonym", "guarantee", "military", " lie ", " lies ", "fake", "noise"):
        assert not any(word in text.lower() for text in texts), word


def test_asking_for_the_same_form_again_and_again_makes_it_once(
    client: FlaskClient, survey: PublishedSurvey, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    make = page.form

    def counted(survey: PublishedSurvey, server: str, *, embedded: bool = False) -> str:
        made.append(server)
        return make(survey, server, embedded=embedded)

    monkeypatch.setattr(page, "form", counted)
    assert len({client.get(f"/s/{survey.name}").data for _ in range(3)}) == 1
    assert len(made) == 1
    # At another address the page names another one.
    assert client.get(f"/s/{survey.name}", base_url="http://127.0.0.1:8000").status_code == 200
    assert len(made) == 2


def test_the_form_and_the_label_lead_to_the_lab(client: FlaskClient, survey: PublishedSurvey) -> None:
    assert 'hreflang="en" href="/lab" data-word="lab"' in client.get("/s/campus").text
    label = client.get("/s/campus/privacy").text
    assert '<a hreflang="en" href="/lab">Watch answers being attacked, on invented people</a>' in label
