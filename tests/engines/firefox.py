"""Firefox, driven over Marionette: the line that geckodriver would speak, which no package registry offers."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.engines.driver import MARK, START_SECONDS, CommandRefused, Driver, running, wait_for

PREFERENCES = {
    "marionette.port": 0,
    "dom.disable_beforeunload": False,
    # Nothing but this machine can be reached: whatever is not on it goes to a proxy that does not exist.
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
}
FLAGS = ("--headless", "--no-remote", "--marionette", "--remote-debugging-port=0", "--remote-allow-system-access")
# With WebDriver BiDi switched on, the question before leaving is shown instead of being accepted at once.
SESSION = {"webSocketUrl": True, "unhandledPromptBehavior": {"default": "ignore", "beforeUnload": "ignore"}}
# The console also has what the browser says about itself, and warnings of directives that an older one does not know.
MESSAGES = """return Services.console.getMessageArray()
  .filter((message) => message instanceof Ci.nsIScriptError && !(message.flags & message.warningFlag)).map(String)
  .filter((message) => message.includes("http://127.0.0.1"))"""
# The command of the toolbar's button: it passes over entries that a page made while nobody touched it.
TOOLBAR = {"Back": "Browser:Back", "Forward": "Browser:Forward"}


class Firefox(Driver):
    """A Firefox and the line to it."""

    def __init__(self, line: socket.socket) -> None:
        """Open a session."""
        self.stream = line.makefile("rwb")
        self.number = 0
        self._receive()
        self.version = str(self.call("NewSession", **SESSION)["capabilities"]["browserVersion"])

    def call(self, command: str, **parameters: Any) -> Any:
        """Carry out a command; Back and Forward are those of the toolbar."""
        if command in TOOLBAR:
            return self._in_the_browser(f"document.getElementById('{TOOLBAR[command]}').doCommand()")
        return self._send(f"WebDriver:{command}", parameters)

    def listen(self) -> None:
        """Do nothing: the console hears everything from the first byte of a page on."""

    def complaints(self) -> list[str]:
        """Return the errors in the browser's console that are about pages of the tests."""
        return list(self._in_the_browser(MESSAGES))

    def leave(self, script: str) -> bool:
        """Leave the page, and confirm the question where there is one."""
        self.evaluate(f"{MARK}; {script}")
        is_asked = wait_for(lambda: "asked" if self._confirm() else not self.is_marked(), "another page") == "asked"
        wait_for(lambda: not self.is_marked(), "another page")
        return is_asked

    def _confirm(self) -> bool:
        try:
            self.call("AcceptAlert")
        except CommandRefused:
            return False
        return True

    def _in_the_browser(self, script: str) -> Any:
        self._send("Marionette:SetContext", {"value": "chrome"})
        try:
            return self.evaluate(script)
        finally:
            self._send("Marionette:SetContext", {"value": "content"})

    def _send(self, command: str, parameters: dict[str, Any]) -> Any:
        self.number += 1
        message = json.dumps([0, self.number, command, parameters]).encode()
        self.stream.write(b"%d:%s" % (len(message), message))
        self.stream.flush()
        _, _, error, result = self._receive()
        if error:
            raise CommandRefused(f"{command}: {error['error']}: {error['message']}")
        return result["value"] if isinstance(result, dict) and result.keys() == {"value"} else result

    def _receive(self) -> Any:
        length = b""
        while (digit := self.stream.read(1)) != b":":
            assert digit, "Firefox is gone"
            length += digit
        return json.loads(self.stream.read(int(length)))


@contextmanager
def firefox(programs: list[str], folder: Path) -> Iterator[Firefox]:
    """Start a Firefox with a fresh profile."""
    profile = folder / "profile"
    profile.mkdir(parents=True)
    lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items())
    (profile / "user.js").write_text("".join(lines))
    with running([programs[0], *FLAGS, "--profile", str(profile)], folder / "firefox.log"):
        port = profile / "MarionetteActivePort"
        number = wait_for(lambda: port.exists() and port.read_text(), "a Firefox that starts", seconds=START_SECONDS)
        with socket.create_connection(("127.0.0.1", int(number)), timeout=START_SECONDS) as line:
            yield Firefox(line)
