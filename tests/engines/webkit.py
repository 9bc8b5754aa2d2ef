"""WebKitGTK, close to Safari: its MiniBrowser on a display in memory, driven by WebKitWebDriver over HTTP."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.engines.driver import MARK, START_SECONDS, CommandRefused, Driver, running, wait_for
from tests.running.server_process import free_port

# The paths of the standard; the parameter `id` is a part of the path.
PATHS = {
    "Navigate": "POST url",
    "Back": "POST back",
    "Forward": "POST forward",
    "FindElements": "POST elements",
    "ElementClick": "POST element/{id}/click",
    "ElementSendKeys": "POST element/{id}/value",
    "ElementClear": "POST element/{id}/clear",
    "GetElementText": "GET element/{id}/text",
    "GetElementAttribute": "GET element/{id}/attribute/{name}",
    "IsElementDisplayed": "GET element/{id}/displayed",
    "IsElementSelected": "GET element/{id}/selected",
    "ExecuteScript": "POST execute/sync",
}
LISTEN = """
window.complaints = [];
const note = (text) => window.complaints.push(text);
addEventListener("error", ({ message }) => note(message));
addEventListener("unhandledrejection", ({ reason }) => note(`${reason}`));
addEventListener("securitypolicyviolation", ({ violatedDirective }) => note(violatedDirective));"""
NOTE_QUESTION = """
addEventListener("beforeunload", (event) => sessionStorage.setItem("asked", event.defaultPrevented))"""
TAKE_NOTE = """
const asked = sessionStorage.getItem("asked");
sessionStorage.removeItem("asked");
return asked"""


class WebKit(Driver):
    """A MiniBrowser and the address of its session."""

    def __init__(self, address: str) -> None:
        """Open a session, with storage in memory."""
        self.address = f"{address}/session"
        session = wait_for(self._open, "a WebKitGTK that starts", seconds=START_SECONDS)
        self.address += f"/{session['sessionId']}"
        self.version = str(session["capabilities"]["browserVersion"])

    def _open(self) -> Any:
        return self._request("POST", "", {"capabilities": {}})

    def call(self, command: str, **parameters: Any) -> Any:
        """Carry out a command."""
        method, path = PATHS[command].format(**parameters).split()
        return self._request(method, f"/{path}", parameters)

    def listen(self) -> None:
        """Note complaints in the page itself from now on: the console of a browser under automation stays silent."""
        self.evaluate(LISTEN)

    def complaints(self) -> list[str]:
        """Return what was noted since the page was opened or reloaded."""
        return list(self.evaluate("return window.complaints"))

    def leave(self, script: str) -> bool:
        """Leave the page; the driver confirms the question unseen, so note whether the page wanted it."""
        self.evaluate(f"{MARK}; {NOTE_QUESTION}; {script}")
        wait_for(lambda: not self.is_marked(), "another page")
        is_asked = bool(self.evaluate(TAKE_NOTE) == "true")
        self.listen()
        return is_asked

    def _request(self, method: str, path: str, parameters: dict[str, Any]) -> Any:
        body = json.dumps(parameters).encode() if method == "POST" else None
        request = urllib.request.Request(f"{self.address}{path}", body, method=method)
        try:
            with urllib.request.urlopen(request, timeout=START_SECONDS) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            with error:
                raise CommandRefused(f"{path}: {json.load(error)['value']}") from None
        except urllib.error.URLError as error:
            raise CommandRefused(f"{path}: {error.reason}") from None


@contextmanager
def webkit(programs: list[str], folder: Path) -> Iterator[WebKit]:
    """Start a MiniBrowser; what it stores is gone with it."""
    driver, xvfb = programs
    folder.mkdir(parents=True, exist_ok=True)
    with display(xvfb, folder) as name:
        port = free_port()
        environment = {**os.environ, "DISPLAY": name, "HOME": str(folder)}
        with running([driver, f"--port={port}"], folder / "webkit.log", environment):
            yield WebKit(f"http://127.0.0.1:{port}")


@contextmanager
def display(xvfb: str, folder: Path) -> Iterator[str]:
    """Run a display in memory and yield its name."""
    number = folder / "display"
    command = ["sh", "-c", 'exec "$0" -displayfd 3 -screen 0 1280x1024x24 -nolisten tcp 3>"$1"', xvfb, str(number)]
    with running(command, folder / "display.log"):
        yield f":{wait_for(lambda: number.exists() and number.read_text().strip(), 'a display')}"
