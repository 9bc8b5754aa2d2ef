"""What a page that updates by itself may show, and for which looks its limits are made.

The rule here: no single arrival is shown. A live page gets new figures when at least `STEP` more reports arrived than
it shows, or when the survey is no longer open. The page itself says what it shows, so the server remembers nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from werkzeug.datastructures import ETags

from hushpoll_server.estimate.results import Coverage
from hushpoll_server.surveys.service import Phase
from hushpoll_server.watch.metrics import STEP

_TAG = re.compile(r"(?P<phase>[a-z-]+)-(?P<reports>[0-9]{1,15})")


def default_coverage(phase: Phase) -> Coverage:
    """Return what the level holds for where nobody chose: whoever watches an open survey looks again and again."""
    return "anytime" if phase == "open" else "pointwise"


@dataclass(frozen=True, kw_only=True)
class Live:
    """The state of a survey that a page shows."""

    phase: Phase
    reports: int
    now: datetime
    step: int = STEP

    @property
    def is_open(self) -> bool:
        """Return whether the page updates by itself."""
        return self.phase == "open"

    @property
    def tag(self) -> str:
        """Return the tag of a page: what it shows, in the words of its address."""
        return f"{self.phase}-{self.reports}"

    def is_shown_with(self, tags: ETags) -> bool:
        """Return whether a page with one of these tags needs no new figures."""
        pages = filter(None, map(_TAG.fullmatch, tags.as_set(include_weak=True)))
        return any(page["phase"] == self.phase and 0 <= self.reports - int(page["reports"]) < STEP for page in pages)
