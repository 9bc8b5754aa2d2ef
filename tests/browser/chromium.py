"""A Chromium in a process of its own with a profile on disk: to be killed, closed and started again.

The tests' shared browser keeps everything in memory. What survives a crash can only be seen with one that does not.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

from playwright.sync_api import Browser, BrowserType, Page
from tests.running.tools import CHROMIUM_FLAGS, Tools

START_SECONDS = 30
PAGE_MILLISECONDS = 10_000


class ChromiumProcess:
    """One person's browser: its profile outlives its process."""

    def __init__(self, tools: Tools, playwright: BrowserType, profile: Path) -> None:
        self.tools, self.playwright, self.profile = tools, playwright, profile
        self.process: subprocess.Popen[bytes] | None = None
        self.browser: Browser | None = None

    def open(self) -> Page:
        """Start the browser and return its page."""
        port = self.profile / "DevToolsActivePort"
        port.unlink(missing_ok=True)
        command = [str(self.tools.chromium), *CHROMIUM_FLAGS, "--headless", "--remote-debugging-port=0"]
        environment = {name: str(value) for name, value in self.tools.chromium_environment.items()}
        # A group of its own, so that a kill reaches every process of the browser.
        self.process = subprocess.Popen(
            [*command, f"--user-data-dir={self.profile}", "about:blank"],
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        self.browser = self.playwright.connect_over_cdp(f"http://127.0.0.1:{self._wait_for(port)}")
        page = self.browser.contexts[0].new_page()
        page.set_default_timeout(PAGE_MILLISECONDS)
        return page

    def _wait_for(self, port: Path) -> str:
        deadline = time.monotonic() + START_SECONDS
        while not port.exists() or not port.read_text().strip():
            if time.monotonic() > deadline:
                raise RuntimeError("Chromium does not start")
            time.sleep(0.02)
        return port.read_text().split()[0]

    def kill(self) -> None:
        """End every process of the browser as a crash or a flat battery would."""
        self._end(signal.SIGKILL)

    def close(self) -> None:
        """Close the browser as its user does."""
        if self.browser:
            session = self.browser.new_browser_cdp_session()
            session.send("Browser.close")
        self._end(None)

    def _end(self, sign: signal.Signals | None) -> None:
        if self.process:
            if sign:
                os.killpg(self.process.pid, sign)
            self.process.wait(START_SECONDS)
        self.process = self.browser = None
