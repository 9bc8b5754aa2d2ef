"""The second verdict: whether the reports follow the stated design.

Given the inputs, the design fixes the probability of every mark, and makes the draws of a report, its id and the next
report independent of each other. Three kinds of counts show whether that is so:

    own law       a mark of a draw, over all lines and over the lines of each input: its probability is known;
    id            a bit of an id, two of its bits, a bit and one of the next id: fair coins;
    dependence    anything of one part of a report together with a mark of another part, or of the next report. Inputs
                  were shuffled for every question by itself, so whatever the parts' own laws are, the count is
                  hypergeometric if they are independent.

Half of the risk is for the own laws, evenly over the questions; half of that for all lines together, half for single
inputs. The other half is divided evenly over all other tests (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from hushpoll_server.audit.chances import chance_beyond, chance_together, spread_of
from hushpoll_server.audit.reports import SAME, VIEWS, Draws, Part, Reports, Rows, View
from hushpoll_server.audit.runs import Bits
from hushpoll_server.estimate.support import Figures

# An input with fewer runs than this says nothing by itself.
_LEAST_RUNS = 16

Questions = tuple[Draws, ...]


@dataclass(frozen=True, order=True)
class Difference:
    """A count that is not what the design says: its chance over the risk that its test was given, and what it is."""

    chance_over_risk: float
    what: str = field(compare=False)

    @property
    def is_real(self) -> bool:
        """Return whether the count is less likely than the risk allows."""
        return self.chance_over_risk <= 1


NO_DIFFERENCE = Difference(np.inf, "")


@dataclass(frozen=True, eq=False)
class Tests:
    """Counts with their chances, a row for each thing and a column for each mark; an infinite chance is no test.

    `runs` and `means` are the most that could be counted, and what was to be expected. `questions` are those that a
    difference is one of.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: Figures
    runs: Figures
    means: Figures
    chances: Figures
    questions: Questions

    @property
    def number(self) -> int:
        """Return the number of tests."""
        return int(np.isfinite(self.chances).sum())

    def largest(self, risk: float) -> Difference:
        """Return the largest difference, if each test is given this risk."""
        if not self.number:
            return NO_DIFFERENCE
        # Of several that are next to impossible, the one that is farthest from its mean.
        far = np.abs(self.counts - self.means) / np.maximum(spread_of(self.runs, self.means), 1)
        best = np.lexsort((-far.ravel(), self.chances.ravel()))[0]
        row, column = np.unravel_index(best, self.chances.shape)
        count, runs, mean = (each[row, column] for each in (self.counts, self.runs, self.means))
        told = f"{self.rows[row]}{self.columns[column]}: {count:.0f} of {runs:.0f}, not about {mean:.0f}"
        return Difference(float(self.chances[row, column]) / risk, told)


def differences(reports: Reports, risk: float) -> dict[str, Difference]:
    """Return the largest difference of every question from its design; all tests together have this risk.

    If the own law of a question is different, that is what is told: it also shows in most other counts.
    """
    share, others = risk / 2 / len(reports.draws), _other_differences(reports, risk / 2)
    own = {draws.name: own_law(draws, share) for draws in reports.draws}
    return {name: found if found.is_real else min(found, others[name]) for name, found in own.items()}


def _other_differences(reports: Reports, risk: float) -> dict[str, Difference]:
    largest, blocks = dict.fromkeys((draws.name for draws in reports.draws), NO_DIFFERENCE), list(_other_tests(reports))
    each = risk / sum(tests.number for tests in blocks)
    for tests in blocks:
        difference = tests.largest(each)
        # What is wrong with the ids alone is wrong with every question's output.
        for draws in tests.questions or reports.draws:
            largest[draws.name] = min(largest[draws.name], difference)
    return largest


def _with_known_means(
    rows: tuple[str, ...], part: Part, counts: Figures, runs: Figures, means: Figures, tested: Bits | None = None
) -> Tests:
    """Return tests of counts with known means."""
    chances, questions = chance_beyond(counts, runs, means), (part,) if isinstance(part, Draws) else ()
    chances = chances if tested is None else np.where(tested, chances, np.inf)
    return Tests(rows, part.marks, counts, np.broadcast_to(runs, counts.shape), means, chances, questions)


# --- own law ---------------------------------------------------------------------------------------------------------


def own_law(draws: Draws, risk: float) -> Difference:
    """Return the largest difference of the draws to one question from their law."""
    runs, times = draws.runs, np.bincount(draws.where, minlength=len(draws.runs.places))
    lines = runs.count(runs.places, times)[:, np.newaxis]
    counts = np.stack([runs.count(runs.places, times * mark) for mark in runs.marks.T], axis=1)
    means, tried = lines * runs.events.chances, np.flatnonzero(lines >= _LEAST_RUNS)
    every = _with_known_means(("",), draws, *(each.sum(axis=0, keepdims=True) for each in (counts, lines, means)))
    inputs = tuple(f"input {place + 1}, " for place in tried)
    single = _with_known_means(inputs, draws, counts[tried], lines[tried], means[tried])
    return min(tests.largest(risk / 2 / max(1, tests.number)) for tests in (every, single))


# --- ids, successive draws, and dependence ---------------------------------------------------------------------------


def _other_tests(reports: Reports) -> Iterator[Tests]:
    for view in VIEWS:
        yield from _id_bits(reports, view)
        for place, first in enumerate(reports.parts):
            for other, second in enumerate(reports.parts):
                if first is not second:
                    yield from _dependence(reports, view, first, second, once=view is not SAME or place < other)
                elif isinstance(first, Draws) and view is not SAME:
                    yield _successive(reports, view, first)
    yield from _asked_together(reports)


def _id_bits(reports: Reports, view: View) -> Iterator[Tests]:
    """Return the tests of the bits of an id: each, two of them, or one and one of the next id."""
    here, there = view.pairs(reports.lines)
    both, lines = reports.ids.both(here, there), np.array(float(len(here)))
    tested = np.triu(np.ones(both.shape, dtype=bool), 1) if view is SAME else None
    rows = tuple(f"{bit} and {view.name}" for bit in reports.ids.marks)
    yield _with_known_means(rows, reports.ids, both, lines, np.full(both.shape, lines / 4), tested)
    if view is SAME:
        # A bit with itself is the bit alone.
        alone = np.diag(both)[np.newaxis]
        yield _with_known_means(("",), reports.ids, alone, lines, np.full(alone.shape, lines / 2))


def _successive(reports: Reports, view: View, draws: Draws) -> Tests:
    """Return the tests of the input or the draw of a question with its draw in the next report."""
    here, there = view.pairs(reports.lines)
    by, lines = Rows.of(draws, here), np.full((len(draws.marks), 1), float(len(here)))
    occurred, expected, inputs = draws.occurred(by, there), draws.expected(by, there), draws.groups.T
    counts = np.concatenate((inputs @ occurred, draws.marked.T @ occurred))
    means = np.concatenate((inputs @ expected, draws.chances.T @ expected))
    runs = np.concatenate(((inputs @ by.sizes)[:, np.newaxis], lines))
    return _with_known_means(_row_names(view, draws), draws, counts, runs, means)


def _dependence(reports: Reports, view: View, first: Part, second: Part, *, once: bool) -> Iterator[Tests]:
    """Return the tests of the inputs and, if it is their turn, the marks of one part with the marks of another."""
    here, there = view.pairs(reports.lines)
    if isinstance(first, Draws):
        by = Rows.of(first, here, varied=True)
        occurred, names = second.occurred(by, there), _row_names(view, first)
        inputs = first.groups.shape[1]
        yield _independent(names[:inputs], second.marks, first.groups, by, occurred, _questions(first, second))
        if once and view is SAME and reports.ask and isinstance(second, Draws):
            # Which questions are asked is not independent: only reports that answer both count.
            by = by.only(first.asked[here] & second.asked[there])
            occurred = second.occurred(by, there)
        if once:
            yield _independent(names[inputs:], second.marks, first.marked, by, occurred, _questions(first, second))
    elif once and isinstance(second, Draws):
        by = Rows.of(second, there)
        bits = tuple(f"{view.name}{mark} and before it " for mark in second.marks)
        yield _independent(bits, first.marks, second.marked, by, first.occurred(by, here), (second,))


def _independent(
    rows: tuple[str, ...], columns: tuple[str, ...], things: Figures, by: Rows, occurred: Figures, questions: Questions
) -> Tests:
    """Return the tests of things, of which each run has some, with marks that occurred in its lines."""
    both, first, second, lines = things.T @ occurred, things.T @ by.sizes, occurred.sum(axis=0), float(by.sizes.sum())
    chances, runs = chance_together(both, first, second, lines), np.broadcast_to(first[:, np.newaxis], both.shape)
    return Tests(rows, columns, both, runs, np.outer(first, second) / max(lines, 1), chances, questions)


def _asked_together(reports: Reports) -> Iterator[Tests]:
    """Return a test for each two questions: how often they are asked together, if a device is asked some of them."""
    number, ask = len(reports.draws), reports.ask
    if ask is None or not 1 < ask < number:
        return
    runs = np.array([[float(reports.lines)]])
    means = runs * ask * (ask - 1) / (number * (number - 1))
    for one, other in combinations(reports.draws, 2):
        counts = np.array([[float((one.asked & other.asked).sum())]])
        names = (f"{one.name} and {other.name} asked together",), ("",)
        yield Tests(*names, counts, runs, means, chance_beyond(counts, runs, means), (one, other))


def _questions(*parts: Part) -> Questions:
    return tuple(part for part in parts if isinstance(part, Draws))


def _row_names(view: View, draws: Draws) -> tuple[str, ...]:
    inputs = [f"some inputs of {draws.name}, {view.name}"] * draws.groups.shape[1]
    return (*inputs, *(f"{mark} and {view.name}" for mark in draws.marks))
