"""Count what the server does, for its operator: how much, how fast, and what goes wrong; never who, where or which.

The rule here: figures do not reveal when a report arrived. They are sums over all surveys, and those that good reports
change are updated only every twenty reports: on a quiet server they stay the same instead of ticking whenever somebody
answers. What goes wrong is shown at once, because what was refused is not in the database. ADR 29 gives the reasons.
"""

from __future__ import annotations

import logging
import os
import threading
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from hushpoll_server.store.files import make_folder
from hushpoll_server.watch.shared_counters import (
    CounterFile,
    CounterLayout,
    CounterReading,
    Key,
    locked_counts,
    read_counter_files,
)
from hushpoll_shared import problems
from hushpoll_shared.problems import Problem

log = logging.getLogger(__name__)

# What good reports move by itself, here, in the counts by day and on live pages, moves in steps of this many of them.
STEP: Final = 20
FOLDER: Final = "metrics"
OUTCOMES: Final = ("accepted", "duplicate")
SIZES: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
CLASSES: Final = ("1xx", "2xx", "3xx", "4xx", "5xx")
# For requests to an unknown path.
NO_ROUTE: Final = "none"

_ACCEPTED: Final[Key] = ("reports", "accepted")
_WAITING: Final[Key] = ("waiting",)
_FAILED: Final[Key] = ("commits", "failed")
_STORED: Final[Key] = ("commits", "stored")
_WRITTEN: Final[Key] = ("written",)
_MICROSECONDS: Final[Key] = ("microseconds",)
_SHOWN: Final = "shown"


class Metrics:
    """The figures of one instance; nothing is counted until they are switched on."""

    def __init__(self) -> None:
        """Count nothing yet."""
        self._lock = threading.Lock()
        self._folder: Path | None = None
        self._process = 0
        self._counts: memoryview

    def switch_on(self, home: Path, routes: Iterable[str]) -> None:
        """Count from now on, in the instance's home; the routes are all that exist."""
        self._layout = layout_of(routes)
        self._places = {key: place for place, key in enumerate(self._layout.keys)}
        self._folder = home / FOLDER

    @property
    def is_on(self) -> bool:
        """Return whether anything is counted in this process."""
        return self._folder is not None

    def waiting(self, number: int) -> None:
        """Count requests that begin to wait for a commit; a negative number is for those that no longer wait."""
        self._add({_WAITING: number})

    def committed(self, outcomes: Mapping[str, int], reports: int, seconds: float) -> None:
        """Count a commit: what became of its reports, how many there were, how long it took."""
        self._add(
            {
                _STORED: 1,
                ("sizes", str(bisect_left(SIZES, reports))): 1,
                ("seconds", str(bisect_left(SECONDS, seconds))): 1,
                _WRITTEN: reports,
                _MICROSECONDS: round(seconds * 1e6),
                **{("reports", outcome): outcomes.get(outcome, 0) for outcome in OUTCOMES},
            }
        )

    def failed(self) -> None:
        """Count a commit that failed."""
        self._add({_FAILED: 1})

    def rejected(self, reasons: Mapping[Problem, int]) -> None:
        """Count reports that were refused."""
        self._add({("rejected", problem.name): number for problem, number in reasons.items()})

    def responded(self, route: str | None, status: int) -> None:
        """Count a response."""
        self._add({("requests", route or NO_ROUTE, CLASSES[status // 100 - 1]): 1})

    def read(self) -> tuple[dict[Key, int], list[CounterReading]]:
        """Return all figures as they may be shown, and the files that they come from."""
        assert self._folder is not None
        make_folder(self._folder)
        with locked_counts(self._folder / _SHOWN, self._layout) as shown:
            # Read under the lock: a process that read earlier than another and wrote later would set the figures back.
            readings = read_counter_files(self._folder, self._layout)
            totals = [sum(column) for column in zip(*(each.counts for each in readings), strict=True)]
            totals = totals or [0] * len(shown)
            accepted = self._places[_ACCEPTED]
            # If there are fewer than before, somebody removed the files.
            if not 0 <= totals[accepted] - shown[accepted] < STEP:
                for place, total in enumerate(totals):
                    shown[place] = total
            figures = {key: (totals if _is_live(key) else shown)[place] for key, place in self._places.items()}
        return {**figures, _WAITING: self._still_waiting(readings)}, readings

    def _still_waiting(self, readings: Iterable[CounterReading]) -> int:
        # Nobody waits for a process that has ended. Rounded down, because a queue of one would be one report's arrival.
        number = sum(each.counts[self._places[_WAITING]] for each in readings if each.process)
        return number // STEP * STEP

    def _add(self, changes: Mapping[Key, int]) -> None:
        folder = self._folder
        if folder is None:
            return
        with self._lock:
            if self._process != os.getpid() and not self._open_file(folder):
                return
            for key, number in changes.items():
                self._counts[self._places[key]] += number

    def _open_file(self, folder: Path) -> bool:
        # A file belongs to one process, and a fork is a different process.
        try:
            self._counts = CounterFile(folder, self._layout).counts
        except OSError as error:
            # Reports are accepted even if they cannot be counted here.
            log.error("metrics are off in this process: %s", type(error).__name__)
            self._folder = None
            return False
        self._counts[self._places[_WAITING]] = 0
        self._process = os.getpid()
        return True


def layout_of(routes: Iterable[str]) -> CounterLayout:
    """Return the layout of all figures: reasons, routes and ranges are known beforehand, so no request can add one."""
    return CounterLayout(
        (
            *(("reports", outcome) for outcome in OUTCOMES),
            *(("rejected", problem.name) for problem in problems.ALL),
            *(_STORED, _FAILED, _WRITTEN, _MICROSECONDS, _WAITING),
            *(("sizes", str(place)) for place in range(len(SIZES) + 1)),
            *(("seconds", str(place)) for place in range(len(SECONDS) + 1)),
            *(("requests", route, status) for route in (*sorted(set(routes)), NO_ROUTE) for status in CLASSES),
        )
    )


def _is_live(key: Key) -> bool:
    return key[0] == "rejected" or key == _FAILED or key[-1] in ("4xx", "5xx")
