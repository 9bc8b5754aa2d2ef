"""How fast the engine itself stores ready-made rows of reports, in commits of 1,000: a separate program.

No web, no parsing, no checks, no counters: only the engine's own driver, one insert for all rows, and durable commits
as in production. PostgreSQL also has COPY, which is faster still but cannot skip rows that exist already. The rows are
those that the server would store, in the order in which it would. It prints the rows per second; only inserts and
commits are timed.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING

from bench import survey
from hushpoll_server.counting.stored_draws import write_draws

if TYPE_CHECKING:
    import psycopg

ROWS_PER_COMMIT = 1_000

Row = tuple[str, bytes, str]
Insert = Callable[[Sequence[Row]], None]

_DROP = "DROP TABLE IF EXISTS raw_report"
_TABLE = (
    "CREATE TABLE IF NOT EXISTS raw_report (survey {text}, id {bytes}, draws {text} NOT NULL, PRIMARY KEY (survey, id))"
)


def rows_per_second(insert: Insert, draws: Sequence[str], seconds: float) -> float:
    """Return the rows per second, from batch after batch until inserting has taken this many seconds."""
    batches, spent, number = _batches(draws), 0.0, 0
    while spent < seconds:
        batch = next(batches)
        began = time.perf_counter()
        insert(batch)
        spent += time.perf_counter() - began
        number += len(batch)
    return number / spent


@contextmanager
def sqlite_insert(file: Path, *, keep: bool = False) -> Iterator[Insert]:
    """Yield an insert into a table of a SQLite file: a new table, or the existing one."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        if not keep:
            connection.execute(_DROP)
        connection.execute(_TABLE.format(text="TEXT", bytes="BLOB") + " WITHOUT ROWID")

        def insert(rows: Sequence[Row]) -> None:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT INTO raw_report VALUES (?, ?, ?)", rows)
            connection.execute("COMMIT")

        yield insert


@contextmanager
def postgres_insert(url: str, *, keep: bool = False, by_copy: bool = False) -> Iterator[Insert]:
    """Yield an insert into such a table of a PostgreSQL database, by one statement or by COPY."""
    import psycopg

    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        if not keep:
            connection.execute(_DROP)
        connection.execute(_TABLE.format(text="text", bytes="bytea").encode())
        connection.commit()
        store = _copy if by_copy else _unnest

        def insert(rows: Sequence[Row]) -> None:
            store(connection.cursor(binary=True), rows)
            connection.commit()

        yield insert


def draws_of(reports: Path) -> list[str]:
    """Return the draws of reports as they are stored."""
    return [write_draws(json.loads(line)["answers"]) for line in reports.read_bytes().splitlines()]


def _unnest(cursor: psycopg.Cursor, rows: Sequence[Row]) -> None:
    columns = [list(column) for column in zip(*rows, strict=True)]
    cursor.execute("INSERT INTO raw_report SELECT * FROM unnest(%s::text[], %s::bytea[], %s::text[])", columns)


def _copy(cursor: psycopg.Cursor, rows: Sequence[Row]) -> None:
    with cursor.copy("COPY raw_report FROM STDIN (FORMAT binary)") as copy:
        copy.set_types(["text", "bytea", "text"])
        for row in rows:
            copy.write_row(row)


def _batches(draws: Sequence[str]) -> Iterator[list[Row]]:
    endless = cycle(draws)
    while True:
        yield sorted((survey.NAME, os.urandom(16), each) for each in islice(endless, ROWS_PER_COMMIT))


def main() -> None:
    """Read the options, insert, print the rate as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.raw", description=__doc__)
    parser.add_argument("--reports", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=1.0)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--file", type=Path, help="a SQLite file")
    where.add_argument("--url", help="the address of a PostgreSQL database")
    parser.add_argument("--keep", action="store_true", help="add to the rows of the last run")
    parser.add_argument("--copy", action="store_true", help="use PostgreSQL's COPY instead of an insert")
    options = parser.parse_args()
    if options.file:
        opened = sqlite_insert(options.file, keep=options.keep)
    else:
        opened = postgres_insert(options.url, keep=options.keep, by_copy=options.copy)
    with opened as insert:
        print(json.dumps({"rate": rows_per_second(insert, draws_of(options.reports), options.seconds)}))


if __name__ == "__main__":
    main()
