"""A share over the waves of a survey: changes with intervals, a test of no change, and the trend.

The rule here: nobody's reports are linked by Hushpoll. Without a statement about the people a change has the limits of
different people, and a warning says how many of the same people may have changed their answer for that to be cautious;
the trend allows for the same people, because its level is less certain with them. With a `Panel` the covariance is
bounded by what is stated; with reports that somebody else linked it is observed. A wave without reports has no figures
and is in no comparison.

References: G. Y. Zou, A. Donner (2008) for changes by variance recovery; docs/statistics/waves.md has the rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from hushpoll_server.estimate.combine import Combined
from hushpoll_server.estimate.errors import EstimateError, check_level
from hushpoll_server.estimate.groups.comparison import equal_shares
from hushpoll_server.estimate.groups.differences import difference_with
from hushpoll_server.estimate.intervals import Limits
from hushpoll_server.estimate.joint import NAMES_ONE
from hushpoll_server.estimate.results import Json, Result
from hushpoll_server.estimate.shares import estimate_shares
from hushpoll_server.estimate.support import SupportDesign, Tally
from hushpoll_server.estimate.tables.crosstable import Independence
from hushpoll_server.estimate.waves.panel import Panel, covariances_of_panel, covariances_of_reports, most_changed
from hushpoll_server.estimate.waves.trend import Trend, Waves, no_change, trend_of

MOST_WAVES = 100
# Nothing is stated about the people.
DIFFERENT = Panel()
# With fewer reports of yes or of no the normal law is not trusted.
_FEWEST_REPORTS = 5

EMPTY = "No reports in {names}: nothing is compared with what has none."
DIFFERENT_PEOPLE = (
    "The overlap of the waves is not stated. Changes have the limits of different people; for the same people these "
    "are wider than they need to be, as long as at most {most:.0%} of them changed their answer between two waves. The "
    "trend allows for the same people. State the overlap, 0 for different people."
)
MANY_CHANGED = (
    "From {first} to {second} the share changed by more than the stated part of people who changed their answer "
    "allows: state a larger one."
)
TWO_WAVES = "Two waves have a change and no trend: a line through two points tells nothing more."
FEW_REPORTS = (
    "Some wave has fewer than 5 reports of yes or of no. There is no test of all waves, and the trend's limits, which "
    "follow the normal law, are not to be relied on."
)


@dataclass(frozen=True, kw_only=True)
class Wave:
    """One wave: its name, the reports that support the answer, all its reports, the design, and its time."""

    name: str
    yes: SupportsIndex
    n: SupportsIndex
    design: SupportDesign
    time: float

    @classmethod
    def of(cls, result: Result, cell: str, *, name: str, time: float) -> Wave:
        """Return a wave from the result of a question, for one of its answers."""
        chosen = result.cells[result.place(cell)]
        asked = result.n if chosen.asked is None else chosen.asked
        return cls(name=name, yes=chosen.count, n=asked, design=result.design, time=time)


@dataclass(frozen=True, kw_only=True)
class Change:
    """How much larger the share is in the second of two waves than in the first."""

    first: str
    second: str
    change: Combined

    def to_json(self) -> Json:
        """Return the figures by the names of the contract."""
        return {"first": self.first, "second": self.second, **self.change.to_json()}


@dataclass(frozen=True, kw_only=True, eq=False)
class WavesResult:
    """The shares of all waves, the changes from each to the next and over all, the test of no change, and the trend."""

    waves: tuple[Result, ...]
    times: tuple[float, ...]
    changes: tuple[Change, ...]
    overall: Independence | None
    trend: Trend | None
    covariances: Limits
    level: float
    warnings: tuple[str, ...] = ()

    def to_json(self) -> Json:
        """Return what `hushpoll waves --json` prints."""
        test = self.overall
        tested = None if test is None else {"statistic": test.statistic, "df": test.degrees, "p_value": test.p_value}
        return {
            "level": self.level,
            "waves": [_wave_to_json(*each) for each in zip(self.waves, self.times, strict=True)],
            "changes": [change.to_json() for change in self.changes],
            "overall": tested,
            "trend": None if self.trend is None else self.trend.to_json(),
            "covariances": {"low": self.covariances.low.tolist(), "high": self.covariances.high.tolist()},
            "standard_errors": "plug-in",
            "warnings": list(self.warnings),
        }


def follow_waves(waves: Sequence[Wave], *, panel: Panel = DIFFERENT, level: float = 0.95) -> WavesResult:
    """Return how a share changes over waves."""
    _check(waves, level)
    asked = [wave for wave in waves if int(wave.n)]
    tallies = [_tally(wave) for wave in asked]
    people = _about_people(asked, tallies, panel)
    return _followed(
        waves, asked, covariances_of_panel(tallies, panel), people, level, linked=panel.overlap is not None
    )


def follow_linked(
    reports: ArrayLike,
    design: SupportDesign,
    *,
    names: Sequence[str],
    times: Sequence[float] | None = None,
    permanent: SupportDesign | None = None,
    level: float = 0.95,
) -> WavesResult:
    """Return how a share changes over waves whose reports are linked.

    `reports` has a row for each person and a column for each wave: 1 for yes, 0 for no, NaN where there is no report.
    """
    table = np.asarray(reports, np.float64)
    if table.ndim != 2 or table.shape[1] != len(names) or (times is not None and len(times) != len(names)):
        raise EstimateError("the reports do not have one column for each wave: give names and times of all columns")
    if not np.isin(table[~np.isnan(table)], (0.0, 1.0)).all():
        raise EstimateError("a report is neither 1 nor 0: give 1 for yes, 0 for no, and NaN where there is none")
    counted = zip(names, np.nansum(table, axis=0), (~np.isnan(table)).sum(axis=0), strict=True)
    waves = [
        Wave(name=name, yes=int(yes), n=int(n), design=design, time=float(place + 1) if times is None else times[place])
        for place, (name, yes, n) in enumerate(counted)
    ]
    _check(waves, level)
    asked = [wave for wave in waves if int(wave.n)]
    columns = table[:, [place for place, wave in enumerate(waves) if int(wave.n)]]
    tallies = [_tally(wave) for wave in asked]
    matrix = covariances_of_reports(_oriented(columns, design), tallies, permanent)
    return _followed(waves, asked, matrix, (), level, linked=True)


def _followed(
    waves: Sequence[Wave],
    asked: Sequence[Wave],
    covariances: Limits,
    people: tuple[str, ...],
    level: float,
    *,
    linked: bool,
) -> WavesResult:
    results = tuple(_result(wave, level) for wave in waves)
    tallies = [_tally(wave) for wave in asked]
    is_few = any(min(int(tally.count[0]), int((tally.n - tally.count)[0])) < _FEWEST_REPORTS for tally in tallies)
    series = Waves.of([wave.time for wave in asked], tallies, covariances) if asked else None
    overall = None
    if series is not None and len(asked) > 1 and not is_few:
        overall = no_change(series) if linked else equal_shares([_result(wave, level) for wave in asked])
    return WavesResult(
        waves=results,
        times=tuple(wave.time for wave in waves),
        changes=_changes(asked, tallies, covariances, level),
        overall=overall,
        trend=None if series is None or len(asked) < 3 else trend_of(series, level),
        covariances=covariances,
        level=level,
        warnings=(*_warnings(results, asked), *people, *((FEW_REPORTS,) if is_few else ())),
    )


def _changes(asked: Sequence[Wave], tallies: Sequence[Tally], covariances: Limits, level: float) -> tuple[Change, ...]:
    """Return the change from each wave to the next, and from the first to the last."""
    places = [*pairwise(range(len(asked))), *([(0, len(asked) - 1)] if len(asked) > 2 else [])]
    return tuple(
        Change(
            first=asked[one].name,
            second=asked[other].name,
            # The least covariance has the widest interval.
            change=difference_with(tallies[other], tallies[one], float(covariances.low[one, other]), level=level),
        )
        for one, other in places
    )


def _about_people(asked: Sequence[Wave], tallies: Sequence[Tally], panel: Panel) -> tuple[str, ...]:
    pairs = list(pairwise(zip(asked, tallies, strict=True)))
    if panel.overlap is None and pairs:
        most = min(most_changed(a, b, panel.permanent) for (_, a), (_, b) in pairs)
        return (DIFFERENT_PEOPLE.format(most=math.floor(100 * most) / 100),)
    return tuple(
        MANY_CHANGED.format(first=one.name, second=other.name)
        for (one, a), (other, b) in pairs
        if panel.overlap == 1 and abs(float((a.share - b.share)[0])) > panel.changed
    )


def _warnings(results: Sequence[Result], asked: Sequence[Wave]) -> tuple[str, ...]:
    empty = [result.cells[0].name for result in results if not result.n]
    own = [f"{result.cells[0].name}: {sentence}" for result in results if result.n for sentence in result.warnings]
    missing = (EMPTY.format(names=", ".join(empty)),) if empty else ()
    return (*own, *missing, *((TWO_WAVES,) if len(asked) == 2 else ()))


def _check(waves: Sequence[Wave], level: float) -> None:
    check_level(level)
    if not 2 <= len(waves) <= MOST_WAVES:
        raise EstimateError(f"{len(waves)} waves cannot be followed: give 2 to {MOST_WAVES}")
    if len({wave.name for wave in waves}) < len(waves):
        raise EstimateError("two waves have the same name: give each its own")
    times = np.array([wave.time for wave in waves], np.float64)
    if not np.isfinite(times).all() or (np.diff(times) <= 0).any():
        raise EstimateError("the times of the waves do not increase: give them in their order, as finite numbers")


def _result(wave: Wave, level: float) -> Result:
    return estimate_shares([(wave.name, wave.yes, wave.n)], wave.design, epsilon=None, joint=NAMES_ONE, level=level)


def _tally(wave: Wave) -> Tally:
    return Tally([int(wave.yes)], [int(wave.n)], wave.design).oriented()


def _oriented(reports: np.ndarray, design: SupportDesign) -> np.ndarray:
    return reports if design.gap > 0 else 1 - reports


def _wave_to_json(result: Result, time: float) -> Json:
    design = {"p": result.design.p, "q": result.design.q}
    return {**result.cells[0].to_json(), "n": result.n, "time": time, "method": result.method, **design}
