"""A test of counted draws against the perturbation matrix of a design, by the law that its tests write down.

The test is the likelihood-ratio form of the chi-square test: G = 2 Σ counts·ln(counts/expected), over all rows of the
matrix. Pearson's form has the same limit, but far in the tail, where false alarms must be rarer than one in a million,
the limit is no bound. G has one that holds for every number of draws: with k outcomes the moment generating function of
G/2 is at most (1 − λ)^(1 − k) (Agrawal 2020, Finite-sample concentration of the multinomial in relative entropy); the
rows are independent, so with d degrees of freedom in all P(G/2 ≥ t) ≤ e^(d − t)·(t/d)^d for t > d.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tests.mechanisms.cases import Law

from hushpoll_shared.mechanisms import Draw

# Rare outcomes of a row are counted together until this many are expected.
LEAST_EXPECTED = 10


@dataclass(frozen=True)
class Fit:
    """How well counted draws fit the matrix: G/2, its degrees of freedom, and a bound on the chance of a worse fit."""

    half_g: float
    freedom: int

    @property
    def bound(self) -> float:
        """Return a bound on the probability that draws by the law fit as badly as this or worse."""
        t, d = self.half_g, self.freedom
        return math.exp(d - t + d * math.log(t / d)) if t > d else 1.0

    def __str__(self) -> str:
        return f"G = {2 * self.half_g:.1f} with {self.freedom} degrees of freedom, chance at most {self.bound:.2g}"


def fit_of(rows: Iterable[tuple[Counter[Draw], Law]]) -> Fit:
    """Compare the counted draws to each answer with its law; an impossible draw is an error."""
    halves, freedoms = zip(*(_row(counts, law) for counts, law in rows), strict=True)
    return Fit(sum(halves), sum(freedoms))


def _row(counts: Counter[Draw], law: Law) -> tuple[float, int]:
    assert counts.keys() <= law.keys(), "a draw that cannot be"
    n = counts.total()
    cells = [(counts[draw], float(n * chance)) for draw, chance in law.items()]
    usual = [cell for cell in cells if cell[1] >= LEAST_EXPECTED]
    if rare := [cell for cell in cells if cell[1] < LEAST_EXPECTED]:
        usual.append((sum(count for count, _ in rare), sum(expected for _, expected in rare)))
    return sum(count * math.log(count / expected) for count, expected in usual if count), len(usual) - 1
