"""The exact law of a draw, by walking through every way that the real code can go.

The random functions that a draw calls are replaced by forks: each call has finitely many outcomes with exact
probabilities, and the draw is run once for every path through them. What comes out is the distribution of the very code
that clients run, in rationals, not a formula about it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any
from unittest.mock import patch

from tests.support.streams import FixedTestStream

from hushpoll_client import draw as draws
from hushpoll_client.draw import DRAW_OF_DESIGN
from hushpoll_shared import randomness
from hushpoll_shared.designs import Channel, Design, Draw
from hushpoll_shared.randomness import SPAN

Law = dict[Draw, Fraction]


class Forks:
    """One path: the branch to take at each fork, the first one where nothing is said."""

    def __init__(self, path: Sequence[int]) -> None:
        self.path = path
        self.taken: list[tuple[int, int]] = []
        self.probability = Fraction(1)

    def fork(self, probabilities: Sequence[Fraction]) -> int:
        place = len(self.taken)
        branch = self.path[place] if place < len(self.path) else 0
        self.taken.append((branch, len(probabilities)))
        self.probability *= probabilities[branch]
        return branch

    def bernoulli(self, _: object, threshold: int) -> int:
        # A coin that always falls on one side is no fork.
        if threshold in (0, SPAN):
            return threshold // SPAN
        return self.fork([1 - Fraction(threshold, SPAN), Fraction(threshold, SPAN)])

    def uniform(self, _: object, size: int) -> int:
        return self.fork([Fraction(1, size)] * size)

    def next_path(self) -> list[int] | None:
        """Give the path that differs at the last fork where another branch is left."""
        path = [branch for branch, _ in self.taken]
        for place in reversed(range(len(path))):
            if path[place] + 1 < self.taken[place][1]:
                return [*path[:place], path[place] + 1]
        return None


def law(design: Design, code: Any) -> Law:
    """Give the exact distribution of the reports to an answer."""
    found: Law = {}
    path: list[int] | None = []
    while path is not None:
        forks = Forks(path)
        with _forked(forks, design):
            drawn = DRAW_OF_DESIGN[type(design)](design, FixedTestStream("unused"), code)
        found[drawn] = found.get(drawn, Fraction(0)) + forks.probability
        path = forks.next_path()
    return {drawn: probability for drawn, probability in found.items() if probability}


def odds_of(laws: Sequence[Law]) -> Fraction:
    """Give the worst ratio over all reports and all pairs of answers; fail if one report rules an answer out."""
    assert all(each.keys() == laws[0].keys() for each in laws), "a report is possible under one answer only"
    return max(max(each[drawn] for each in laws) / min(each[drawn] for each in laws) for drawn in laws[0])


@contextmanager
def _forked(forks: Forks, design: Design) -> Iterator[None]:
    with (
        patch.object(randomness, "uniform", forks.uniform),
        patch.object(draws, "uniform", forks.uniform),
        patch.object(draws, "bernoulli", forks.bernoulli),
        patch.object(draws, "u64", _u64_of(forks, design)),
    ):
        yield


def _u64_of(forks: Forks, design: Design) -> Callable[[object], int]:
    """Let a 64-bit draw be the first of each stretch between two thresholds of the table."""
    table = design.table if isinstance(design, Channel) else ()
    starts = sorted({0, *(threshold for row in table for threshold in row)})
    lengths = [Fraction(end - start, SPAN) for start, end in zip(starts, [*starts[1:], SPAN], strict=True)]
    return lambda _: starts[forks.fork(lengths)]
