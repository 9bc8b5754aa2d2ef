"""Pages whose figures are computed from all reports: what takes longer than a second is sent gradually.

The browser shows how many reports were read, in plain HTML; a rule of the style sheet hides each line when the next one
has come, and the last one when the result has. The rule here: what can be told within a second is an ordinary page, and
whoever leaves the page ends the work for it.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from flask import Response, copy_current_request_context, current_app, g

from hushpoll_server.dashboard import formatting
from hushpoll_server.results.scans import Scan
from hushpoll_server.web.wsgi import GRADUAL

log = logging.getLogger(__name__)

# What takes no longer than this is an ordinary page.
QUIET_SECONDS = 1.0
# How often the page says how far it is.
STEP_SECONDS = 0.5
# Where the result begins in the page.
MARKER = "<!-- result -->"


class Render(Protocol):
    """What renders a page, with or without its result."""

    def __call__(self, *, is_running: bool) -> str:
        """Return the page; while its scan runs there is no result yet."""


def shown(scan: Scan[Any] | None, render: Render) -> str | Response:
    """Return a page as soon as its scan has ended."""
    if scan is None:
        return render(is_running=False)
    if scan.wait(QUIET_SECONDS):
        with scan:
            return render(is_running=False)
    return Response(ScanPage(scan, render), mimetype="text/html", headers=[GRADUAL])


class ScanPage:
    """The parts of a page whose scan still runs."""

    def __init__(self, scan: Scan[Any], render: Render) -> None:
        """Render what stands around the result, for the request that is being handled."""
        self._scan, self._is_open = scan, True
        self._before, _, self._after = render(is_running=True).partition(MARKER)
        self._lines = current_app.jinja_env.get_template("dashboard/scan.html")
        self._render = _later(render)

    def __iter__(self) -> Iterator[str]:
        """Yield the beginning, how far the scan is, and the result; a line break tells proxies that it goes on."""
        yield self._before
        told = ""
        while not self._scan.wait(STEP_SECONDS):
            line = self._line("reading" if self._scan.has_turn else "waiting")
            yield line if line != told else "\n"
            told = line
        yield self._line("read")
        yield self._line("done") + self._result()

    def close(self) -> None:
        """Wait for the scan no longer."""
        if self._is_open:
            self._is_open = False
            self._scan.leave()

    def _line(self, step: str) -> str:
        return self._lines.render(step=step, scan=self._scan, figures=formatting)

    def _result(self) -> str:
        try:
            _, _, result = self._render().partition(MARKER)
        except Exception as error:  # noqa: BLE001 (the status was sent: a sentence is all that is left)
            [*_, last] = traceback.extract_tb(error.__traceback__)
            log.error("%s at %s:%s", type(error).__name__, last.filename, last.lineno)
            return self._line("failed") + self._after
        return result


def _later(render: Render) -> Callable[[], str]:
    """Return a function that renders the result for the same request when that is no longer being handled."""
    kept = dict(vars(g))

    @copy_current_request_context
    def rendered() -> str:
        vars(g).update(kept)
        return render(is_running=False)

    return rendered
