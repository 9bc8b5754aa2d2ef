"""The element inside React and Vue: the real packages, loaded into the browser as npm installed them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask, Response, send_from_directory
from playwright.sync_api import Page, expect
from tests.browser.form import Site, answer, expect_heading, send
from tests.browser.host_page import frame_of
from tests.running.web import serve_app
from tests.samples.surveys import two_questions

PACKAGE = Path(__file__).parents[2] / "client" / "js"
REACT = {
    "react": "react/cjs/react.development.js",
    "react-dom": "react-dom/cjs/react-dom.development.js",
    "react-dom/client": "react-dom/cjs/react-dom-client.development.js",
    "scheduler": "scheduler/cjs/scheduler.development.js",
}
IMPORTS = {
    "hushpoll/": "/hushpoll/",
    "react": "/react.js",
    "vue": "/modules/vue/dist/vue.esm-browser.js",
}
# Modules of Node are functions; a bundler would join them like this.
REQUIRE = """
const process = { env: { NODE_ENV: "development" } };
const loaded = {};
function require(name) {
  loaded[name] ??= { exports: {} };
  if (!loaded[name].isRun) {
    loaded[name].isRun = true;
    modules[name](loaded[name], loaded[name].exports, require, process);
  }
  return loaded[name].exports;
}
export const { createElement, useRef, useState, StrictMode } = require("react");
export const { createRoot } = require("react-dom/client");
"""
IN_REACT = """
import { createElement, createRoot, StrictMode } from "react";
import { HushpollSurvey } from "hushpoll/bindings/react.js";

const told = (window.told = []);
const root = createRoot(document.querySelector("main"));
window.render = (src, tag) => {
  const tell = (event) => told.push([tag, event.type, event.detail]);
  const props = { src, height: 500, title: "About us", onSent: tell, onClosed: tell, onUnavailable: tell };
  const link = createElement("a", { href: "/plain" }, `Another way ${tag}`);
  root.render(createElement(StrictMode, null, src && createElement(HushpollSurvey, props, link)));
};
"""
IN_VUE = """
import { createApp, h, reactive } from "vue";
import { HushpollSurvey } from "hushpoll/bindings/vue.js";

const told = (window.told = []);
const state = reactive({ src: "", tag: "" });
window.render = (src, tag) => Object.assign(state, { src, tag });
const tell = (event) => told.push([state.tag, event.type, event.detail]);
createApp(() => {
  const props = { src: state.src, height: 500, title: "About us", onSent: tell, onClosed: tell, onUnavailable: tell };
  const link = () => h("a", { href: "/plain" }, `Another way ${state.tag}`);
  return state.src ? h(HushpollSurvey, props, { default: link }) : null;
}).mount(document.querySelector("main"));
"""


def script(text: str) -> Response:
    return Response(text, mimetype="text/javascript")


def react() -> str:
    """Return React as one module."""
    sources = {name: (PACKAGE / "node_modules" / path).read_text(encoding="utf-8") for name, path in REACT.items()}
    functions = (f'"{name}": (module, exports, require, process) => {{{text}\n}}' for name, text in sources.items())
    return f"const modules = {{{', '.join(functions)}}};\n{REQUIRE}"


@pytest.fixture(params=[IN_REACT, IN_VUE], ids=["react", "vue"])
def app(request: pytest.FixtureRequest) -> Iterator[str]:
    """Serve an app on an origin of its own."""
    app = Flask(__name__, static_folder=None)
    imports = f'<script type="importmap">{json.dumps({"imports": IMPORTS})}</script>'
    page = f'<!doctype html><title>App</title>{imports}<main></main><script type="module" src="/app.js"></script>'
    app.add_url_rule("/", "page", lambda: page)
    app.add_url_rule("/app.js", "app", lambda: script(request.param))
    app.add_url_rule("/react.js", "react", lambda: script(react()))
    app.add_url_rule("/hushpoll/<path:path>", "sdk", lambda path: send_from_directory(PACKAGE, path))
    modules = PACKAGE / "node_modules"
    app.add_url_rule("/modules/<path:path>", "modules", lambda path: send_from_directory(modules, path))
    with serve_app(app) as port:
        yield f"http://localhost:{port}"


def render(page: Page, src: str, tag: str) -> None:
    """Let the app show a survey."""
    page.wait_for_function("'render' in window")
    page.evaluate("([src, tag]) => render(src, tag)", [src, tag])


def complaints_of(page: Page) -> list[str]:
    """Collect what the framework complains about; both say in development that they are in development."""
    heard: list[str] = []
    usual = ("development build of Vue", "React DevTools")
    page.on("console", lambda told: None if any(each in told.text for each in usual) else heard.append(told.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    return heard


def test_a_survey_is_shown_answered_and_told_once_by_the_newest_handlers(page: Page, site: Site, app: str) -> None:
    complaints = complaints_of(page)
    form = site.publish(two_questions(hosts=(app,)))
    page.goto(app)
    render(page, form, "first")
    frame = frame_of(page)
    expect_heading(frame, "Campus integrity")
    expect(page.locator("iframe")).to_have_attribute("height", "500")
    expect(page.locator("iframe")).to_have_attribute("title", "About us")
    answer(frame, "Yes", "No")
    # A new render of the app does not load the frame anew.
    render(page, form, "second")
    send(frame)
    expect_heading(frame, "Sent. Thank you.")
    frame.get_by_role("button", name="Close").click()
    page.wait_for_function("told.length > 1")
    names = ("hushpoll-sent", "hushpoll-closed")
    assert page.evaluate("told") == [["second", name, {"survey": "campus"}] for name in names]
    assert site.stored("campus") == 1
    render(page, "", "third")
    expect(page.locator("iframe")).to_have_count(0)
    assert complaints == []


def test_the_apps_own_content_is_shown_and_kept_up_to_date_where_the_survey_cannot_be(
    page: Page, site: Site, app: str
) -> None:
    page.goto(app)
    for src, reason in (("/wrong", "address"), (f"{site.address}/s/campus", "unknown-survey")):
        render(page, src, reason)
        expect(page.get_by_role("link", name=f"Another way {reason}")).to_be_visible()
        page.wait_for_function("(reason) => told.at(-1)?.[2].reason === reason", arg=reason)
    assert [event[2]["survey"] for event in page.evaluate("told")] == [None, "campus"]
