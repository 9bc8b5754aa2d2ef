"""The JavaScript SDK in an app's own page and in a worker, on another origin than the server that it talks to.

The modules are those that npm packs, and run as they lie there. The examples are those of docs/javascript-sdk.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, Response
from playwright.sync_api import BrowserContext, Page, expect
from tests.browser.form import AT_REST, Site
from tests.running.web import serve_app
from tests.samples.surveys import KEY, make_report, two_questions

from hushpoll_shared.manifest import Manifest

ROOT = Path(__file__).parents[2]
SDK = ROOT / "client" / "js"
ANSWERS = {"cheated": True, "helped": False}

# What a test asks for, done by the SDK wherever this module is loaded.
STEPS = """
import { Client, IndexedDBState } from "/hushpoll/src/index.js";

let client;
let report;
const steps = {
  open: async ({ server, key }) => {
    client = new Client(server, { key, state: new IndexedDBState() });
  },
  draw: async (answers) => {
    const survey = await client.survey("campus");
    report = survey.randomize(answers);
    return report.body;
  },
  tell: async (tag) => (await client.survey("campus")).manifest.questions[0].told(tag),
  submit: () => client.submit(report),
  flush: () => client.flush(),
  receipt: () => client.receipt("campus"),
  spent: () => client.spent(),
};

export async function step(name, data) {
  try {
    return (await steps[name](data)) ?? null;
  } catch (error) {
    return { error: error.name, message: error.message };
  }
}
"""
WORKER = """
import { step } from "/steps.js";

onmessage = async ({ data: [name, data] }) => postMessage(await step(name, data));
"""
# A page that does the steps itself, or lets a worker do them. All of its tabs begin `start` at one signal.
PAGE = """<!doctype html>
<title>An app</title>
<script type="module">
  import { step } from "/steps.js";

  const worker = new Worker("/worker.js", { type: "module" });
  window.inWorker = (name, data) =>
    new Promise((resolve) => {
      worker.onmessage = (event) => resolve(event.data);
      worker.postMessage([name, data]);
    });
  window.inWindow = step;
  const signal = new BroadcastChannel("start");
  window.begin = () => signal.postMessage("now");
  window.start = (name) => {
    window.outcome = new Promise((resolve) => {
      signal.onmessage = () => resolve(step(name));
    });
  };
</script>
"""


def script(text: str) -> Response:
    return Response(text, mimetype="text/javascript")


def example(language: str) -> str:
    """Return the one example of the SDK's page in this language that answers the survey `campus`."""
    text = (ROOT / "docs" / "javascript-sdk.md").read_text(encoding="utf-8")
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    [code] = [block for block in blocks if 'survey("campus")' in block]
    return str(code)


def placed(code: str, server: str) -> str:
    """Put the server's address and key into an example."""
    assert "https://polls.example.org" in code
    return re.sub(r"ed25519:[\w…-]+", KEY.public, code.replace("https://polls.example.org", server))


@pytest.fixture
def loaded() -> list[str]:
    """Return the modules of the SDK that were loaded, in their order."""
    return []


@pytest.fixture
def app(site: Site, loaded: list[str]) -> Iterator[str]:
    """Serve an app that uses the SDK, on an origin of its own."""
    app = Flask(__name__)
    page, worker = placed(example("html"), site.address), placed(example("js"), site.address)

    def load(path: str) -> Response:
        loaded.append(path)
        return script((SDK / path).read_text(encoding="utf-8"))

    app.add_url_rule("/hushpoll/<path:path>", "sdk", load)
    app.add_url_rule("/", "page", lambda: PAGE)
    app.add_url_rule("/steps.js", "steps", lambda: script(STEPS))
    app.add_url_rule("/worker.js", "worker", lambda: script(WORKER))
    app.add_url_rule("/example", "example", lambda: page)
    app.add_url_rule("/example-worker.js", "example-worker", lambda: script(worker))
    with serve_app(app) as port:
        yield f"http://localhost:{port}"


@pytest.fixture
def survey(site: Site, app: str) -> Manifest:
    """Publish a survey that names the app's origin: pages of others may not send reports to it."""
    manifest = two_questions(hosts=(app,))
    site.publish(manifest)
    return manifest


def do(page: Page, where: str, name: str, data: object = None) -> Any:
    """Let the SDK do one step, in the window or in the worker."""
    return page.evaluate(f"([name, data]) => window.in{where}(name, data)", [name, data])


def open_app(page: Page, app: str, site: Site, *, where: str) -> None:
    page.goto(app)
    do(page, where, "open", {"server": site.address, "key": KEY.public})


@pytest.mark.parametrize("where", ["Window", "Worker"])
def test_a_survey_is_loaded_answered_and_counted_from_another_origin(
    page: Page, app: str, site: Site, survey: Manifest, complaints: list[str], where: str
) -> None:
    open_app(page, app, site, where=where)
    body = do(page, where, "draw", ANSWERS)
    assert site.sent == []
    receipt = {"status": "accepted", "survey": "campus", "id": json.loads(body)["id"]}
    assert do(page, where, "submit") == do(page, where, "receipt") == receipt
    assert (do(page, where, "flush"), do(page, where, "spent")) == ([], str(survey.epsilon))
    assert [request.body.decode() for request in site.sent if request.method == "POST"] == [body]
    assert site.stored("campus") == 1
    assert complaints == []


@pytest.mark.parametrize("where", ["Window", "Worker"])
def test_what_the_form_shows_is_told_and_its_words_are_loaded_when_needed_from_where_the_app_is(
    page: Page, app: str, site: Site, survey: Manifest, loaded: list[str], complaints: list[str], where: str
) -> None:
    open_app(page, app, site, where=where)
    do(page, where, "draw", ANSWERS)
    assert [path for path in loaded if path.startswith("words/")] == []
    asked = len(site.requests)
    assert do(page, where, "tell", "ar-EG") == asdict(survey.questions[0].told("ar"))
    assert {path for path in loaded if path.startswith("words/")} == {"words/mechanisms/subset.js", "words/ar.js"}
    assert {request.path for request in site.requests[asked:]} <= {request.path for request in site.requests[:asked]}
    assert complaints == []


@pytest.mark.parametrize("where", ["Window", "Worker"])
def test_the_server_is_told_nothing_that_tells_devices_apart(
    page: Page, app: str, site: Site, survey: Manifest, where: str
) -> None:
    open_app(page, app, site, where=where)
    do(page, where, "draw", ANSWERS)
    do(page, where, "submit")
    for request in site.requests:
        assert not {"HTTP_COOKIE", "HTTP_REFERER", "HTTP_AUTHORIZATION"} & set(request.headers)
    shapes = [(request.method, request.path) for request in site.requests]
    assert shapes == [
        ("GET", "/api/v1/surveys/campus/manifest"),
        ("OPTIONS", "/api/v1/surveys/campus/reports"),
        ("POST", "/api/v1/surveys/campus/reports"),
    ]


def test_the_window_and_its_worker_share_one_state(page: Page, app: str, site: Site, survey: Manifest) -> None:
    open_app(page, app, site, where="Window")
    do(page, "Worker", "open", {"server": site.address, "key": KEY.public})
    do(page, "Worker", "draw", ANSWERS)
    receipt = do(page, "Worker", "submit")
    assert do(page, "Window", "receipt") == receipt
    do(page, "Window", "draw", ANSWERS)
    assert do(page, "Window", "submit")["error"] == "AlreadyAnswered"
    assert site.stored("campus") == 1


@pytest.mark.parametrize("where", ["Window", "Worker"])
def test_a_survey_that_was_loaded_is_answered_offline_in_a_later_visit_and_sent_once(
    page: Page, app: str, site: Site, survey: Manifest, where: str
) -> None:
    open_app(page, app, site, where=where)
    do(page, where, "draw", ANSWERS)
    page.context.route(f"{site.address}/**", lambda route: route.abort())
    open_app(page, app, site, where=where)
    body = do(page, where, "draw", ANSWERS)
    assert do(page, where, "submit")["status"] == "queued"
    assert site.sent == []
    page.context.unroute_all()
    open_app(page, app, site, where=where)
    [receipt] = do(page, where, "flush")
    assert (receipt["status"], receipt["id"]) == ("accepted", json.loads(body)["id"])
    assert do(page, where, "flush") == []
    assert site.stored("campus") == 1


def test_what_lies_on_the_device_is_the_signed_manifest_and_the_ledger(
    page: Page, app: str, site: Site, survey: Manifest
) -> None:
    open_app(page, app, site, where="Window")
    do(page, "Window", "draw", ANSWERS)
    do(page, "Window", "submit")
    rest = page.evaluate(AT_REST)
    [entries] = rest["databases"]
    assert [(entry["manifest"], entry["epsilon"], entry["body"]) for entry in entries] == [
        (survey.id, str(survey.epsilon), None),
        (survey.id, "0", None),
    ]
    assert "envelope" not in entries[0]
    assert json.loads(entries[1]["envelope"])["key"] == KEY.public
    assert (rest["local"], rest["session"], rest["caches"], rest["cookies"]) == ({}, {}, [], "")


def two_tabs(context: BrowserContext, app: str, site: Site) -> list[Page]:
    """Open the app twice, each with a draw of its own."""
    tabs = [context.new_page(), context.new_page()]
    for tab in tabs:
        open_app(tab, app, site, where="Window")
        do(tab, "Window", "draw", ANSWERS)
    return tabs


def at_once(tabs: list[Page], name: str) -> list[Any]:
    """Let all tabs do a step at the same signal; return the results."""
    for tab in tabs:
        tab.evaluate("(name) => window.start(name)", name)
    starter = tabs[0].context.new_page()
    starter.goto(tabs[0].url)
    starter.evaluate("() => window.begin()")
    return [tab.evaluate("() => window.outcome") for tab in tabs]


def test_two_tabs_that_answer_at_once_send_exactly_one_report(
    page: Page, app: str, site: Site, survey: Manifest
) -> None:
    outcomes = at_once(two_tabs(page.context, app, site), "submit")
    assert sorted(each.get("status", each.get("error")) for each in outcomes) == ["AlreadyAnswered", "accepted"]
    assert len({request.body for request in site.sent if request.method == "POST"}) == 1
    assert site.stored("campus") == 1


def test_two_tabs_that_send_what_waits_at_once_are_counted_once(
    page: Page, app: str, site: Site, survey: Manifest
) -> None:
    tabs = two_tabs(page.context, app, site)
    page.context.route(f"{site.address}/**", lambda route: route.abort())
    assert do(tabs[0], "Window", "submit")["status"] == "queued"
    page.context.unroute_all()
    receipts = [receipt for receipts in at_once(tabs, "flush") for receipt in receipts]
    assert {receipt["status"] for receipt in receipts} <= {"accepted", "duplicate"}
    assert len({request.body for request in site.sent if request.method == "POST"}) == 1
    assert site.stored("campus") == 1
    assert do(tabs[0], "Window", "flush") == do(tabs[1], "Window", "flush") == []


def test_the_example_for_a_page_is_answered_and_counted(
    page: Page, app: str, site: Site, survey: Manifest, complaints: list[str]
) -> None:
    asked: list[str] = []

    def answer(dialog: Any) -> None:
        asked.append(dialog.message)
        dialog.accept()

    page.on("dialog", answer)
    page.goto(f"{app}/example")
    expect(page.locator("main")).to_have_text("accepted")
    assert asked == [question.text for question in survey.questions]
    assert site.stored("campus") == 1
    assert complaints == []


def test_the_example_for_a_worker_is_answered_and_counted(page: Page, app: str, site: Site, survey: Manifest) -> None:
    page.goto(app)
    receipt = page.evaluate(
        """(answers) => new Promise((resolve, reject) => {
          const worker = new Worker("/example-worker.js", { type: "module" });
          worker.onerror = reject;
          worker.onmessage = ({ data }) => resolve(data);
          worker.postMessage(answers);
        })""",
        ANSWERS,
    )
    assert (receipt["status"], receipt["survey"]) == ("accepted", "campus")
    assert site.stored("campus") == 1


def test_a_page_whose_origin_the_survey_does_not_name_cannot_make_its_visitors_send_reports(
    page: Page, app: str, site: Site
) -> None:
    """The attack: any page could send reports in its visitors' browsers, and read how it went."""
    manifest = two_questions()
    site.publish(manifest)
    page.goto(app)
    body = make_report(manifest).encode().decode()
    for headers in ({"Content-Type": "application/json"}, {"Content-Type": "text/plain"}, {}):
        for mode in ("cors", "no-cors"):
            page.evaluate(
                """([address, mode, headers, body]) =>
                fetch(address, { method: "POST", mode, headers, body }).catch(() => 0)""",
                [f"{site.address}/api/v1/surveys/campus/reports", mode, headers, body],
            )
    # From a frame in a sandbox a page's origin is null, as from a disk.
    page.evaluate(
        r"""([address, body]) => new Promise((resolve) => {
          const frame = document.createElement("iframe");
          frame.sandbox = "allow-scripts";
          const headers = { "Content-Type": "application/json" };
          const options = JSON.stringify({ method: "POST", body, headers });
          const send = `fetch(${JSON.stringify(address)}, ${options}).catch(() => 0)`;
          frame.srcdoc = `<script>${send}.then(() => parent.postMessage(1, "*"))<\/script>`;
          addEventListener("message", resolve, { once: true });
          document.body.append(frame);
        })""",
        [f"{site.address}/api/v1/surveys/campus/reports", body],
    )
    assert [request.method for request in site.sent].count("OPTIONS") >= 2
    assert site.stored("campus") == 0
