"""The exact law of a draw, by running the real code along every possible path.

The random functions that a draw calls are replaced by forks: each call has finitely many outcomes with exact
probabilities, and the draw is run once for every path through them. The result is the distribution of the very code
that clients run, in rationals, not a formula about it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from functools import lru_cache
from typing import Any
from unittest.mock import patch

from tests.mechanisms.cases import Law
from tests.vectors.streams import FixedTestStream

from hushpoll_client.mechanisms import draw
from hushpoll_shared import randomness
from hushpoll_shared.mechanisms import Design, Draw
from hushpoll_shared.randomness import SPAN


class Forks:
    """One path after the other: the branch to take at each fork, by default the first."""

    def __init__(self) -> None:
        self.begin([])

    def begin(self, path: Sequence[int]) -> None:
        """Begin a path."""
        self.path = path
        self.taken: list[tuple[int, int]] = []
        # What is asked of the random source, in order: a coin with its threshold, or one of a number.
        self.steps: list[tuple[str, int]] = []
        self.probability = Fraction(1)

    def fork(self, probabilities: Sequence[Fraction]) -> int:
        place = len(self.taken)
        branch = self.path[place] if place < len(self.path) else 0
        self.taken.append((branch, len(probabilities)))
        self.probability *= probabilities[branch]
        return branch

    def bernoulli(self, _: object, threshold: int) -> int:
        # A coin that always falls on one side is not a fork.
        if threshold in (0, SPAN):
            return threshold // SPAN
        self.steps.append(("coin", threshold))
        return self.fork([1 - Fraction(threshold, SPAN), Fraction(threshold, SPAN)])

    def uniform(self, _: object, size: int) -> int:
        self.steps.append(("one of", size))
        return self.fork([Fraction(1, size)] * size)

    def next_path(self) -> list[int] | None:
        """Return the path that differs at the last fork with an untried branch."""
        path = [branch for branch, _ in self.taken]
        for place in reversed(range(len(path))):
            if path[place] + 1 < self.taken[place][1]:
                return [*path[:place], path[place] + 1]
        return None


# An extra and a number can be equal as codes, and are told apart by their types.
@lru_cache(maxsize=1000, typed=True)
def real_law(design: Design, code: Any) -> Law:
    """Return the exact distribution of the draws to a code."""
    law: dict[Draw, Fraction] = {}
    for drawn, forks in paths(design, code):
        law[drawn] = law.get(drawn, Fraction(0)) + forks.probability
    return {drawn: probability for drawn, probability in law.items() if probability}


def paths(design: Design, code: Any) -> Iterator[tuple[Draw, Forks]]:
    """Return the draw at the end of every path; the forks are those of this path until the next one is asked for."""
    forks = Forks()
    path: list[int] | None = []
    with _forked(forks, design):
        while path is not None:
            forks.begin(path)
            yield draw(design, FixedTestStream("unused"), code), forks
            path = forks.next_path()


def odds_of(laws: Sequence[Law]) -> Fraction:
    """Return the worst ratio over all draws and all pairs of answers; fail if a draw rules an answer out."""
    assert all(each.keys() == laws[0].keys() for each in laws), "a draw is possible under one answer only"
    return max(max(each[drawn] for each in laws) / min(each[drawn] for each in laws) for drawn in laws[0])


@contextmanager
def _forked(forks: Forks, design: Design) -> Iterator[None]:
    forked = {"uniform": forks.uniform, "bernoulli": forks.bernoulli, "u64": _u64_of(forks, design)}
    rooms = [module for name, module in sys.modules.items() if name.startswith("hushpoll_client.mechanisms.")]
    with ExitStack() as stack:
        # `choose` is not replaced: it draws by `uniform`.
        stack.enter_context(patch.object(randomness, "uniform", forks.uniform))
        for room in rooms:
            for name in forked.keys() & vars(room).keys():
                stack.enter_context(patch.object(room, name, forked[name]))
        yield


def _u64_of(forks: Forks, design: Design) -> Callable[[object], int]:
    """Return a fork whose outcomes are the first number of each range between two thresholds of a table."""
    table: Sequence[Sequence[int]] = getattr(design, "table", ())
    starts = sorted({0, *(threshold for row in table for threshold in row)})
    lengths = [Fraction(end - start, SPAN) for start, end in zip(starts, [*starts[1:], SPAN], strict=True)]
    return lambda _: starts[forks.fork(lengths)]
