"""Take the pictures of docs/images/: form and dashboard, on a phone and on a desktop. Run by `make screenshots`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright
from tests.support.form import Given, Site, answer, send, serve_form
from tests.support.tools import CHROMIUM_FLAGS, load_tools

from hushpoll_server import respondents
from hushpoll_server.commands.demo import DEFINITION, TRUTH
from hushpoll_server.surveys.definition import compile_survey
from hushpoll_shared.manifest import Manifest

IMAGES = Path(__file__).parents[2] / "docs" / "images"
PHONE: ViewportSize = {"width": 360, "height": 740}
DESKTOP: ViewportSize = {"width": 1100, "height": 800}
RESPONDENTS = 2000
# Answers to the demonstration survey, as the form offers them.
ANSWERS: tuple[Given, ...] = ("No", "Once", ["Hidden notes"], "3", 12)


def main() -> None:
    """Serve the demonstration survey with simulated respondents and take all pictures."""
    tools = load_tools()
    IMAGES.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        serve_form(Path(folder)) as site,
        sync_playwright() as playwright,
        playwright.chromium.launch(
            executable_path=tools.chromium, args=[*CHROMIUM_FLAGS], env=tools.chromium_environment
        ) as browser,
    ):
        manifest = compile_survey(DEFINITION.read_text(encoding="utf-8"), DEFINITION.name).manifest
        form = site.publish(manifest)
        simulate(site, manifest)
        take_form(browser, form)
        take_researcher(browser, site, manifest.survey)


def simulate(site: Site, manifest: Manifest) -> None:
    """Let invented respondents answer."""
    services = site.app.extensions["hushpoll"]
    truth = respondents.read_truth(TRUTH.read_bytes(), manifest)
    envelope = services.surveys.get(manifest.survey).envelope
    reports = respondents.randomize(envelope, respondents.draw_answers(truth, RESPONDENTS))
    services.collect.take(manifest.survey, list(reports))


def take_form(browser: Browser, form: str) -> None:
    """Take the screens of the respondent."""
    for name, viewport in (("phone", PHONE), ("desktop", DESKTOP)):
        page = browser.new_context(viewport=viewport).new_page()
        page.goto(form)
        page.get_by_role("button", name="begin").wait_for()
        take(page, f"form-{name}-1-consent")
        page.get_by_role("button", name="begin").click()
        page.get_by_role("radio", name="No", exact=True).check()
        take(page, f"form-{name}-2-question")
        page.goto(form)
        answer(page, *ANSWERS)
        take(page, f"form-{name}-3-review")
        send(page)
        page.get_by_text("See what was sent").click()
        take(page, f"form-{name}-4-sent")
        page.goto(f"{form}/privacy")
        take(page, f"label-{name}")


def take_researcher(browser: Browser, site: Site, survey: str) -> None:
    """Take the pages of the researcher."""
    researchers = site.app.extensions["hushpoll"].researchers
    researchers.add("ada@example.org")
    for name, viewport in (("phone", PHONE), ("desktop", DESKTOP)):
        page = browser.new_context(viewport=viewport).new_page()
        page.goto(f"{site.address}/sign-in/{researchers.new_link('ada@example.org')}")
        take(page, f"surveys-{name}")
        page.goto(f"{site.address}/surveys/{survey}")
        take(page, f"dashboard-{name}")


def take(page: Page, name: str) -> None:
    """Save one picture."""
    page.screenshot(path=IMAGES / f"{name}.png", full_page=True)


if __name__ == "__main__":
    main()
