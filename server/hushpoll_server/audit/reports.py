"""All reports side by side: the parts of each report, and how often the parts of two reports came together.

A report has a draw for each question, and an id. Each part has *marks*, whose probabilities the design fixes: events of
a draw, and the bits of an id, which are fair coins.

A *view* says which reports are looked at together: each with itself, or with the one after it. Successive reports are
taken two by two, those that begin at an even line and those that begin at an odd one, so that no report is in two pairs
of a view and all pairs are independent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hushpoll_server.audit.comparisons import groups_of, sets_of
from hushpoll_server.audit.events import Events
from hushpoll_server.audit.inputs import Places
from hushpoll_server.audit.run import Audit, Record
from hushpoll_server.audit.runs import Bits, Runs
from hushpoll_server.estimate.support import Figures
from hushpoll_server.mechanisms import mechanism_of
from hushpoll_shared.report import ID_BYTES

# A table with at most this many entries is counted as a whole, a larger one by the entries that occur.
_SMALL_TABLE = 1 << 16
# Ids whose bits are held as numbers at once.
_IDS_AT_ONCE = 1 << 14


@dataclass(frozen=True)
class View:
    """Pairs of reports: the second is `after` lines behind the first, and the first ones are `step` lines apart."""

    name: str
    after: int = 0
    start: int = 0
    step: int = 1

    def pairs(self, lines: int) -> tuple[Places, Places]:
        """Return the lines that come first, and those that come second."""
        first = np.arange(self.start, lines - self.after, self.step, dtype=np.int32)
        return first, first + np.int32(self.after)


SAME = View("")
VIEWS = (SAME, View("next report: ", 1, 0, 2), View("next report: ", 1, 1, 2))


@dataclass(frozen=True, eq=False)
class Draws:
    """The draws of one question: its different runs, which of them each line is, and where its input was varied."""

    name: str
    runs: Runs
    where: Places
    varied: Bits

    @property
    def marks(self) -> tuple[str, ...]:
        """Return the names of the marks."""
        return tuple(f"{self.name} {mark}" for mark in self.runs.events.marks)

    @cached_property
    def marked(self) -> Figures:
        """Return which marks each run has, as 0 and 1."""
        return self.runs.marks.astype(np.float64)

    @cached_property
    def chances(self) -> Figures:
        """Return the probabilities of the marks, given the input of each run."""
        return np.asarray(self.runs.events.chances[self.runs.places])

    @cached_property
    def groups(self) -> Figures:
        """Return which groups the inputs of the runs are in, as 0 and 1."""
        return groups_of(len(self.runs.events.codes))[self.runs.places].astype(np.float64)

    @cached_property
    def sets(self) -> Figures:
        """Return in which of the compared sets the runs are, as 0 and 1."""
        return sets_of(self.runs).astype(np.float64)

    @cached_property
    def asked(self) -> Bits:
        """Return which reports do not leave the question out."""
        blank = np.array([self.runs.events.is_blank(draw) for draw in self.runs.occurred])
        return np.asarray(~blank[self.runs.draws][self.where])

    def occurred(self, by: Rows, lines: Places) -> Figures:
        """Return how often the marks occurred in some lines, for each row."""
        return np.asarray(self._together(by, lines) @ self.marked)

    def expected(self, by: Rows, lines: Places) -> Figures:
        """Return how often the design lets the marks occur in some lines, for each row."""
        return np.asarray(self._together(by, lines) @ self.chances)

    def _together(self, by: Rows, lines: Places) -> NDArray[np.float64] | sparse.csr_array:
        """Return how often each row and each run came together."""
        where, shape = self.where[lines], (by.number, len(self.runs.places))
        size = shape[0] * shape[1]
        if size > _SMALL_TABLE:
            return sparse.csr_array((by.weights, (by.where, where)), shape=shape)
        places = by.where.astype(np.int64) * shape[1] + where
        return np.bincount(places, by.weights, size).astype(np.float64).reshape(shape)


@dataclass(frozen=True, eq=False)
class Rows:
    """What is counted for whom: the row of each pair of reports, and with which weight it counts."""

    where: Places
    number: int
    weights: Figures

    @classmethod
    def of(cls, draws: Draws, lines: Places, *, varied: bool = False) -> Rows:
        """Return a row for each run of a question; with `varied`, lines where it was not varied do not count."""
        weights = draws.varied[lines].astype(np.float64) if varied else np.ones(len(lines))
        return cls(draws.where[lines], len(draws.runs.places), weights)

    def only(self, lines: Bits) -> Rows:
        """Return the same rows, of which only some lines count."""
        return replace(self, weights=self.weights * lines)

    @property
    def sizes(self) -> Figures:
        """Return the sum of the weights of each row."""
        return np.bincount(self.where, self.weights, self.number).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Ids:
    """The ids of all reports. Their marks are their bits."""

    bytes: NDArray[np.uint8]

    @property
    def marks(self) -> tuple[str, ...]:
        """Return the names of the bits."""
        return tuple(f"bit {bit} of the id" for bit in range(8 * ID_BYTES))

    def _bits(self, lines: Places) -> Iterator[tuple[slice, NDArray[np.float32]]]:
        """Return the bits of the ids in some lines, some at a time: so few that their sums are exact."""
        for begin in range(0, len(lines), _IDS_AT_ONCE):
            part = slice(begin, begin + _IDS_AT_ONCE)
            yield part, np.unpackbits(self.bytes[lines[part]], axis=1).astype(np.float32)

    def both(self, here: Places, there: Places) -> Figures:
        """Return how often each bit of an id and each bit of the id in another line were 1 together."""
        one, other = self._columns(here), self._columns(there)
        return np.array([np.bitwise_count(column & other).sum(axis=1) for column in one], dtype=np.float64)

    def _columns(self, lines: Places) -> NDArray[np.uint64]:
        """Return each bit of the ids as a row of 64-bit words, one bit for each line."""
        bits = np.zeros((-(-len(lines) // 64) * 64, len(self.marks)), dtype=np.uint8)
        bits[: len(lines)] = np.unpackbits(self.bytes[lines], axis=1)
        return np.ascontiguousarray(np.packbits(bits, axis=0).T).view(np.uint64)

    def occurred(self, by: Rows, lines: Places) -> Figures:
        """Return how often the bits were 1 in some lines, for each row."""
        total = np.zeros((by.number, len(self.marks)))
        for part, bits in self._bits(lines):
            entries = by.weights[part].astype(np.float32), (by.where[part], np.arange(len(bits), dtype=np.int32))
            total += np.asarray(sparse.csr_array(entries, shape=(by.number, len(bits))) @ bits)
        return total


# A part of a report.
Part = Draws | Ids


@dataclass(frozen=True, eq=False)
class Reports:
    """The parts of all reports, and how many of the questions each device answers; None for all."""

    draws: tuple[Draws, ...]
    ids: Ids
    ask: int | None

    @classmethod
    def of(cls, audit: Audit, record: Record) -> Reports:
        """Return the reports of an audit."""
        draws = tuple(_draws_of(audit, record, place) for place in range(len(audit.contrasts)))
        return cls(draws, Ids(record.ids), audit.manifest.ask)

    @property
    def lines(self) -> int:
        """Return the number of reports."""
        return len(self.ids.bytes)

    @property
    def parts(self) -> tuple[Part, ...]:
        """Return the draws of all questions, and the ids."""
        return (*self.draws, self.ids)


def _draws_of(audit: Audit, record: Record, place: int) -> Draws:
    question, contrast, ask = audit.manifest.questions[place], audit.contrasts[place], audit.manifest.ask
    asked = 1.0 if ask is None else ask / len(audit.contrasts)
    events, varied = Events(mechanism_of(question), contrast.codes, asked), audit.plan.varied[:, place]
    inputs, partners, draws = (each[:, place] for each in (audit.plan.inputs, audit.plan.partners, record.draws))
    shape = contrast.size, contrast.size + 1, len(record.occurred[place])
    different, where = np.unique(np.ravel_multi_index((inputs, partners + 1, draws), shape), return_inverse=True)
    inputs, partners, draws = (each.astype(np.int32) for each in np.unravel_index(different, shape))
    times = np.bincount(where, varied, len(different)).astype(np.int64)
    runs = Runs(events, inputs, partners - 1, draws, record.occurred[place], times)
    return Draws(question.id, runs, where.astype(np.int32), varied)
