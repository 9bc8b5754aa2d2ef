"""Pieces of laws that several mechanisms share, in rationals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction

from tests.mechanisms.cases import Law

from hushpoll_shared.mechanisms import Draw

SPAN = 2**64


def hexadecimal(number: int, last: int) -> Draw:
    """Return an output in hexadecimal, with as many digits as the last one."""
    return f"{number:0{len(f'{last:x}')}x}"


def written_set(chosen: tuple[int, ...], size: int) -> Draw:
    """Return a set as its only member, or as a mask whose first bit is category 0."""
    if len(chosen) == 1:
        return hexadecimal(chosen[0], size - 1)
    bits = "".join("1" if category in chosen else "0" for category in range(8 * math.ceil(size / 8)))
    return f"{int(bits, 2):0{len(bits) // 4}x}"


def two_weights(threshold: int, near: Mapping[Draw, bool]) -> Law:
    """Return the law that divides the threshold evenly among the draws near the answer, the rest among the others."""
    keep, inside = Fraction(threshold, SPAN), sum(near.values())
    chances = (1 - keep) / (len(near) - inside), keep / inside
    return {draw: chances[is_near] for draw, is_near in near.items()}


def mixture(parts: Iterable[tuple[Fraction, Law]]) -> Law:
    """Return the law of a draw from one of several laws, chosen at random."""
    law: dict[Draw, Fraction] = {}
    for share, outcomes in parts:
        for draw, chance in outcomes.items():
            part = share * chance
            law[draw] = law[draw] + part if draw in law else part
    return law


def threshold_of(odds: float, inside: int, outside: int) -> int:
    """Return the threshold of a two-weight design with about these odds."""
    return int(SPAN * (inside * odds / (inside * odds + outside)))


def rounded(place: Fraction, steps: int) -> dict[int, Fraction]:
    """Return the points of the grid that a place is rounded to without bias, with their probabilities."""
    below, rest = divmod(place * steps, 1)
    return {int(below): 1 - rest, int(below) + 1: rest} if rest else {int(below): Fraction(1)}
