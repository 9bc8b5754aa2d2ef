"""Take the pictures of docs/images/: form, label and dashboard, on a phone and on a desktop. Run by `make screenshots`.

A test takes the same pictures into a folder of its own, so that they can always be taken.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, FloatRect, Page, ViewportSize, sync_playwright
from tests.browser.form import Site, serve_form
from tests.browser.walk import Walk
from tests.running.tools import CHROMIUM_FLAGS, load_tools
from tests.server.researchers.sign_in import sign_in_page

from hushpoll_server.commands.demo import DEFINITION, TRUTH
from hushpoll_server.compile.definition import compile_survey
from hushpoll_server.simulate import respondents
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.words import interface

DOCS = Path(__file__).parents[2] / "docs"
IMAGES = DOCS / "images"
TRANSLATED = DOCS / "examples" / "two-languages.yaml"
PHONE: ViewportSize = {"width": 360, "height": 740}
DESKTOP: ViewportSize = {"width": 1100, "height": 800}
SIZES = {"phone": PHONE, "desktop": DESKTOP}
MOST_HEIGHT = 1800
RESPONDENTS = 10_000


@dataclass(frozen=True)
class Camera:
    """Takes pictures of a site and puts them in a folder; a page that is broken or too wide gets none."""

    browser: Browser
    site: Site
    folder: Path

    @contextmanager
    def page(self, **options: Any) -> Iterator[Page]:
        """Yield a page without motion; the browser must not complain about it."""
        complaints: list[str] = []
        with self.browser.new_context(reduced_motion="reduce", **options) as context:
            page = context.new_page()
            page.on("console", lambda message: complaints.append(message.text))
            page.on("pageerror", lambda error: complaints.append(str(error)))
            yield page
        assert complaints == [], complaints

    def take(self, page: Page, name: str) -> None:
        """Save one picture of the whole page, or of as much of it as anybody looks at in a document."""
        width, wide = page.evaluate("[innerWidth, document.documentElement.scrollWidth]")
        assert wide <= width, f"{name} is wider than its screen"
        size = page.evaluate("[innerWidth, document.documentElement.scrollHeight]")
        area: FloatRect = {"x": 0, "y": 0, "width": size[0], "height": min(size[1], MOST_HEIGHT)}
        page.screenshot(path=self.folder / f"{name}.png", full_page=True, clip=area)


def main() -> None:
    """Take all pictures of the documents anew."""
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
        take_all(Camera(browser, site, IMAGES))


def take_all(camera: Camera) -> None:
    """Serve the demonstration survey with simulated respondents and take every picture."""
    manifest = read(DEFINITION)
    form = camera.site.publish(manifest)
    simulate(camera.site, manifest)
    for name, size in SIZES.items():
        take_form(camera, form, name, size)
        take_researcher(camera, manifest.survey, name, size)
    take_variants(camera, form)


def read(definition: Path) -> Manifest:
    """Read a survey file."""
    return compile_survey(definition.read_text(encoding="utf-8"), definition.name).manifest


def simulate(site: Site, manifest: Manifest, number: int = RESPONDENTS) -> None:
    """Let invented respondents answer."""
    services = site.app.extensions["hushpoll"]
    truth = respondents.read_truth(TRUTH.read_bytes(), manifest)
    envelope = services.surveys.get(manifest.survey).envelope
    reports = respondents.randomize(envelope, respondents.draw_answers(truth, number))
    services.collect.take(manifest.survey, list(reports))


def take_form(camera: Camera, form: str, name: str, size: ViewportSize) -> None:
    """Take the screens of the respondent and the label."""
    with camera.page(viewport=size) as page:
        walk = Walk(page, which="last")
        page.goto(form)
        walk.ready()
        camera.take(page, f"form-{name}-1-consent")
        for screen in walk.practice():
            if screen == "practice, drawn":
                camera.take(page, f"form-{name}-2-practice")
        walk.press(walk.button("begin"))
        walk.choose()
        camera.take(page, f"form-{name}-3-question")
        walk.answer_all()
        camera.take(page, f"form-{name}-4-review")
        walk.send()
        walk.press(page.locator("summary").first)
        camera.take(page, f"form-{name}-5-sent")
        page.goto(f"{form}/privacy")
        camera.take(page, f"label-{name}")


def take_variants(camera: Camera, form: str) -> None:
    """Take the first screen in Arabic and a question in the dark."""
    with camera.page(viewport=PHONE, locale="ar") as page:
        page.goto(camera.site.publish(read(TRANSLATED)))
        Walk(page, interface("ar")).ready()
        camera.take(page, "form-phone-arabic")
    with camera.page(viewport=PHONE, color_scheme="dark") as page:
        walk = Walk(page)
        page.goto(form)
        walk.press(walk.button("begin"))
        walk.choose()
        camera.take(page, "form-phone-dark")


def take_researcher(camera: Camera, survey: str, name: str, size: ViewportSize) -> None:
    """Take the pages of the researcher."""
    with camera.page(viewport=size) as page:
        sign_in_page(page, camera.site)
        camera.take(page, f"surveys-{name}")
        page.goto(f"{camera.site.address}/surveys/{survey}")
        camera.take(page, f"dashboard-{name}")


if __name__ == "__main__":
    main()
