"""The page of docs/embedding.md for web frameworks, made by Flask as it is written there."""

from __future__ import annotations

import re
from pathlib import Path
from runpy import run_path

import pytest
from playwright.sync_api import Page
from tests.browser.form import Site, answer, expect_heading, send
from tests.browser.host_page import frame_of
from tests.running.web import serve_app
from tests.samples.surveys import two_questions

DOCUMENT = Path(__file__).parents[2] / "docs" / "embedding.md"


def block(language: str, part: str) -> str:
    """Return the one block of code in this language that has this part."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    [code] = [each for each in blocks if part in each]
    return str(code)


@pytest.fixture
def app(site: Site, tmp_path: Path) -> Path:
    """Write the app and its template."""
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "campus.html").write_text(block("html", "{{ form }}"), encoding="utf-8")
    code = block("python", "from flask").replace("https://polls.example.org", site.address)
    (tmp_path / "campus.py").write_text(code, encoding="utf-8")
    return tmp_path / "campus.py"


def test_a_page_of_flask_shows_a_survey_under_its_own_strict_policy(
    page: Page, site: Site, app: Path, complaints: list[str]
) -> None:
    with serve_app(run_path(str(app))["app"]) as port:
        host = f"http://localhost:{port}"
        site.publish(two_questions(hosts=(host,)))
        page.goto(f"{host}/campus")
        frame = frame_of(page)
        answer(frame, "Yes", "No")
        send(frame)
        expect_heading(frame, "Sent. Thank you.")
    assert site.stored("campus") == 1
    assert complaints == []
