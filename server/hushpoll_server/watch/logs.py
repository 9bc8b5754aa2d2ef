"""Log lines that cannot hold what somebody sent.

The law here: a line of this program holds its fixed sentence with numbers and names of kinds of errors. Of any other
library only the place is written, because its text could quote a body, an address, a query or a header; and of an
exception only its kind. One JSON object a line for programs, a plain line on a terminal, always on stderr.
"""

from __future__ import annotations

import json
import logging
import sys
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

# Not the app's own logger, `hushpoll_server`: Flask writes addresses to it.
_OURS: Final = ("hushpoll_server.", "hushpoll_shared.")
# The web server has handlers of its own, which write whatever they get.
_SERVER: Final = "_granian"


class SafeFormatter(logging.Formatter):
    """Write what may be known of a record."""

    def __init__(self, *, plain: bool) -> None:
        """Write plain lines, or JSON."""
        super().__init__()
        self._plain = plain

    def format(self, record: logging.LogRecord) -> str:
        """Write one line."""
        fields = {
            "time": datetime.fromtimestamp(int(record.created), UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record),
        }
        return f"{fields['level']}: {fields['message']}" if self._plain else json.dumps(fields)


class StderrHandler(logging.Handler):
    """Write to standard error, which may be replaced while the program runs."""

    def __init__(self) -> None:
        """Look once whether somebody reads along."""
        super().__init__()
        self.setFormatter(SafeFormatter(plain=sys.stderr.isatty()))

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line; one that cannot be written is lost, and nothing is said of it."""
        with suppress(OSError, ValueError, TypeError):
            sys.stderr.write(f"{self.format(record)}\n")
            sys.stderr.flush()


def install() -> None:
    """Let every log line of this process take this way; calling it again changes nothing."""
    root, server = logging.getLogger(), logging.getLogger(_SERVER)
    if not any(isinstance(handler, StderrHandler) for handler in root.handlers):
        root.addHandler(StderrHandler())
    server.handlers.clear()
    server.propagate = True


def _message(record: logging.LogRecord) -> str:
    if record.name.startswith(_OURS):
        text = record.getMessage()
    else:
        text = f"a line of another library, not shown ({record.module}:{record.lineno})"
    kind = record.exc_info[0] if record.exc_info else None
    return f"{text} [{kind.__name__}]" if kind else text
