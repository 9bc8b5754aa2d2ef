"""How many reports to a survey were counted on which day, and how many have no day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

# Stands for the day of reports that came before days were counted.
UNKNOWN: Final = "unknown"


@dataclass(frozen=True)
class ReportDays:
    """All reports to a survey: those of each day, those of unknown days, and those that wait for a step."""

    by_day: Mapping[date, int]
    unknown: int
    waiting: int

    @classmethod
    def of(cls, stored: Mapping[str, int], reports: int) -> ReportDays:
        """Return what the stored counts say, given how many reports there are."""
        by_day = {date.fromisoformat(day): count for day, count in sorted(stored.items()) if is_date(day)}
        counted = sum(stored.values())
        return cls(by_day, counted - sum(by_day.values()), max(0, reports - counted))

    @property
    def reports(self) -> int:
        """Return how many reports there are."""
        return sum(self.by_day.values()) + self.unknown + self.waiting


def is_date(day: str) -> bool:
    """Return whether this is a day, as it is stored."""
    try:
        return date.fromisoformat(day).isoformat() == day
    except ValueError:
        return False
