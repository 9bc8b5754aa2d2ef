"""What an hour of a live page costs: requests, bytes and memory. Run by `python -m tests.browser.live_hour`.

The server is the real one, `hushpoll serve`, and so are the reports, to a survey of every type. Only the clock of the
page is turned forward, 15 seconds at a time, and arrivals are sent in between. Bytes and memory depend on the browser,
so nothing is held against them: they are printed.
"""

from __future__ import annotations

import tempfile
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from playwright.sync_api import CDPSession, Page, sync_playwright
from tests.browser import time_machine
from tests.running.server_process import ServerProcess
from tests.running.tools import CHROMIUM_FLAGS, load_tools
from tests.samples.surveys import KEY
from tests.server.researchers.sign_in import make_link
from tests.vectors.surveys import surveys

from hushpoll_client.survey import Survey
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_shared.manifest import Manifest

SECONDS, EVERY, REPORTS = 3600, 15, 1500
TIMEOUT_MILLISECONDS = 60_000


@dataclass
class Line:
    """What went over the line for the page."""

    statuses: Counter[int] = field(default_factory=Counter)
    received: Counter[int] = field(default_factory=Counter)
    waited: list[float] = field(default_factory=list)

    def describe(self) -> list[str]:
        """Return a line for each status, and one for the waiting."""
        by_status = [
            f"{number:8,} answers {status}, {self.received[status] // number:,} bytes each with their headers"
            for status, number in sorted(self.statuses.items())
        ]
        return [*by_status, f"{1000 * max(self.waited):8,.0f} ms for the slowest answer"]


@dataclass(frozen=True)
class Memory:
    """What the browser holds for the page, after it has tidied up."""

    heap: int
    nodes: int
    elements: int

    def __str__(self) -> str:
        return f"{self.heap:10,} bytes of JavaScript heap, {self.nodes:,} nodes, {self.elements:,} elements on the page"


def main() -> None:
    """Watch a survey for an hour and print what it cost."""
    tools = load_tools()
    with (
        tempfile.TemporaryDirectory(prefix="hushpoll-live-") as folder,
        serve(Path(folder)) as (server, link, manifest),
        sync_playwright() as playwright,
        playwright.chromium.launch(
            executable_path=tools.chromium, args=[*CHROMIUM_FLAGS], env=tools.chromium_environment
        ) as browser,
    ):
        page = browser.new_page()
        page.set_default_timeout(TIMEOUT_MILLISECONDS)
        time_machine.install(page)
        page.goto(server.address + link)
        page.get_by_role("button", name="Sign in").click()
        page.goto(f"{server.address}/surveys/{manifest.survey}")
        page.get_by_text("Updates by itself.").wait_for()
        watch(page, server, manifest)


@contextmanager
def serve(home: Path) -> Iterator[tuple[ServerProcess, str, Manifest]]:
    """Serve a survey of every type and yield the server with a sign-in link."""
    server = ServerProcess(home, f"sqlite:///{home / 'hushpoll.sqlite'}")
    services = Services(Settings(home=home, db=server.database_url))
    manifest = replace(surveys()["everything"][0], population=None)
    services.surveys.publish(manifest, KEY)
    link = make_link(services)
    services.close()
    server.start()
    try:
        yield server, link, manifest
    finally:
        server.stop()


def watch(page: Page, server: ServerProcess, manifest: Manifest) -> None:
    """Let an hour pass in which reports arrive evenly, and print what it cost."""
    session = page.context.new_cdp_session(page)
    line, looks = Line(), SECONDS // EVERY
    memory = {"at the start": measure(session, page)}
    record(session, line)
    for look in range(looks):
        if look == looks // 3:
            memory["after 20 minutes"] = measure(session, page)
        send(server, manifest, range(REPORTS * look // looks, REPORTS * (look + 1) // looks))
        started = perf_counter()
        with page.expect_response(lambda response: response.url.endswith(f"/surveys/{manifest.survey}")) as waiting:
            time_machine.turn_forward(page, EVERY)
        waiting.value.finished()
        line.waited.append(perf_counter() - started)
    shown = page.locator(".survey-head strong").first.inner_text()
    print(f"{SECONDS:,} seconds, {REPORTS:,} reports, {sum(line.statuses.values())} requests; shown at last: {shown}")
    print(*line.describe(), sep="\n")
    memory["at the end"] = measure(session, page)
    print(*(f"{when:16} {each}" for when, each in memory.items()), sep="\n")


def send(server: ServerProcess, manifest: Manifest, places: range) -> None:
    """Let devices answer and send their reports."""
    answers = surveys()["everything"][1]
    for place in places:
        body = Survey(manifest).randomize(answers[place % 2]).encode()
        address = f"{server.address}/api/v1/surveys/{manifest.survey}/reports"
        request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as response:
            assert response.status == 201


def record(session: CDPSession, line: Line) -> None:
    """Count what the browser receives from now on."""
    statuses: dict[str, int] = {}

    def finished(event: dict[str, Any]) -> None:
        status = statuses.pop(event["requestId"])
        line.statuses[status] += 1
        line.received[status] += int(event["encodedDataLength"])

    session.on(
        "Network.responseReceived", lambda event: statuses.update({event["requestId"]: event["response"]["status"]})
    )
    session.on("Network.loadingFinished", finished)
    session.send("Network.enable")


def measure(session: CDPSession, page: Page) -> Memory:
    """Measure the memory of the page."""
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    metrics = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    elements = int(page.evaluate("document.querySelectorAll('*').length"))
    return Memory(int(metrics["JSHeapUsedSize"]), int(metrics["Nodes"]), elements)


if __name__ == "__main__":
    main()
