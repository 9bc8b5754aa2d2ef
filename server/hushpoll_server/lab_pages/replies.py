"""What the statistical database says to each query: an answer, a refusal, or that the budget is spent.

The rule here: this needs DuckDB, which an instance may lack. A budget lasts for one page, and nothing is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hushpoll_server.lab.database import Answer, BudgetSpent, Database, QueryRefused
from hushpoll_server.lab.database.columns import Kind, Numbers, write_number
from hushpoll_server.lab.database.invented import SCHEMA, open_city
from hushpoll_server.lab.noise.streams import SeededBytes
from hushpoll_server.lab.result import Column, Table
from hushpoll_server.lab_pages.queries import BUDGET, Asked
from hushpoll_shared.epsilon import Epsilon

_FIGURES = (
    Column("name", "Figure"),
    Column("estimate", "Estimate", "number"),
    Column("low", "From", "number"),
    Column("high", "To", "number"),
)


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What became of a query; without an answer and a refusal, the budget was spent."""

    query: str
    left: Epsilon
    answer: Answer | None = None
    refusal: str = ""

    @property
    def charged(self) -> Epsilon:
        """Return what the query cost."""
        return self.answer.epsilon if self.answer and not self.answer.remembered else Epsilon(0)

    @property
    def level(self) -> str:
        """Return the confidence level of an answer."""
        return f"{float(self.answer.level) * 100:g} %" if self.answer else ""

    @property
    def figures(self) -> Table | None:
        """Return the figures of an answer that has some."""
        if self.answer is None or not self.answer.figures:
            return None
        rows = tuple((figure.name, *figure.written) for figure in self.answer.figures)
        caption = f"{self.answer.reading.statement}, with intervals of {self.level}"
        return Table("answer", caption[0].upper() + caption[1:], _FIGURES, rows)


def replies_to(asked: Asked) -> list[Reply]:
    """Ask one query after the other, with a fresh budget."""
    with open_city(epsilon=BUDGET, seed=asked.seed, source=SeededBytes(asked.noise_seed)) as database:
        return [_reply(database, query, asked.spend) for query in asked.queries]


def columns() -> Iterator[tuple[str, str]]:
    """Yield each column of the table with what is declared of it."""
    for name, kind in SCHEMA.kinds.items():
        yield name, _declaration(kind)


def _reply(database: Database, query: str, spend: str) -> Reply:
    answer, refusal = None, ""
    try:
        answer = database.ask(query, spend=spend)
    except QueryRefused as error:
        refusal = str(error)
    except BudgetSpent:
        pass
    left = database.limits.each.left(database.spent)
    return Reply(query=query, left=left, answer=answer, refusal=refusal)


def _declaration(kind: Kind) -> str:
    if not isinstance(kind, Numbers):
        return ", ".join(kind.groups)
    low, high, step = (write_number(number * kind.step) for number in (kind.low, kind.high, 1))
    bins = f"; bins {', '.join(kind.groups)}" if kind.groups else ""
    return f"{low} to {high}, in steps of {step}{bins}"
