"""How much of an empty request's speed is left when a report is checked, committed and acknowledged.

Single reports are posted over 64 connections to the real `hushpoll serve`. On the same processor run an app that sends
an empty 204 (see `floor`) and one that commits each report by itself (see `orm_server`). They are measured in turn,
round by round, and each round gives its ratios: the machine's clock and disk drift too much for anything else. Then
reports arrive at half the measured rate, and the time from arrival to response is measured.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from bench import floor, orm_server
from bench.floor import Floors
from bench.instance import POSTGRES, SQLITE, Running, send, send_reports
from bench.load import Outcome
from bench.processes import served
from bench.results import Effort, Figure, Watcher, at_least, below

GOALS = {SQLITE: 1.1, POSTGRES: 1.0}
GOAL_P99_MS = 50.0
HALF = 0.5
# Above this share of the time the load generator is the limit, not the server.
TOO_BUSY = 0.9


@dataclass(frozen=True)
class Round:
    """One measurement of each server, taken right after each other."""

    empty: Outcome
    same_server: Outcome
    report: Outcome
    orm: Outcome

    @property
    def of_floor(self) -> float:
        """Return the reports stored in the time of one empty response on the same server."""
        return self.report.rate / self.same_server.rate

    @property
    def of_flask(self) -> float:
        """Return the reports stored in the time of one empty response of Flask alone."""
        return self.report.rate / self.empty.rate

    @property
    def of_orm(self) -> float:
        """Return the reports stored in the time of one that is committed by itself."""
        return self.report.rate / self.orm.rate


def steps(effort: Effort) -> int:
    """Return the number of steps that are announced."""
    return _rounds(effort) + 1


def measure(server: Running, floors: Floors, effort: Effort, watcher: Watcher) -> list[Figure]:
    """Measure the three servers in turn, then the real one at half of its speed."""
    seconds, measured = effort.choose(full=2, quick=1), server.instance
    rounds: list[Round] = []
    command = [sys.executable, "-m", "bench.orm_server"]
    with served(command, floor.PATH, environment=measured.environment) as (orm_port, _):
        for _ in range(_rounds(effort)):
            watcher.step(f"{measured.engine}: single reports, 64 connections")
            rounds.append(_round(floors, orm_port, server, seconds))
        watcher.step(f"{measured.engine}: at half of saturation")
        half = at_half(server, median(each.report.rate for each in rounds), seconds=effort.choose(full=8, quick=2))
    if busy(rounds) > TOO_BUSY:
        watcher.note(f"{measured.engine}: the load generator was the limit, not the server. The true ratio is unknown.")
    return figures(measured.engine, rounds, half)


def at_half(server: Running, rate: float, *, seconds: int) -> Outcome:
    """Send reports at half of a rate."""
    return send_reports(server.port, server.instance, rate=HALF * rate, seconds=seconds)


def figures(engine: str, rounds: list[Round], half: Outcome) -> list[Figure]:
    """Compare the rounds' medians with the goals."""

    def middle(value: Callable[[Round], float]) -> float:
        return median(value(each) for each in rounds)

    of_floor, of_flask = sorted(each.of_floor for each in rounds), sorted(each.of_flask for each in rounds)
    goal = at_least(GOALS[engine])
    return [
        Figure(what=f"{engine}: reports / Flask's 204s, same server", value=median(of_floor), unit="ratio", goal=goal),
        Figure(what=f"{engine}: its lowest of {len(rounds)} rounds", value=of_floor[0], unit="ratio"),
        Figure(what=f"{engine}: its highest", value=of_floor[-1], unit="ratio"),
        Figure(what=f"{engine}: reports / Flask's 204s, alone", value=median(of_flask), unit="ratio", goal=goal),
        Figure(what=f"{engine}: its lowest of {len(rounds)} rounds, alone", value=of_flask[0], unit="ratio"),
        Figure(what=f"{engine}: its highest, alone", value=of_flask[-1], unit="ratio"),
        Figure(what=f"{engine}: group commit / ORM commits", value=middle(lambda each: each.of_orm), unit="ratio"),
        Figure(what=f"{engine}: empty 204s, same server", value=middle(lambda each: each.same_server.rate), unit="/s"),
        Figure(what=f"{engine}: empty 204s, Flask alone", value=middle(lambda each: each.empty.rate), unit="/s"),
        Figure(what=f"{engine}: reports", value=middle(lambda each: each.report.rate), unit="/s"),
        Figure(what=f"{engine}: ORM commits", value=middle(lambda each: each.orm.rate), unit="/s"),
        Figure(what=f"{engine}: at saturation, p99", value=1000 * middle(lambda each: each.report.p99), unit="ms"),
        Figure(what=f"{engine}: ORM commits, p99", value=1000 * middle(lambda each: each.orm.p99), unit="ms"),
        Figure(what=f"{engine}: at half of it, p50", value=1000 * half.p50, unit="ms"),
        Figure(what=f"{engine}: at half of it, p99", value=1000 * half.p99, unit="ms", goal=below(GOAL_P99_MS)),
        Figure(what=f"{engine}: load generator, busy share", value=busy(rounds), unit="ratio"),
    ]


def busy(rounds: list[Round]) -> float:
    """Return the largest share of the time in which the load generator was busy."""
    return max(median(each.empty.busy for each in rounds), median(each.report.busy for each in rounds))


def _rounds(effort: Effort) -> int:
    return effort.choose(full=7, quick=2)


def _round(floors: Floors, orm_port: int, server: Running, seconds: int) -> Round:
    return Round(
        empty=send(floors.alone, floor.PATH, expected="204", seconds=seconds),
        same_server=send(floors.asgi, floor.PATH, expected="204", seconds=seconds),
        report=send_reports(server.port, server.instance, seconds=seconds),
        orm=send_reports(orm_port, server.instance, path=orm_server.PATH, seconds=seconds),
    )
