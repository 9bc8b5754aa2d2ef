"""What all fault tests share: the survey, the books that are compared at the end, and the figures that are printed.

The oracle is the unique id: every respondent has one. An acknowledged id that is missing is a loss. A counter that
differs from a recount of the rows is a report counted twice, or not at all.
"""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields

from tests.faults.load import TRY_LATER, Respondents, send
from tests.running.server_process import ServerProcess
from tests.samples.surveys import KEY, make_report, two_questions
from tests.server.collect.recount import recount

from hushpoll_server.collect.days import possible_sum
from hushpoll_server.counting.tally import SurveyCounts
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_shared.manifest import Manifest

MEGABYTE = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Books:
    """What was promised against what is there."""

    acknowledged: int
    stored: int
    lost: int
    doubled: int
    never_sent: int

    @property
    def balance(self) -> bool:
        """Return whether nothing was lost, doubled or made up."""
        return self.lost == self.doubled == self.never_sent == 0


@dataclass(frozen=True, kw_only=True)
class Figures:
    """One line of the table that `make faults` prints; what a fault does not measure is left out."""

    fault: str
    engine: str
    times: int
    inputs: int | None = None
    acknowledged: int | None = None
    lost: int | None = None
    doubled: int | None = None
    try_later: int | None = None
    other_5xx: int | None = None
    recovery: float | None = None
    wait: float | None = None
    peak_memory: int | None = None

    def cells(self) -> Iterator[str]:
        """Write the figures as texts with their units."""
        for field in fields(self):
            yield _text(field.name, getattr(self, field.name))


def _text(name: str, value: object) -> str:
    if value is None:
        return ""
    if name == "peak_memory" and isinstance(value, int):
        return f"+{value / MEGABYTE:.0f} MB"
    if isinstance(value, float):
        return f"{value:.2f} s"
    return f"{value:,}" if isinstance(value, int) else str(value)


def table(lines: Collection[Figures]) -> list[str]:
    """Write figures as a table in Markdown, so that a document can show what was printed."""
    rows = [[field.name.replace("_", " ") for field in fields(Figures)], *(list(line.cells()) for line in lines)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    padded = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows]
    padded.insert(1, ["-" * width for width in widths])
    return [f"| {' | '.join(row)} |" for row in padded]


@contextmanager
def services_of(server: ServerProcess) -> Iterator[Services]:
    """Yield the services of a server's instance, in this process."""
    services = Services(Settings(home=server.home, db=server.database_url))
    with closing(services):
        yield services


def publish(server: ServerProcess) -> Manifest:
    """Publish the survey that all fault tests ask."""
    manifest = two_questions()
    with services_of(server) as services:
        services.surveys.publish(manifest, KEY)
    return manifest


def flat(counts: SurveyCounts) -> Counter[tuple[str, str]]:
    """Return the counters of a survey by question and name."""
    return Counter({(question, name): number for question in counts for name, number in counts[question].items()})


def serve_honest_client(server: ServerProcess) -> float:
    """Send one report to the survey that all ask; return the seconds until it was acknowledged."""
    started = time.monotonic()
    assert send(server.port, make_report(two_questions())) == 201
    return time.monotonic() - started


def books(server: ServerProcess, manifest: Manifest, acknowledged: Collection[str], sent: Collection[str]) -> Books:
    """Compare what was promised with what is in the database."""
    with services_of(server) as services:
        stored = {report.id for report in services.collect.reports(manifest.survey)}
        counts, recounted = services.collect.counts(manifest.survey), recount(services, manifest.survey)
        days = services.collect.days(manifest.survey)
    by_day = sum(days.values()) - possible_sum(days, len(stored))
    return Books(
        acknowledged=len(acknowledged),
        stored=len(stored),
        lost=len(set(acknowledged) - stored),
        doubled=((flat(counts) - flat(recounted)) + (flat(recounted) - flat(counts))).total() + by_day,
        never_sent=len(stored - set(sent)),
    )


def check_load(server: ServerProcess, manifest: Manifest, respondents: Respondents) -> dict[str, int]:
    """Check that the books of a load balance and that it saw no error; return its figures."""
    found = books(server, manifest, respondents.acknowledged, respondents.sent)
    assert found.balance, found
    assert not respondents.unexpected, respondents.statuses
    return {
        "inputs": respondents.statuses.total(),
        "acknowledged": found.acknowledged,
        "lost": found.lost,
        "doubled": found.doubled,
        "try_later": respondents.statuses[TRY_LATER],
        "other_5xx": other_errors(respondents.statuses),
    }


def other_errors(statuses: Mapping[int, int]) -> int:
    """Count the answers that say that the server failed, other than "try later"."""
    return sum(number for status, number in statuses.items() if status >= 500 and status != TRY_LATER)


def check_file(server: ServerProcess) -> None:
    """Check that a SQLite file is not damaged."""
    with closing(sqlite3.connect(server.database_url.removeprefix("sqlite:///"))) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
