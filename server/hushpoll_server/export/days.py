"""How many reports came on which day, as a table and as a document.

The rule here: a day is listed with whole steps of reports only, as it is stored; days without any are left out. Reports
without a day are counted in rows of their own, so the rows add up to all reports.
"""

from __future__ import annotations

from collections.abc import Iterator

from hushpoll_server.counting.days import UNKNOWN, ReportDays
from hushpoll_server.export.columns import Column, Row, whole
from hushpoll_shared.manifest import Manifest

COLUMNS = (
    Column("survey", "the survey's name"),
    Column("manifest", "the id of the signed manifest that every report names"),
    Column("kind", "day; waiting for reports whose step is not complete; unknown for those of unknown days"),
    Column("day", "the day on which the reports were counted, UTC; a report may have come on an earlier one"),
    whole("reports", "how many reports; of a day in steps of 20"),
)


def day_rows(manifest: Manifest, days: ReportDays) -> Iterator[Row]:
    """Yield a row for each day, then those of the reports that have none."""
    about = {"survey": manifest.survey, "manifest": manifest.id}
    for day, reports in days.by_day.items():
        yield {**about, "kind": "day", "day": day.isoformat(), "reports": reports}
    yield {**about, "kind": "waiting", "reports": days.waiting}
    yield {**about, "kind": UNKNOWN, "reports": days.unknown}


def days_document(manifest: Manifest, key: str, days: ReportDays) -> Row:
    """Return the same as a document, with the response rate where the size of the population is declared."""
    population = manifest.population
    return {
        "survey": manifest.survey,
        "manifest": manifest.id,
        "key": key,
        "reports": days.reports,
        "population": population,
        "response_rate": None if population is None else days.reports / population,
        "days": [{"day": day.isoformat(), "reports": reports} for day, reports in days.by_day.items()],
        "waiting": days.waiting,
        UNKNOWN: days.unknown,
    }
