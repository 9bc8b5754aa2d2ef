"""Public pages travel packed, researchers' pages never do."""

from __future__ import annotations

import gzip

import pytest
from flask import Flask
from flask.testing import FlaskClient
from tests.samples.surveys import KEY, two_questions

from hushpoll_server.web.compression import PUBLIC

PACKED = {"Accept-Encoding": "gzip, br"}


@pytest.fixture
def survey(app: Flask) -> None:
    app.extensions["hushpoll"].surveys.publish(two_questions(hosts=("https://example.org",)), KEY, from_disk=True)


@pytest.mark.usefixtures("survey")
@pytest.mark.parametrize(
    "path",
    ["/s/campus", "/s/campus/embed", "/s/campus/privacy", "/s/campus/page.html", "/static/hushpoll.css"],
)
def test_a_public_page_is_packed_for_whom_can_unpack_it(client: FlaskClient, path: str) -> None:
    plain, packed = client.get(path, buffered=True), client.get(path, headers=PACKED, buffered=True)
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert len(packed.data) < len(plain.data) / 2
    assert packed.content_length == len(packed.data)
    assert "Accept-Encoding" in plain.headers["Vary"]
    assert "Accept-Encoding" in packed.headers["Vary"]


@pytest.mark.usefixtures("survey")
@pytest.mark.parametrize("path", ["/", "/surveys", "/surveys/campus", "/s/unknown", "/api/v1/surveys/campus/manifest"])
def test_nothing_else_is_packed(client: FlaskClient, path: str) -> None:
    assert "Content-Encoding" not in client.get(path, headers=PACKED).headers


def test_a_packed_style_is_not_sent_again_while_it_is_the_same(client: FlaskClient) -> None:
    tag = client.get("/static/hushpoll.css", headers=PACKED, buffered=True).headers["ETag"]
    again = client.get("/static/hushpoll.css", headers={**PACKED, "If-None-Match": tag}, buffered=True)
    assert (again.status_code, again.data) == (304, b"")


def test_every_name_on_the_list_is_a_page(app: Flask) -> None:
    assert set(app.view_functions) >= PUBLIC


@pytest.mark.usefixtures("survey")
def test_asking_for_the_same_page_again_and_again_packs_it_once(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    packings: list[int] = []
    compress = gzip.compress

    def counted(data: bytes, level: int, *, mtime: int) -> bytes:
        packings.append(len(data))
        return compress(data, level, mtime=mtime)

    monkeypatch.setattr(gzip, "compress", counted)
    pages = {client.get("/s/campus", headers=PACKED).data for _ in range(3)}
    assert (len(pages), len(packings)) == (1, 1)
