"""What the estimates would cost without counters: recounting all stored reports. A separate program.

Once in SQL, grouped by question and draw; once through the ORM, row by row. It prints the seconds of each; both must
give the same counts.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable

from sqlalchemy import text
from sqlmodel import Session, select

from hushpoll_server.collect.models import ReportRow
from hushpoll_server.settings import load_settings
from hushpoll_server.store import Store

_GROUPED = {
    "sqlite": "SELECT key, value, count(*) FROM report, json_each(draws) GROUP BY key, value",
    "postgresql": "SELECT place - 1, draw, count(*) FROM report, "
    "json_array_elements_text(draws::json) WITH ORDINALITY AS each(draw, place) GROUP BY place, draw",
}
# Rows that the ORM holds at once: a million would take a gigabyte.
_ROWS_AT_ONCE = 1_000

# By the place of the question and the draw.
Counts = dict[tuple[int, str], int]


def grouped(session: Session) -> Counts:
    """Count by one statement."""
    rows = session.connection().execute(text(_GROUPED[session.get_bind().dialect.name]))
    return {(place, draw): count for place, draw, count in rows}


def scanned(session: Session) -> Counts:
    """Count row by row."""
    counts: Counter[tuple[int, str]] = Counter()
    for row in session.exec(select(ReportRow).execution_options(yield_per=_ROWS_AT_ONCE)):
        counts.update(enumerate(json.loads(row.draws)))
    return dict(counts)


def main() -> None:
    """Count in both ways and print the seconds as JSON."""
    store = Store(load_settings().database_url)
    (by_group, counts), (by_scan, again) = _timed(store, grouped), _timed(store, scanned)
    if counts != again:
        raise SystemExit("the two ways of counting do not agree")
    print(json.dumps({"grouped": by_group, "scanned": by_scan}))


def _timed(store: Store, count: Callable[[Session], Counts]) -> tuple[float, Counts]:
    with store.reading() as session:
        began = time.perf_counter()
        counts = count(session)
        return time.perf_counter() - began, counts


if __name__ == "__main__":
    main()
