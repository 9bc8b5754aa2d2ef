"""How each kind of query is answered: what one row changes, what is drawn, and what the draw says.

The rule here: neighbours differ by one row more or less. A plan draws whole numbers with all of the question's ε and
nothing else leaves it; reading a draw again, at another level, costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn, Protocol

from hushpoll_server.lab.database.answers import Figure, Number, Reading, plain
from hushpoll_server.lab.database.binding import Filter, bind, find_column
from hushpoll_server.lab.database.columns import Labels, Numbers, write_number
from hushpoll_server.lab.database.engine import Engine
from hushpoll_server.lab.database.grammar import Name, Query
from hushpoll_server.lab.database.loading import Table
from hushpoll_server.lab.database.parser import refuse
from hushpoll_server.lab.noise.choice import margin, permute_and_flip
from hushpoll_server.lab.noise.laplace import DiscreteLaplace, rate_of
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.randomness import ByteSource

DISCRETE_LAPLACE = "discrete Laplace noise"


class Plan(Protocol):
    """One kind of query on one table."""

    @property
    def mechanism(self) -> str:
        """Return the name of the mechanism."""

    @property
    def sensitivity(self) -> Number:
        """Return the most that one row changes the exact result, in the unit of the answer."""

    def draw(self, engine: Engine, epsilon: Epsilon, source: ByteSource) -> tuple[int, ...]:
        """Return whole numbers that are ε-differentially private together."""

    def read(self, draw: Sequence[int], epsilon: Epsilon, beta: Fraction) -> Reading:
        """Return what a draw says; each interval fails with chance at most beta."""


@dataclass(frozen=True)
class Count:
    """COUNT(*): one row changes the count by 1."""

    where: Filter | None
    mechanism: str = DISCRETE_LAPLACE
    sensitivity: Number = 1

    def draw(self, engine: Engine, epsilon: Epsilon, source: ByteSource) -> tuple[int, ...]:
        """Return the count with noise."""
        return (engine.count(self.where) + DiscreteLaplace.of(epsilon).draw(source),)

    def read(self, draw: Sequence[int], epsilon: Epsilon, beta: Fraction) -> Reading:
        """Return the count and its interval, which is not cut off at 0."""
        [count] = draw
        reach = DiscreteLaplace.of(epsilon).reach(beta)
        return Reading((Figure("count", count, count - reach, count + reach),), "rows that match")


@dataclass(frozen=True)
class Sum:
    """SUM(column): one row changes the sum by at most the larger of the bounds' absolute values."""

    column: int
    kind: Numbers
    where: Filter | None
    mechanism: str = DISCRETE_LAPLACE

    @property
    def sensitivity(self) -> Number:
        """Return max(|low|, |high|)."""
        return plain(self.kind.largest * self.kind.step)

    def draw(self, engine: Engine, epsilon: Epsilon, source: ByteSource) -> tuple[int, ...]:
        """Return the sum with noise, in steps."""
        return (engine.sum(self.column, self.where) + self._noise(epsilon).draw(source),)

    def read(self, draw: Sequence[int], epsilon: Epsilon, beta: Fraction) -> Reading:
        """Return the sum and its interval."""
        [total] = draw
        reach = self._noise(epsilon).reach(beta)
        low, estimate, high = (plain(steps * self.kind.step) for steps in (total - reach, total, total + reach))
        return Reading((Figure("sum", estimate, low, high),), _clamped(self.kind, "sum"))

    def _noise(self, epsilon: Epsilon) -> DiscreteLaplace:
        return DiscreteLaplace.of(epsilon, sensitivity=self.kind.largest)


@dataclass(frozen=True)
class Average:
    """AVG(column), from the sums of how far the values are above the lower bound and below the upper one.

    One row adds to both sums together exactly the width of the bounds, so both get noise for the whole ε: nothing is
    split, and both the sum of centred values and the count have half the variance that halves of ε would give.
    """

    column: int
    kind: Numbers
    where: Filter | None
    mechanism: str = DISCRETE_LAPLACE

    @property
    def sensitivity(self) -> Number:
        """Return the width of the bounds: what one row adds to both sums together."""
        return plain(self.kind.width * self.kind.step)

    def draw(self, engine: Engine, epsilon: Epsilon, source: ByteSource) -> tuple[int, ...]:
        """Return both sums with noise, in steps."""
        rows, total = engine.count(self.where), engine.sum(self.column, self.where)
        above, below = total - rows * self.kind.low, rows * self.kind.high - total
        noise = self._noise(epsilon)
        return above + noise.draw(source), below + noise.draw(source)

    def read(self, draw: Sequence[int], epsilon: Epsilon, beta: Fraction) -> Reading:
        """Return the mean, and an interval that holds if both sums are within their limits."""
        # Each sum is further off than its reach with chance at most beta/2.
        reach = self._noise(epsilon).reach(beta / 2)
        above, below = draw
        low = self._mean(above - reach, below + reach, otherwise=self.kind.low)
        high = self._mean(above + reach, below - reach, otherwise=self.kind.high)
        rows = max(0, above) + max(0, below)
        estimate = plain(self._mean(above, below, otherwise=self.kind.low)) if rows else None
        return Reading((Figure("mean", estimate, plain(low), plain(high)),), _clamped(self.kind, "mean"))

    def _mean(self, above: int, below: int, *, otherwise: int) -> Fraction:
        above, below = max(0, above), max(0, below)
        share = Fraction(above, above + below) * self.kind.width + self.kind.low if above + below else otherwise
        return share * self.kind.step

    def _noise(self, epsilon: Epsilon) -> DiscreteLaplace:
        return DiscreteLaplace.of(epsilon, sensitivity=self.kind.width)


@dataclass(frozen=True)
class Histogram:
    """HISTOGRAM(column): one row changes one of the counts by 1, so every count gets noise for the whole ε."""

    column: int
    groups: tuple[str, ...]
    where: Filter | None
    mechanism: str = DISCRETE_LAPLACE
    sensitivity: Number = 1

    def draw(self, engine: Engine, epsilon: Epsilon, source: ByteSource) -> tuple[int, ...]:
        """Return all counts with noise."""
        noise = DiscreteLaplace.of(epsilon)
        counts = engine.counts(self.column, len(self.groups), self.where)
        return tuple(count + noise.draw(source) for count in counts)

    def read(self, draw: Sequence[int], epsilon: Epsilon, beta: Fraction) -> Reading:
        """Return the counts, each with its interval, and the half-width that holds for all jointly."""
        noise = DiscreteLaplace.of(epsilon)
        reach, together = noise.reach(beta), noise.reach(beta / len(self.groups))
        figures = (
            Figure(name, count, count - reach, count + reach, together)
            for name, count in zip(self.groups, draw, strict=True)
        )
        return Reading(tuple(figures), "rows that match, by group")


@dataclass(frozen=True)
class MostCommon:
    """MOST COMMON column: one row changes one of the counts by 1, and only the choice is released."""

    column: int
    groups: tuple[str, ...]
    where: Filter | None
    mechanism: str = "permute-and-flip"
    sensitivity: Number = 1

    def draw(self, engine: Engine, epsilon: Epsilon, source: ByteSource) -> tuple[int, ...]:
        """Return the index of the choice."""
        counts = engine.counts(self.column, len(self.groups), self.where)
        return (permute_and_flip(counts, rate_of(epsilon), source),)

    def read(self, draw: Sequence[int], epsilon: Epsilon, beta: Fraction) -> Reading:
        """Return the category, and how far its count may be below the highest."""
        rows = margin(len(self.groups), rate_of(epsilon), beta)
        statement = f"its count is at most {rows} below the highest"
        return Reading((), statement, category=self.groups[draw[0]], margin=rows)


def plan(query: Query, table: Table) -> Plan:
    """Return how a query on a table is answered; refuse it if the declarations do not allow it."""
    where = bind(query.where, table) if query.where else None
    if query.name is None:
        return Count(where)
    place = find_column(query.name, table)
    kind = table.columns[place].kind
    if query.what in ("SUM", "AVG"):
        if not isinstance(kind, Numbers):
            _refuse_without_bounds(query.name)
        return Sum(place, kind, where) if query.what == "SUM" else Average(place, kind, where)
    if not kind.groups:
        _refuse_without_groups(query.name, kind)
    return (Histogram if query.what == "HISTOGRAM" else MostCommon)(place, kind.groups, where)


def _refuse_without_bounds(name: Name) -> NoReturn:
    refuse(
        name.at,
        f"{name} has no declared bounds, so one row could change the result by any amount: declare them, such as "
        f"--bounds {name.text}=0:200000",
    )


def _refuse_without_groups(name: Name, kind: Numbers | Labels | object) -> NoReturn:
    option = f"--bins {name.text}=0,50,100" if isinstance(kind, Numbers) else f"--categories {name.text}=first,second"
    refuse(name.at, f"{name} has no declared groups, and groups taken from the data would tell who is in it: {option}")


def _clamped(kind: Numbers, what: str) -> str:
    low, high = (write_number(bound * kind.step) for bound in (kind.low, kind.high))
    return f"{what} of the values within {low} to {high}, in steps of {write_number(kind.step)}"
