"""The exact law of every report of a small design, written down from its definition and not from its formulas.

A survey is then one multinomial draw over the possible reports, which is both exact and fast.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.estimate import Result, SupportDesign, Tally, estimate_shares, joint_of
from hushpoll_shared.designs import Ball, Padded, Projective, Repeated, Subset
from hushpoll_shared.designs.projective import number_of_points, point

Figures = NDArray[np.float64]
SPAN = 2**64


@dataclass(frozen=True, eq=False)
class Law:
    """Hold for each truth (row) the chance of each report (column), and which cells a report asks and supports."""

    design: Subset | Projective | Ball | Padded | Repeated
    chances: Figures
    supports: Figures
    asks: Figures
    holds: Figures

    @property
    def support(self) -> SupportDesign:
        """Give the two probabilities that estimation uses."""
        return SupportDesign(self.design.p, self.design.q)

    def shares(self, truths: Figures) -> Figures:
        """Give the share of each cell when the truths are distributed so."""
        return truths @ self.holds

    def surveys(self, truths: Figures, n: int, times: int, random: np.random.Generator) -> NDArray[np.int64]:
        """Draw the number of each possible report in so many surveys of n people, a row each."""
        return random.multinomial(n, truths @ self.chances, size=times)

    def tally(self, reports: NDArray[np.int64]) -> Tally:
        """Count the supporting reports of all surveys at once."""
        return Tally(reports @ self.supports.astype(int), reports @ self.asks.astype(int), self.support)

    def estimate(self, reports: NDArray[np.int64], **options: object) -> Result:
        """Estimate from the number of each possible report."""
        tally = self.tally(reports)
        return estimate_shares(
            zip(map(str, range(tally.n.size)), tally.count.tolist(), tally.n.tolist(), strict=True),
            self.support,
            n=int(reports.sum()),
            epsilon=1,
            joint=joint_of(self.design),
            **options,  # type: ignore[arg-type]
        )


def threshold(odds: float, inside: int, outside: int) -> int:
    """Give the threshold of a two-weight design with these odds."""
    return int(SPAN * (inside * odds / (inside * odds + outside)))


def subset(size: int, picks: int, odds: float) -> Law:
    """Report a set of `picks` categories; those with the truth weigh more."""
    design = Subset(size, picks, threshold(odds, picks, size - picks))
    return _exclusive(design, _sets(size, picks), design.threshold / SPAN)


def projective(size: int, field: int, dimension: int, odds: float) -> Law:
    """Report a point; those at right angles to the truth weigh more."""
    inside, outside = number_of_points(dimension - 1, field), field ** (dimension - 1)
    points = np.array([point(index, dimension, field) for index in range(inside + outside)])
    design = Projective(size, field, dimension, threshold(odds, inside, outside))
    return _exclusive(design, (points @ points[:size].T % field == 0).astype(float), design.threshold / SPAN)


def repeated(size: int, always: float, instant: float) -> Law:
    """Draw twice in a row by k-ary randomized response."""
    first, second = (threshold(odds, 1, size - 1) for odds in (always, instant))
    tables = [_two_weights(np.eye(size), keep / SPAN) for keep in (first, second)]
    every = np.ones((size, size))
    return Law(Repeated(size, first, second), tables[0] @ tables[1], np.eye(size), every, np.eye(size))


def ball(options: int, asked: int, agree: int, odds: float) -> Law:
    """Ask every choice of options, and report a pattern on them; those that agree with the truth weigh more."""
    inside = sum(math.comb(asked, a) for a in range(agree, asked + 1))
    design = Ball(options, asked, agree, threshold(odds, inside, 2**asked - inside))
    truths = np.array(list(product((0, 1), repeat=options)), float)
    places = [
        (chosen, marks) for chosen in combinations(range(options), asked) for marks in product((0, 1), repeat=asked)
    ]
    supports, asks = np.zeros((len(places), options)), np.zeros((len(places), options))
    for row, (chosen, marks) in enumerate(places):
        supports[row, list(chosen)], asks[row, list(chosen)] = marks, 1
    agrees = ((truths[:, None, :] == supports) * asks).sum(axis=2) >= agree
    keep, choices = design.threshold / SPAN, math.comb(options, asked)
    chances = np.where(agrees, keep / inside, (1 - keep) / (2**asked - inside)) / choices
    return Law(design, chances, supports, asks, truths)


def padded(options: int, most: int, picks: int, inner_odds: float) -> Law:
    """Report one of the ticked options or of the blanks by subset selection."""
    size = options + most
    design = Padded(options, most, picks, threshold(inner_odds, picks, size - picks))
    sets = _sets(size, picks)
    inner = _two_weights(sets, design.threshold / SPAN)
    ticked = [chosen for number in range(most + 1) for chosen in combinations(range(options), number)]
    slots = [[*chosen, *range(options + len(chosen), size)] for chosen in ticked]
    holds = np.array([[float(option in chosen) for option in range(options)] for chosen in ticked])
    chances = np.array([inner[codes].mean(axis=0) for codes in slots])
    return Law(design, chances, sets[:, :options], np.ones((len(sets), options)), holds)


LAWS: dict[str, Callable[[], Law]] = {
    "grr": lambda: subset(16, 1, math.exp(3)),
    "subset": lambda: subset(12, 3, math.e),
    "projective": lambda: projective(40, 3, 4, math.e),
    "padded": lambda: padded(12, 3, 3, math.exp(2)),
    "ball": lambda: ball(12, 2, 2, math.exp(2)),
    "repeated": lambda: repeated(16, math.exp(4), math.exp(3)),
}


def likely_truths(law: Law) -> Figures:
    """Give an uneven distribution over the truths: the first is twenty times as frequent as the last."""
    weights = np.exp(-3 * np.linspace(0, 1, len(law.holds)))
    return np.asarray(weights / weights.sum())


def _exclusive(design: Subset | Projective, supports: Figures, keep: float) -> Law:
    chances = _two_weights(supports, keep)
    return Law(design, chances, supports, np.ones_like(supports), np.eye(supports.shape[1]))


def _two_weights(supports: Figures, keep: float) -> Figures:
    """Give the chance of each report for each category: evenly inside, evenly outside."""
    inside = supports.T / supports.sum(axis=0)[:, None]
    outside = (1 - supports).T / (1 - supports).sum(axis=0)[:, None]
    return np.asarray(keep * inside + (1 - keep) * outside)


def _sets(size: int, picks: int) -> Figures:
    members: Iterable[tuple[int, ...]] = combinations(range(size), picks)
    return np.array([[float(category in chosen) for category in range(size)] for chosen in members])
