"""The ledger: what each analyst has spent on each data set, in one SQLite file.

The rule here: a charge is on the disk before anything is computed for it, in one transaction that also checks the
budget. A crash between charge and answer loses the answer and never the charge; of two processes that want the last ε,
one gets it. The file holds questions and the noisy numbers that were released, no row of any table. It knows a data set
by the hash of its file, so a copy under another name has the same budget.

Only the file's owner may read it. Whoever can write it, or has the table, needs no ledger to be kept out.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

from hushpoll_server.lab.database.composition import Budget, Spent
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import HushpollError, InvalidValue
from hushpoll_shared.private_files import claim_database

SCHEMA_VERSION = 1
# The longest time that one process waits for another that writes to the same file.
BUSY_SECONDS = 30

_SCHEMA = (
    """CREATE TABLE budgets (
        data TEXT PRIMARY KEY, each_units TEXT NOT NULL, all_units TEXT NOT NULL, delta TEXT NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE charges (
        number INTEGER PRIMARY KEY, data TEXT NOT NULL, analyst TEXT NOT NULL, question TEXT NOT NULL,
        epsilon_units TEXT NOT NULL, draw TEXT
    )""",
    "CREATE INDEX charges_by_data ON charges (data, analyst, question)",
    f"PRAGMA user_version = {SCHEMA_VERSION}",
)


class LedgerFailed(HushpollError):
    """A ledger that cannot be read or written; nothing is answered without it."""


class BudgetSpent(HushpollError):
    """A question that the budget does not allow; nothing was computed and nothing spent."""


@dataclass(frozen=True)
class Limits:
    """The budgets of a data set: of every analyst, and of all of them together."""

    each: Budget
    all: Budget

    def __post_init__(self) -> None:
        """Refuse less for all than for one."""
        if self.all.epsilon < self.each.epsilon:
            raise InvalidValue("all analysts together need at least the budget of one: raise --total")


class Ledger:
    """The account of one data set. One thread uses it; other processes may use the same file."""

    def __init__(self, path: str | os.PathLike[str], *, data: str, limits: Limits) -> None:
        """Open the file, or create it, and check that the budgets are those that were promised before."""
        self._data, self._limits, self._process = data, limits, os.getpid()
        with _failures():
            self._connection = _connect(Path(path).absolute())
        try:
            with self._transaction():
                self._prepare()
                self._check_limits()
        except HushpollError:
            self._connection.close()
            raise

    def charge(self, analyst: str, question: str, epsilon: Epsilon) -> int:
        """Spend durably, or refuse; return the number of the charge."""
        with self._transaction():
            self._check(self._limits.each, self.spent(analyst), epsilon, f"the budget of {analyst}")
            self._check(self._limits.all, self.spent(), epsilon, "the budget of all analysts together")
            insert = "INSERT INTO charges (data, analyst, question, epsilon_units) VALUES (?, ?, ?, ?) RETURNING number"
            [(number,)] = self._run(insert, self._data, analyst, question, str(epsilon.units))
            return int(number)

    def remember(self, charge: int, draw: Sequence[int]) -> None:
        """Store what was drawn for a charge, before it is released."""
        with self._transaction():
            self._run("UPDATE charges SET draw = ? WHERE number = ?", json.dumps(list(draw)), charge)

    def recall(self, analyst: str, question: str, epsilon: Epsilon) -> tuple[int, ...] | None:
        """Return what was drawn when this analyst asked the same with the same ε, if it was released."""
        search = (
            "SELECT draw FROM charges WHERE data = ? AND analyst = ? AND question = ? AND epsilon_units = ? "
            "AND draw IS NOT NULL ORDER BY number LIMIT 1"
        )
        rows = self._run(search, self._data, analyst, question, str(epsilon.units))
        with _failures():
            return tuple(map(int, json.loads(rows[0][0]))) if rows else None

    def spent(self, analyst: str | None = None) -> Spent:
        """Return what an analyst has spent on this data set, or all together."""
        search, values = "SELECT epsilon_units FROM charges WHERE data = ?", [self._data]
        if analyst is not None:
            search, values = f"{search} AND analyst = ?", [*values, analyst]
        rows = self._run(search, *values)
        # Added here and not by SQL: the units do not fit into 64 bits.
        with _failures():
            return Spent.of(Epsilon(int(units)) for (units,) in rows)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        """Return the ledger."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    @staticmethod
    def _check(budget: Budget, spent: Spent, epsilon: Epsilon, whose: str) -> None:
        if not budget.allows(spent + epsilon):
            raise BudgetSpent(
                f"this question costs {epsilon}, and {budget.left(spent)} of {budget.epsilon} is left of {whose}: ask "
                "with a smaller --spend, or stop here"
            )

    def _prepare(self) -> None:
        [(version,)] = self._run("PRAGMA user_version")
        [(tables,)] = self._run("SELECT count(*) FROM sqlite_master")
        if (version, bool(tables)) == (SCHEMA_VERSION, True):
            return
        if version or tables:
            raise LedgerFailed("the ledger is not one that this version knows: name another file in --ledger")
        for statement in _SCHEMA:
            self._run(statement)

    def _check_limits(self) -> None:
        limits = self._limits
        row = (str(limits.each.epsilon.units), str(limits.all.epsilon.units), str(limits.all.delta))
        self._run("INSERT OR IGNORE INTO budgets VALUES (?, ?, ?, ?)", self._data, *row)
        [stored] = self._run("SELECT each_units, all_units, delta FROM budgets WHERE data = ?", self._data)
        if stored != row:
            with _failures():
                each, total, delta = Epsilon(int(stored[0])), Epsilon(int(stored[1])), Fraction(stored[2])
            raise InvalidValue(
                f"this table was opened with --epsilon {each} --total {total} --delta {delta}, and a promise stays: "
                "open it with the same, or name another --ledger if nobody has seen an answer from this one"
            )

    def _run(self, statement: str, *values: object) -> list[Any]:
        if self._process != os.getpid():
            raise LedgerFailed("the ledger was opened before a fork: open a database in each process")
        with _failures():
            return self._connection.execute(statement, values).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._run("BEGIN IMMEDIATE")
        try:
            yield
            self._run("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._connection.rollback()
            raise


@contextmanager
def _failures() -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError, InvalidValue, TypeError, ValueError) as error:
        raise LedgerFailed(
            f"the ledger cannot be used ({error}): check its path, its permissions and the disk; nothing was answered"
        ) from error


def _connect(path: Path) -> sqlite3.Connection:
    claim_database(path)
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    # In the journal mode DELETE, FULL can lose the last commit in a power failure; EXTRA cannot.
    connection.execute("PRAGMA synchronous = EXTRA")
    return connection
