"""Notice when reports to a survey come far faster than before, and keep nothing but how often that happened.

Single reports are counted in memory, for each survey and minute. The law here: no time is stored. A burst is hundreds
of reports, so that the number of bursts tells nothing about the arrival of one. Batches are left out: they come from
gateways, which are trusted, and all at once.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

WINDOW_SECONDS = 60
# Reports in one minute, to one process, below which no rate is remarkable.
LEAST = 600
# A burst has so many times the reports of a usual minute.
FACTOR = 20
# A process that has just started knows no usual minute yet.
WARM_UP_WINDOWS = 10
# The usual minute is an average over about an hour.
MEMORY_WINDOWS = 60


@dataclass(slots=True)
class _Minute:
    """The reports of a survey in the current minute, and what is usual."""

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
        """Count a report; tell whether it makes this minute a burst."""
        window = int((self._clock() - self._start) // WINDOW_SECONDS)
        minute = self._minutes.get(survey)
        if minute is None or minute.window != window:
            minute = self._minutes[survey] = _next_minute(minute, window)
        minute.count += 1
        if minute.count < minute.limit or window < WARM_UP_WINDOWS:
            return False
        # Once for each minute.
        minute.limit = math.inf
        return True


def _next_minute(last: _Minute | None, window: int) -> _Minute:
    if last is None:
        return _Minute(window, 0, LEAST, 0.0)
    # While the process is young the average is over all of its life.
    weight = 1 / min(last.window + 1, MEMORY_WINDOWS)
    usual = last.usual + (last.count - last.usual) * weight
    usual *= (1 - 1 / MEMORY_WINDOWS) ** (window - last.window - 1)
    return _Minute(window, 0, max(LEAST, int(FACTOR * usual)), usual)
