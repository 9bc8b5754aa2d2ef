"""Notice when reports to a survey come far faster than before, and store only how often that happened.

Single reports are counted in memory, for each survey and minute. The rule here: no time is stored. A burst is hundreds
of reports, so the number of bursts reveals nothing about the arrival of one. Batches are left out: they come from
gateways, which are trusted, and all at once.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

WINDOW_SECONDS = 60
# The fewest reports in one minute, to one process, that can be a burst.
LEAST_BURST_REPORTS = 600
# A burst has this many times the reports of a usual minute.
BURST_FACTOR = 20
# A process that has just started does not know yet what is usual.
WARM_UP_WINDOWS = 10
# The usual number is an average over about an hour.
MEMORY_WINDOWS = 60


@dataclass(slots=True)
class _Minute:
    """The number of reports to a survey in the current minute, and the usual number."""

    window: int
    count: int
    limit: float
    usual: float


class Arrivals:
    """The arrivals of reports at one process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Count by this clock."""
        self._clock, self._start = clock, clock()
        self._minutes: dict[str, _Minute] = {}

    def note(self, survey: str) -> bool:
        """Count a report; return whether it makes this minute a burst."""
        window = int((self._clock() - self._start) // WINDOW_SECONDS)
        minute = self._minutes.get(survey)
        if minute is None or minute.window != window:
            minute = self._minutes[survey] = _next_minute(minute, window)
        minute.count += 1
        if minute.count < minute.limit or window < WARM_UP_WINDOWS:
            return False
        # At most once for each minute.
        minute.limit = math.inf
        return True


def _next_minute(last: _Minute | None, window: int) -> _Minute:
    if last is None:
        return _Minute(window, 0, LEAST_BURST_REPORTS, 0.0)
    # While the process is young, the average is over its whole life.
    weight = 1 / min(last.window + 1, MEMORY_WINDOWS)
    usual = last.usual + (last.count - last.usual) * weight
    usual *= (1 - 1 / MEMORY_WINDOWS) ** (window - last.window - 1)
    return _Minute(window, 0, max(LEAST_BURST_REPORTS, int(BURST_FACTOR * usual)), usual)
