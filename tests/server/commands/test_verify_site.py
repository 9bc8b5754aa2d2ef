"""hushpoll verify-site and hushpoll survey page: what a server sends, compared with this release."""

from __future__ import annotations

import gzip
import hashlib
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import Result
from tests.running.web import serve_app
from tests.samples.surveys import KEY, two_questions
from werkzeug.test import run_wsgi_app

from hushpoll_server.app import create_app
from hushpoll_server.commands.verify_site import LARGEST_RESPONSE, fetch
from hushpoll_server.respond.release import files
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

pytestmark = pytest.mark.loopback

Command = Callable[..., Result]
Ask = Callable[..., Any]
Change = tuple[bytes, bytes]
Serve = Callable[..., str]

COMPARED = [
    "/js/form.js",
    "/s/worker.js",
    "/static/hushpoll.css",
    "/js/hushpoll-survey.js",
    "/api/v1/surveys/campus/manifest",
    "/s/campus",
    "/s/campus, content-security-policy",
    "/s/campus, other headers",
    "/s/campus/embed",
    "/s/campus/embed, content-security-policy",
    "/s/campus/embed, other headers",
    "/s/campus/page.html",
]


@contextmanager
def served(app: WSGIApplication) -> Iterator[str]:
    with serve_app(app) as port:
        yield f"http://127.0.0.1:{port}"


def tampered(app: WSGIApplication, path: str, body: Change | None, header: tuple[str, str] | None) -> WSGIApplication:
    """Change what the real app sends at one path: bytes of the body, or a header."""

    def changing(environ: WSGIEnvironment, start_response: StartResponse) -> Any:
        if environ["PATH_INFO"] != path:
            return app(environ, start_response)
        # Compressed bytes cannot be found.
        environ["HTTP_ACCEPT_ENCODING"] = "identity"
        parts, status, headers = run_wsgi_app(app, environ, buffered=True)
        sent = b"".join(parts)
        if body:
            assert sent.count(body[0])
            sent = sent.replace(*body, 1)
        headers.update([header] if header else [])
        headers["Content-Length"] = str(len(sent))
        start_response(status, list(headers))
        return [sent]

    return changing


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Serve]:
    """Serve the real app, honest or with one thing changed."""
    app = create_app(Settings(home=tmp_path / "site"))
    app.extensions["hushpoll"].surveys.publish(two_questions(hosts=("https://example.org",)), KEY, from_disk=True)
    opened: list[Any] = []

    def serve(path: str = "", body: Change | None = None, header: tuple[str, str] | None = None) -> str:
        opened.append(served(tampered(app, path, body, header)))
        return str(opened[-1].__enter__())

    yield serve
    for server in opened:
        server.__exit__(None, None, None)
    app.extensions["hushpoll"].close()


def test_an_honest_server_sends_what_the_release_makes(hushpoll: Command, site: Serve) -> None:
    result = hushpoll("verify-site", site(), "--survey", "campus")
    assert (result.exit_code, result.stderr) == (0, "")
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["same"] * len(COMPARED)
    assert f"/api/v1/surveys/campus/manifest  campus, signed by {KEY.public}\n" in result.stdout


def test_everything_that_was_compared_is_told_to_programs(ask: Ask, site: Serve) -> None:
    address = site()
    told = ask("verify-site", f"{address}/", "--survey", "campus")
    assert told["server"] == address
    assert [finding["what"] for finding in told["findings"]] == COMPARED
    assert all(finding["same"] and finding["expected"] == finding["found"] for finding in told["findings"])


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/js/form.js", (b"threshold", b"thresholt")),
        ("/s/worker.js", (b"survey", b"surwey")),
        ("/static/hushpoll.css", (b"{", b"{ ")),
        ("/js/hushpoll-survey.js", (b"allow-scripts", b"allow-forms allow-scripts")),
        ("/s/campus", (b"Checking who signed", b"Checking that signed")),
        ("/s/campus/embed", (b"</head>", b"<script src=//evil.test></script></head>")),
        ("/s/campus/page.html", (b"connect-src http", b"connect-src * http")),
    ],
)
def test_one_changed_place_is_named_with_both_hashes_and_its_meaning(
    hushpoll: Command, site: Serve, path: str, body: Change
) -> None:
    address = site(path, body)
    result = hushpoll("verify-site", address, "--survey", "campus", "--json")
    assert result.exit_code == 1
    [finding] = [finding for finding in json.loads(result.stdout)["findings"] if not finding["same"]]
    assert finding["what"] == path
    assert len(finding["expected"]) == len(finding["found"]) == 64
    assert "do not answer there before you know why" in finding["meaning"]
    assert result.stderr.strip().endswith(path)


def test_a_changed_policy_is_named_although_the_page_is_the_same(hushpoll: Command, site: Serve) -> None:
    loose = ("Content-Security-Policy", "default-src *")
    result = hushpoll("verify-site", site("/s/campus", header=loose), "--survey", "campus")
    assert result.exit_code == 1
    assert "DIFFERENT  /s/campus, content-security-policy\n           expected default-src 'none'" in result.stdout
    assert "found    default-src *" in result.stdout
    assert result.stdout.count("DIFFERENT") == 1


@pytest.mark.parametrize(
    "header",
    [
        ("Refresh", "5; url=https://example.org/looks-the-same"),
        ("Link", "</static/other.css>; rel=stylesheet"),
        ("Set-Cookie", "person=17"),
        ("Content-Type", "text/html; charset=iso-2022-jp"),
    ],
)
def test_a_header_that_steers_the_browser_is_named_although_the_page_is_the_same(
    hushpoll: Command, site: Serve, header: tuple[str, str]
) -> None:
    result = hushpoll("verify-site", site("/s/campus", header=header), "--survey", "campus")
    assert result.exit_code == 1
    assert (
        "DIFFERENT  /s/campus, other headers\n           expected content-type: text/html; charset=utf-8"
        in result.stdout
    )
    assert f"{header[0].lower()}: {header[1]}" in result.stdout
    assert result.stdout.count("DIFFERENT") == 1


def test_a_survey_whose_signature_does_not_hold_is_named(hushpoll: Command, site: Serve) -> None:
    path = "/api/v1/surveys/campus/manifest"
    result = hushpoll("verify-site", site(path, (b'"payload":"e', b'"payload":"f')), "--survey", "campus")
    assert result.exit_code == 1
    assert f"DIFFERENT  {path}" in result.stdout
    assert "no page of it was compared" in result.stdout


def test_a_survey_that_is_not_there_is_named(hushpoll: Command, site: Serve) -> None:
    result = hushpoll("verify-site", site(), "--survey", "nowhere")
    assert result.exit_code == 1
    assert "DIFFERENT  /api/v1/surveys/nowhere/manifest" in result.stdout
    assert "found    status 404" in result.stdout


def test_a_survey_without_a_form_cannot_be_the_same(hushpoll: Command, site: Serve, tmp_path: Path) -> None:
    address = site()
    services = Services(Settings(home=tmp_path / "site"))
    services.surveys.close("campus")
    services.close()
    result = hushpoll("verify-site", address, "--survey", "campus")
    assert result.exit_code == 1
    assert "found    status 403" in result.stdout
    assert "the survey is not open" in result.stdout


def test_a_server_that_drips_is_given_up(hushpoll: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def dripping(_environ: WSGIEnvironment, start_response: StartResponse) -> Iterator[bytes]:
        start_response("200 OK", [("Content-Length", "100")])
        for _ in range(100):
            time.sleep(0.02)
            yield b"x"

    monkeypatch.setattr("hushpoll_server.commands.verify_site.LONGEST_SECONDS", 0.2)
    with served(dripping) as address:
        result = hushpoll("verify-site", address)
    assert result.exit_code == 1
    assert "takes too long" in result.stderr


def test_a_server_that_does_not_answer_is_one_sentence(hushpoll: Command) -> None:
    result = hushpoll("verify-site", "http://127.0.0.1:9")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("http://127.0.0.1:9/js/form.js sent no response")


@pytest.mark.parametrize(
    "words",
    [
        ["http://polls.example.org"],
        ["polls.example.org"],
        [],
        ["--hashes", "https://polls.example.org"],
        ["--hashes", "--survey", "campus"],
        ["https://polls.example.org", "--survey", "../x"],
    ],
)
def test_a_wrong_call_is_told_from_a_difference(hushpoll: Command, words: list[str]) -> None:
    assert hushpoll("verify-site", *words).exit_code == 2


def test_the_released_hashes_are_those_of_the_files(hushpoll: Command, ask: Ask) -> None:
    lines = hushpoll("verify-site", "--hashes").stdout.splitlines()
    assert lines == [f"{hashlib.sha256(code.plain).hexdigest()}  {path}" for path, code in files().items()]
    told = ask("verify-site", "--hashes")["files"]
    assert told["/js/form.js"]["integrity"] == files()["/js/form.js"].integrity


def test_the_file_made_here_is_the_one_that_the_server_offers(
    hushpoll: Command, manifest_file: Path, survey_file: Path, tmp_path: Path
) -> None:
    server, out = "https://polls.example.org", tmp_path / "form.html"
    assert hushpoll("survey", "page", "--manifest", manifest_file, "--server", server, "--out", out).exit_code == 0
    made = out.read_bytes()
    with survey_file.open("a", encoding="utf-8") as file:
        file.write("from_disk: true\n")
    assert hushpoll("survey", "publish", survey_file).exit_code == 0
    assert hushpoll("survey", "page", "campus", "--server", f"{server}/", "--out", out).exit_code == 0
    assert out.read_bytes() == made
    app = create_app(Settings(home=tmp_path / "home", public_url=server))
    assert app.test_client().get("/s/campus/page.html").data == made
    app.extensions["hushpoll"].close()


def test_a_file_needs_a_survey_and_a_server(hushpoll: Command, manifest_file: Path) -> None:
    both = ("--manifest", manifest_file, "--out", "form.html")
    assert hushpoll("survey", "page", *both).exit_code == 2
    assert hushpoll("survey", "page", *both, "--server", "http://polls.example.org").exit_code == 2
    assert hushpoll("survey", "page", "campus", *both, "--server", "https://polls.example.org").exit_code == 2
    result = hushpoll("survey", "page", "nowhere", "--server", "https://polls.example.org", "--out", "form.html")
    assert result.exit_code == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"<!doctype html><title>Hello</title>", "it contains no signed survey"),
        (b"{}", "neither a page of Hushpoll nor a HAR file"),
        (b'{"log": {"entries": [1]}}', "neither a page of Hushpoll nor a HAR file"),
        (b'{"log": {"entries": []}}', "contains nothing from https://polls.example.org"),
        (b'<script type="application/json" id="envelope">{"a": 1}</script>', "the envelope must have exactly"),
    ],
)
def test_a_saved_file_that_holds_no_page_is_never_taken_for_the_same(
    hushpoll: Command, tmp_path: Path, content: bytes, words: str
) -> None:
    (tmp_path / "saved").write_bytes(content)
    result = hushpoll("verify-site", "https://polls.example.org", "--saved", "saved")
    assert result.exit_code == 1
    assert words in result.output


@pytest.mark.parametrize(
    "words", [["--hashes", "--saved", "x"], ["https://a.example", "--survey", "b", "--saved", "x"]]
)
def test_what_was_saved_goes_with_an_address_only(hushpoll: Command, words: list[str]) -> None:
    assert hushpoll("verify-site", *words).exit_code == 2


def test_an_answer_packed_in_another_way_is_one_sentence(hushpoll: Command, site: Serve) -> None:
    result = hushpoll("verify-site", site("/js/form.js", header=("Content-Encoding", "br")))
    assert (result.exit_code, "compressed by br" in result.stderr) == (1, True)


def test_a_small_answer_that_unpacks_to_a_large_one_is_cut(hushpoll: Command) -> None:
    def bomb(_environ: WSGIEnvironment, start_response: StartResponse) -> Iterator[bytes]:
        start_response("200 OK", [("Content-Encoding", "gzip")])
        yield gzip.compress(bytes(4 * LARGEST_RESPONSE), 9)

    with served(bomb) as address:
        assert len(fetch(address, "/js/form.js").body) == LARGEST_RESPONSE
