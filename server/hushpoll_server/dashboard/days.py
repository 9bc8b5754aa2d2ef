"""The card of reports per day: a chart and a table of days, or of weeks, months or years if there are many.

The rule here: what is listed adds up to all reports. Those that have no day are listed, and not drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from itertools import islice

from markupsafe import Markup

from hushpoll_server.counting.days import ReportDays
from hushpoll_server.dashboard import formatting
from hushpoll_server.dashboard.axis import LEFT, SPAN, round_numbers
from hushpoll_server.dashboard.chart import svg_template
from hushpoll_server.words.languages import ENGLISH

# More bars than this would be thinner than a line on a phone.
MOST_BARS = 62
# Pixels.
HEIGHT = 150
# A bar takes this part of its place, and at most this many percent of the width; the space above the highest bar.
_FILLED, _WIDEST, _HEADROOM = 0.8, 12.0, 1.05
_SHORT_MONTH = 3


@dataclass(frozen=True)
class Unit:
    """What a bar stands for: with which day it begins, how many days later the next one has begun, and its name."""

    name: str
    start: Callable[[date], date]
    days: int
    label: Callable[[date], str]

    def starts(self, first: date, last: date) -> Iterator[date]:
        """Yield the first day of each unit from one day to another."""
        start = self.start(first)
        while start <= last:
            yield start
            start = self.start(start + timedelta(days=self.days))


@dataclass(frozen=True)
class Bar:
    """The reports of one day, week, month or year, with its place in percent of the width and its height in pixels."""

    start: date
    label: str
    reports: int
    x: float
    width: float
    height: float


@dataclass(frozen=True)
class DaysCard:
    """The reports of a survey by day, from the first day with any to the last, or to a later one."""

    days: ReportDays
    until: date | None = None

    @cached_property
    def unit(self) -> Unit:
        """Return the smallest unit that leaves few enough bars; years in any case."""
        few = (unit for unit in UNITS[:-1] if len(list(islice(self._starts(unit), MOST_BARS + 1))) <= MOST_BARS)
        return next(few, UNITS[-1])

    @cached_property
    def bars(self) -> tuple[Bar, ...]:
        """Return a bar for each unit, also where there were no reports."""
        reports = self._reports
        starts = list(self._starts(self.unit))
        place = SPAN / max(1, len(starts))
        width = min(_WIDEST, _FILLED * place)
        return tuple(
            Bar(
                start,
                self.unit.label(start),
                reports[start],
                x=round(LEFT + place * (number + 0.5) - width / 2, 3),
                width=round(width, 3),
                height=round(HEIGHT * reports[start] / self._top, 2),
            )
            for number, start in enumerate(starts)
        )

    @property
    def counted(self) -> int:
        """Return how many reports have a day."""
        return sum(self.days.by_day.values())

    @property
    def heights(self) -> list[tuple[float, str]]:
        """Return where numbers of reports stand beside the chart, in pixels from its top."""
        numbers = round_numbers(0, self._top, 4)
        return [(round(HEIGHT * (1 - number / self._top), 2), formatting.whole(round(number))) for number in numbers]

    @property
    def names(self) -> list[tuple[float, str, str]]:
        """Return the names below the axis with their places and anchors: first bar, one between, last."""
        if len(self.bars) == 1:
            return [(self._centre(0), "middle", _short(self.bars[0].start))]
        last = len(self.bars) - 1
        between = [(last // 2, "middle")] if last > 1 else []
        places = [(0, "start"), *between, (last, "end")]
        ends = {"start": LEFT, "end": LEFT + SPAN}
        return [
            (ends.get(anchor, self._centre(place)), anchor, _short(self.bars[place].start)) for place, anchor in places
        ]

    @property
    def description(self) -> str:
        """Return the chart in words."""
        most = max(self.bars, key=lambda bar: bar.reports)
        span = f"from {long_date(self.bars[0].start)} to {long_date(self.bars[-1].start)}"
        return (
            f"{formatting.reports(self.counted)} by {self.unit.name}, {span}. "
            f"The most are {formatting.whole(most.reports)}: {most.label}."
        )

    def chart(self) -> Markup:
        """Draw the bars."""
        text = svg_template("dashboard/days.svg").render(card=self, chart_height=HEIGHT, left=LEFT, span=SPAN)
        return Markup(text)  # noqa: S704 (rendered by a template that escapes every text)

    @cached_property
    def _reports(self) -> Counter[date]:
        reports = Counter[date]()
        for day, number in self.days.by_day.items():
            reports[self.unit.start(day)] += number
        return reports

    @property
    def _top(self) -> float:
        return max([*self._reports.values(), 1]) * _HEADROOM

    def _starts(self, unit: Unit) -> Iterator[date]:
        if not self.days.by_day:
            return iter(())
        first, last = min(self.days.by_day), max(self.days.by_day)
        return unit.starts(first, max(last, self.until or last))

    def _centre(self, place: int) -> float:
        return round(self.bars[place].x + self.bars[place].width / 2, 3)


def long_date(day: date) -> str:
    """Return a day in words."""
    return f"{day.day} {_month(day)} {day.year}"


def _short(day: date) -> str:
    return f"{day.day} {_month(day)[:_SHORT_MONTH]} {day.year}"


def _month(day: date) -> str:
    month: str = ENGLISH["months"][day.month - 1]
    return month


UNITS = (
    Unit("day", lambda day: day, 1, long_date),
    Unit("week", lambda day: day - timedelta(days=day.weekday()), 7, lambda day: f"week of {long_date(day)}"),
    Unit("month", lambda day: day.replace(day=1), 31, lambda day: f"{_month(day)} {day.year}"),
    Unit("year", lambda day: day.replace(month=1, day=1), 366, lambda day: str(day.year)),
)
