"""Log lines that cannot contain what somebody sent.

The rule here: a line of this program is a fixed sentence with numbers and the names of error types. For any other
library only the place in its code is written, because its text could quote a body, an address, a query or a header; and
for an exception only its type. One JSON object per line for programs, a plain line on a terminal, always on stderr.
"""

from __future__ import annotations

import json
import logging
import sys
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

# Without the app's own logger, `hushpoll_server`: Flask writes addresses to it.
_OURS: Final = ("hushpoll_server.", "hushpoll_shared.")
# The web server's logger has its own handlers, which write whatever they get.
_SERVER: Final = "_granian"


class SafeFormatter(logging.Formatter):
    """A formatter that writes only what may be known of a record."""

    def __init__(self, *, plain: bool) -> None:
        """Choose plain lines, or JSON."""
        super().__init__()
        self._plain = plain

    def format(self, record: logging.LogRecord) -> str:
        """Return the line for a record."""
        fields = {
            "time": datetime.fromtimestamp(int(record.created), UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record),
        }
        return f"{fields['level']}: {fields['message']}" if self._plain else json.dumps(fields)


class StderrHandler(logging.Handler):
    """A handler that writes to standard error, which may be replaced while the program runs."""

    def __init__(self) -> None:
        """Choose plain lines if standard error is a terminal now, else JSON."""
        super().__init__()
        self.setFormatter(SafeFormatter(plain=sys.stderr.isatty()))

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line; one that cannot be written is lost silently."""
        with suppress(OSError, ValueError, TypeError):
            sys.stderr.write(f"{self.format(record)}\n")
            sys.stderr.flush()


def install() -> None:
    """Send every log line of this process through this handler; calling it again changes nothing."""
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
    error_type = record.exc_info[0] if record.exc_info else None
    return f"{text} [{error_type.__name__}]" if error_type else text
