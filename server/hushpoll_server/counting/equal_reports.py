"""Whole reports that are equal in the draws to all questions: how often each occurs."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from hushpoll_server.counting.stored_draws import write_draws
from hushpoll_shared.mechanisms import Draw

# This many of the most frequent reports are checked: an invented one can be less frequent than honest ones.
MOST_CHECKED_REPORTS = 10


@dataclass(frozen=True)
class EqualReport:
    """A whole report, as `stored_draws` writes it: how often it occurs, and how often each of its draws does."""

    draws: str
    times: int
    parts: tuple[int, ...]


@dataclass(frozen=True)
class EqualReports:
    """The most frequent whole reports, and how many reports were searched."""

    most: tuple[EqualReport, ...]
    reports: int

    @classmethod
    def among(cls, reports: Iterable[Mapping[str, Draw]]) -> Self:
        """Find the most frequent reports, from the draws of all reports."""
        return cls.of(Counter(map(write_draws, reports)))

    @classmethod
    def of(cls, times: Mapping[str, int]) -> Self:
        """Find the most frequent reports, given how often each occurs."""
        # No draw contains a comma.
        split = {draws: draws[1:-1].split(",") for draws in times}
        parts: Counter[tuple[int, str]] = Counter()
        for draws, number in times.items():
            for place in enumerate(split[draws]):
                parts[place] += number
        most = heapq.nlargest(MOST_CHECKED_REPORTS, times, key=lambda draws: times[draws])
        listed = (
            EqualReport(each, times[each], tuple(parts[part] for part in enumerate(split[each]))) for each in most
        )
        return cls(tuple(listed), sum(times.values()))
