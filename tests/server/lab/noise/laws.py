"""The laws of the lab's noise: by running the real code along every path of its coins, and from their definitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb
from unittest.mock import patch

from tests.mechanisms.real_law import Forks
from tests.vectors.streams import FixedTestStream

from hushpoll_server.lab.noise import coins, laplace
from hushpoll_shared import randomness
from hushpoll_shared.randomness import ByteSource

# The coefficients of 1, x, x², …
Polynomial = list[Fraction]


class TooUnlikely(Exception):
    """A path that is not followed further."""


class LongForks(Forks):
    """Forks of a program that can toss any number of coins: paths below a chance are given up."""

    def __init__(self, least: Fraction) -> None:
        self.least = least
        super().__init__()

    def fork(self, probabilities: Sequence[Fraction]) -> int:
        if 1 in probabilities:
            return probabilities.index(Fraction(1))
        branch = super().fork(probabilities)
        if self.probability < self.least:
            raise TooUnlikely
        return branch

    def falls(self, chance: Fraction, _: object) -> bool:
        return bool(self.fork([1 - chance, chance]))


def real_law(draw: Callable[[ByteSource], int], *, least: Fraction) -> tuple[dict[int, Fraction], Fraction]:
    """Return the chance of each result over all paths that are likely enough, and the chance of all others."""
    forks, law, rest = LongForks(least), dict[int, Fraction](), Fraction(0)
    path: list[int] | None = []
    with (
        patch.object(coins, "falls", forks.falls),
        patch.object(laplace, "uniform", forks.uniform),
        patch.object(randomness, "uniform", forks.uniform),
    ):
        while path is not None:
            forks.begin(path)
            try:
                result = draw(FixedTestStream("unused"))
                law[result] = law.get(result, Fraction(0)) + forks.probability
            except TooUnlikely:
                rest += forks.probability
            path = forks.next_path()
    return law, rest


def law_of_choice(counts: Sequence[int]) -> list[Polynomial]:
    """Return the chance of each category by permute-and-flip, as a polynomial in x = exp(−ε).

    With p_j = x^(gap of j) and times of visit that are uniform, P(r) = p_r ∫ Π_(j ≠ r) (1 − p_j t) dt from 0 to 1.
    """
    gaps = [max(counts) - count for count in counts]
    return [_chance(gap, gaps[:place] + gaps[place + 1 :]) for place, gap in enumerate(gaps)]


def _chance(gap: int, others: Sequence[int]) -> Polynomial:
    polynomial = [Fraction(0)] * (gap + sum(others) + 1)
    for size in range(len(others) + 1):
        for visited in combinations(others, size):
            polynomial[gap + sum(visited)] += Fraction((-1) ** size, size + 1)
    return polynomial


def value(polynomial: Polynomial, x: Fraction) -> Fraction:
    """Return the value at x."""
    return sum((factor * x**power for power, factor in enumerate(polynomial)), Fraction(0))


def minus_x_times(first: Polynomial, second: Polynomial) -> Polynomial:
    """Return first − x · second."""
    difference = [*first, *[Fraction(0)] * (len(second) + 1 - len(first))]
    for power, factor in enumerate(second, start=1):
        difference[power] -= factor
    return difference


def is_never_negative(polynomial: Polynomial) -> bool:
    """Return whether the coefficients of Bernstein prove that the polynomial is at least 0 from 0 to 1."""
    degree = len(polynomial) - 1
    return all(
        sum(Fraction(comb(place, power), comb(degree, power)) * polynomial[power] for power in range(place + 1)) >= 0
        for place in range(degree + 1)
    )
