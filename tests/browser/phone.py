"""How long a respondent with a slow phone on a poor line waits. Run by `make phone`.

Chromium plays the phone: a sixth of the speed of this machine, 400 ms for each request, 400 kbit/s. The server is the
real one, `hushpoll serve`. Times depend on the machine, so nothing is held against them: they are printed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Locator, Page, ViewportSize, sync_playwright
from tests.browser.walk import Walk
from tests.running.server_process import ServerProcess
from tests.running.tools import CHROMIUM_FLAGS, load_tools
from tests.samples.surveys import KEY

from hushpoll_server.commands.demo import DEFINITION
from hushpoll_server.compile.definition import compile_survey
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_shared.manifest import Manifest

VISITS = 5
SCREEN: ViewportSize = {"width": 360, "height": 640}
TIMES_SLOWER = 6
WAIT_MILLISECONDS = 400
BYTES_PER_SECOND = 400_000 // 8
TIMEOUT_MILLISECONDS = 60_000
LINE = {
    "offline": False,
    "latency": WAIT_MILLISECONDS,
    "downloadThroughput": BYTES_PER_SECOND,
    "uploadThroughput": BYTES_PER_SECOND,
}
# Press a button, or begin at the navigation; return when the screen with this heading is painted.
TIME = """([text, button]) => new Promise((resolve) => {
  const start = button ? performance.now() : 0;
  button?.click();
  const look = () => requestAnimationFrame(() => {
    const [heading] = document.getElementsByTagName("h1");
    if (heading?.textContent !== text) return look();
    return requestAnimationFrame(() => resolve(performance.now() - start));
  });
  look();
})"""


@dataclass(frozen=True, kw_only=True)
class Visit:
    """What one visit took: milliseconds, and bytes on the line with the headers of all answers."""

    first_screen: float
    first_question: float
    receipt: float
    received: float
    script: float
    replies: list[str]


WORDS = {
    "first_screen": "ms from the navigation to the first screen",
    "first_question": "ms from pressing the button that begins to the first question",
    "receipt": "ms from Send to the receipt",
    "received": "bytes received in all, with headers",
    "script": "bytes of them for the script, gzipped",
}


def main() -> None:
    """Visit the demonstration survey a few times and print the medians."""
    tools = load_tools()
    with (
        tempfile.TemporaryDirectory(prefix="hushpoll-phone-") as folder,
        sync_playwright() as playwright,
        playwright.chromium.launch(
            executable_path=tools.chromium, args=[*CHROMIUM_FLAGS], env=tools.chromium_environment
        ) as browser,
        serve_demo(Path(folder)) as (address, manifest),
    ):
        visits = [visit(browser, address, manifest) for _ in range(VISITS)]
    print(f"Median of {VISITS} visits, {TIMES_SLOWER} times slower, {WAIT_MILLISECONDS} ms a request, 400 kbit/s:")
    print(*describe(visits), sep="\n")


def describe(visits: list[Visit]) -> list[str]:
    """Return a line for each figure: the median over the visits."""
    figures = [asdict(visit) for visit in visits]
    return [f"{median(each[name] for each in figures):8,.0f} {words}" for name, words in WORDS.items()]


@contextmanager
def serve_demo(home: Path) -> Iterator[tuple[str, Manifest]]:
    """Serve the demonstration survey as an operator does and yield the address of its form."""
    server = ServerProcess(home, f"sqlite:///{home / 'hushpoll.sqlite'}")
    services = Services(Settings(home=home, db=server.database_url))
    manifest = compile_survey(DEFINITION.read_text(encoding="utf-8"), DEFINITION.name).manifest
    services.surveys.publish(manifest, KEY)
    services.close()
    server.start()
    try:
        yield f"{server.address}/s/{manifest.survey}", manifest
    finally:
        server.stop()


def visit(browser: Browser, address: str, manifest: Manifest) -> Visit:
    """Answer the survey once, with nothing in the cache."""
    with browser.new_context(viewport=SCREEN, locale="en") as context:
        context.set_default_timeout(TIMEOUT_MILLISECONDS)
        page = context.new_page()
        received = slow_down(page)
        walk = Walk(page)
        page.goto(address, wait_until="commit")
        first_screen = time_until(page, manifest.title)
        first_question = time_until(page, manifest.questions[0].text, walk.button("begin"))
        walk.answer_all()
        receipt = time_until(page, walk.words["sent"][0], walk.button("send"))
        return Visit(
            first_screen=first_screen,
            first_question=first_question,
            receipt=receipt,
            received=sum(size for _, size in received),
            script=sum(size for what, size in received if what == "Script"),
            replies=sorted(what for what, _ in received),
        )


def time_until(page: Page, heading: str, button: Locator | None = None) -> float:
    """Press a button, if one is given, and tell after how many milliseconds a screen is there."""
    return float(page.evaluate(TIME, [heading, button.element_handle() if button else None]))


def slow_down(page: Page) -> list[tuple[str, float]]:
    """Turn the browser into a slow phone; return the list of what it receives: what it is, and its bytes."""
    session = page.context.new_cdp_session(page)
    types: dict[str, str] = {}
    received: list[tuple[str, float]] = []
    session.on("Network.responseReceived", lambda event: types.update({event["requestId"]: event["type"]}))
    session.on(
        "Network.loadingFinished",
        lambda event: received.append((types.get(event["requestId"], "Other"), event["encodedDataLength"])),
    )
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", LINE)
    session.send("Emulation.setCPUThrottlingRate", {"rate": TIMES_SLOWER})
    return received


if __name__ == "__main__":
    main()
