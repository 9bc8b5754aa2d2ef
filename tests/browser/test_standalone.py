"""The form as one file, opened from a disk."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page
from tests.browser.form import Site, answer, expect_heading, send
from tests.samples.canary import LOSING_SCRIPT, canary_survey
from tests.samples.every_type import FIRST, every_type
from tests.samples.surveys import two_questions

from hushpoll_server.respond.release import Release, survey_of
from hushpoll_shared.manifest import Manifest

REFUSED = "This survey did not pass its checks"


@pytest.fixture
def asked(page: Page) -> list[str]:
    """Collect every address that the page asks for."""
    found: list[str] = []
    page.on("request", lambda request: found.append(request.url))
    return found


def keep(site: Site, manifest: Manifest, folder: Path) -> Path:
    """Publish a survey and write its form to a file, as one's own install does."""
    site.publish(manifest, from_disk=True)
    file = folder / f"{manifest.survey}.html"
    survey = site.app.extensions["hushpoll"].surveys.get(manifest.survey)
    file.write_text(Release(site.address).file(survey_of(survey.envelope)), encoding="utf-8", newline="")
    return file


def test_the_file_sends_exactly_one_report_and_asks_for_nothing_else(
    page: Page, site: Site, tmp_path: Path, complaints: list[str], asked: list[str]
) -> None:
    file = keep(site, canary_survey(), tmp_path)
    page.add_init_script(LOSING_SCRIPT)
    page.goto(file.as_uri())
    answer(page, "Yes", "No")
    assert (site.requests, asked) == ([], [file.as_uri()])
    send(page)
    expect_heading(page, "Sent. Thank you.")
    assert site.stored("canary") == 1
    asking, sent = site.requests
    assert (asking.method, sent.method, asking.path) == ("OPTIONS", "POST", sent.path)
    # The opposite of what was chosen, because every coin is lost.
    assert json.loads(sent.body)["answers"] == {"first": "0", "second": "1"}
    assert set(asked) == {file.as_uri(), f"{site.address}/api/v1/surveys/canary/reports"}
    assert complaints == []


def test_a_second_visit_to_the_file_draws_no_second_report(page: Page, site: Site, tmp_path: Path) -> None:
    file = keep(site, two_questions(), tmp_path)
    page.goto(file.as_uri())
    answer(page, "Yes", "No")
    send(page)
    expect_heading(page, "Sent. Thank you.")
    page.reload()
    expect_heading(page, "This survey was answered on this device")
    assert site.stored("campus") == 1


def test_every_type_can_be_answered_in_the_file(page: Page, site: Site, tmp_path: Path) -> None:
    page.goto(keep(site, every_type(), tmp_path).as_uri())
    answer(page, *FIRST)
    send(page)
    expect_heading(page, "Sent. Thank you.")
    assert site.stored("all") == 1


def test_the_download_is_the_file_that_one_makes_oneself(page: Page, site: Site, tmp_path: Path) -> None:
    file = keep(site, two_questions(), tmp_path)
    with page.expect_download() as download, pytest.raises(Exception, match="Download is starting"):
        page.goto(f"{site.address}/s/campus/page.html")
    assert download.value.suggested_filename == "campus.html"
    assert Path(download.value.path()).read_bytes() == file.read_bytes()


def test_a_survey_that_was_changed_in_the_file_is_refused(page: Page, site: Site, tmp_path: Path) -> None:
    file = keep(site, two_questions(), tmp_path)
    html = file.read_text(encoding="utf-8")
    [payload] = re.findall(r'"payload":"([\w-]+)"', html)
    text = base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)).replace(b"voluntary", b"mandatory")
    changed = base64.urlsafe_b64encode(text).rstrip(b"=").decode()
    file.write_text(html.replace(payload, changed), encoding="utf-8")
    page.goto(file.as_uri())
    expect_heading(page, REFUSED)
    assert page.get_by_role("button", name="begin").count() == 0
    assert site.requests == []


def test_a_script_that_was_changed_in_the_file_does_not_run(
    page: Page, site: Site, tmp_path: Path, complaints: list[str]
) -> None:
    file = keep(site, two_questions(), tmp_path)
    html = file.read_text(encoding="utf-8")
    file.write_text(html.replace('<script type="module">', '<script type="module">fetch("/");', 1), encoding="utf-8")
    page.goto(file.as_uri())
    page.get_by_text("Checking who signed this survey").wait_for()
    assert any("script-src" in complaint for complaint in complaints)


def test_an_offline_device_keeps_the_report_and_sends_the_same_later(page: Page, site: Site, tmp_path: Path) -> None:
    page.goto(keep(site, two_questions(), tmp_path).as_uri())
    answer(page, "Yes", "No")
    page.context.set_offline(True)
    send(page)
    expect_heading(page, "Not sent yet")
    page.get_by_text("See what will be sent").click()
    kept = page.locator("pre").inner_text()
    assert site.stored("campus") == 0
    page.context.set_offline(False)
    expect_heading(page, "Sent. Thank you.")
    assert [request.body.decode() for request in site.requests if request.method == "POST"] == [kept]


def test_the_file_can_connect_to_nothing_but_the_report_address(
    page: Page, site: Site, tmp_path: Path, complaints: list[str]
) -> None:
    page.goto(keep(site, two_questions(), tmp_path).as_uri())
    expect_heading(page, "Campus integrity")
    assert not page.evaluate(f"fetch('{site.address}/healthz').then(() => true, () => false)")
    assert site.requests == []
    assert any("connect-src" in complaint for complaint in complaints)
