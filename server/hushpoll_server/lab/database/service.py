"""The statistical database: one table, one ledger, one analyst.

The order of an answer: the query is read and planned without looking at a row; it is charged durably, or refused; then
it is computed, noise is drawn, the draw is stored, and the answer is returned. What goes wrong after the charge costs
the charge. The time that an answer takes depends on the data and on the draw: it is not protected.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Self

from hushpoll_server.lab.database.answers import Answer
from hushpoll_server.lab.database.composition import Budget, Spent, parse_delta
from hushpoll_server.lab.database.engine import Engine
from hushpoll_server.lab.database.grammar import Query
from hushpoll_server.lab.database.ledger import Ledger, Limits
from hushpoll_server.lab.database.loading import Advance, Missing, Table, load
from hushpoll_server.lab.database.parser import parse
from hushpoll_server.lab.database.plans import Plan, plan
from hushpoll_server.lab.database.schema import Schema
from hushpoll_shared.epsilon import Epsilon, parse_number
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.randomness import ByteSource, SecureBytes
from hushpoll_shared.texts import normal_form

LONGEST_NAME = 100


@dataclass(frozen=True)
class Question:
    """A query that the table can answer."""

    query: Query
    plan: Plan


class Database:
    """A table that answers with noise until its budget is spent. One thread uses it."""

    def __init__(
        self, table: Table, ledger: Ledger, limits: Limits, *, analyst: str, source: ByteSource | None = None
    ) -> None:
        """Take over a table and its ledger; `open` makes both. Without a source, noise is from secure random bytes."""
        self.analyst, self.table, self.limits = read_analyst(analyst), table, limits
        self._ledger, self._source = ledger, source or SecureBytes()
        self._engine = Engine(table)
        self._meaning = hashlib.sha256(table.declaration.encode()).hexdigest()

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        schema: Schema | None = None,
        *,
        epsilon: object,
        total: object = None,
        delta: object = "0",
        analyst: str = "analyst",
        ledger: str | os.PathLike[str],
        missing: Missing = "refuse",
        source: ByteSource | None = None,
        advance: Advance = lambda _: None,
    ) -> Self:
        """Load a CSV file and open its ledger; `epsilon` is each analyst's budget, `total` that of all together."""
        limits = read_limits(epsilon, total, delta)
        name = read_analyst(analyst)
        table = load(Path(path), schema or Schema(), missing=missing, advance=advance)
        account = Ledger(ledger, data=table.hash, limits=limits)
        return cls(table, account, limits, analyst=name, source=source)

    def prepare(self, query: str) -> Question:
        """Read and plan a query; it costs nothing, and whether it is refused does not depend on any row."""
        parsed = parse(query)
        return Question(parsed, plan(parsed, self.table))

    def ask(self, query: str | Question, *, spend: object, level: object = "0.95", remember: bool = True) -> Answer:
        """Return an answer and charge its ε; the same question with the same ε again is the same answer, free."""
        question = self.prepare(query) if isinstance(query, str) else query
        epsilon, beta = read_spend(spend), 1 - read_level(level)
        words = f"{question.query} [{self._meaning}]"
        draw = self._ledger.recall(self.analyst, words, epsilon) if remember else None
        remembered = draw is not None
        if draw is None:
            draw = self._answer(question, words, epsilon)
        return Answer(
            query=str(question.query),
            epsilon=epsilon,
            level=1 - beta,
            mechanism=question.plan.mechanism,
            sensitivity=question.plan.sensitivity,
            remembered=remembered,
            reading=question.plan.read(draw, epsilon, beta),
        )

    @property
    def spent(self) -> Spent:
        """Return what this analyst has spent."""
        return self._ledger.spent(self.analyst)

    @property
    def spent_by_all(self) -> Spent:
        """Return what all analysts have spent on this data set."""
        return self._ledger.spent()

    def close(self) -> None:
        """Forget the table and close the ledger."""
        self._engine.close()
        self._ledger.close()

    def __enter__(self) -> Self:
        """Return the database."""
        return self

    def __exit__(self, *_: object) -> None:
        """Forget the table and close the ledger."""
        self.close()

    def _answer(self, question: Question, words: str, epsilon: Epsilon) -> tuple[int, ...]:
        charge = self._ledger.charge(self.analyst, words, epsilon)
        draw = question.plan.draw(self._engine, epsilon, self._source)
        self._ledger.remember(charge, draw)
        return draw


def read_limits(epsilon: object, total: object = None, delta: object = "0") -> Limits:
    """Return the budgets of a data set; all analysts together have that of one if nothing else is said."""
    chance = parse_delta(delta)
    each, everybody = (Epsilon.parse(value) for value in (epsilon, epsilon if total is None else total))
    return Limits(Budget(each, chance), Budget(everybody, chance))


def share_of(epsilon: object, questions: int) -> Epsilon:
    """Return the ε of each of so many equal questions."""
    return Epsilon(Epsilon.parse(epsilon).units // questions)


def read_spend(spend: object) -> Epsilon:
    """Return the ε of a question; what is below the resolution of the ledger is no ε."""
    epsilon = Epsilon.parse(spend, "spend")
    if epsilon.units == 0:
        raise InvalidValue("a question costs at least 0.00000000000000000001 of epsilon: write --spend 1/10")
    return epsilon


def read_level(level: object) -> Fraction:
    """Return the confidence level exactly."""
    chance = parse_number(level, "the level")
    if not 0 < chance < 1:
        raise InvalidValue("the level must be above 0 and below 1: write --level 0.95")
    return chance


def read_analyst(name: str) -> str:
    """Return the name of an analyst in its one spelling."""
    plain = normal_form(name)
    if not plain or len(plain) > LONGEST_NAME:
        raise InvalidValue(f"an analyst needs a name of at most {LONGEST_NAME} characters")
    return plain
