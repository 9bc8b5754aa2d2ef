"""The perturbation matrix of a design, and a test of counted draws against it.

Each law is written down from the definition of the mechanism and its integers, in rationals, not from the code of a
client. The test is the likelihood-ratio form of the chi-square test: G = 2 Σ counts·ln(counts/expected), over all rows
of the matrix. Pearson's form has the same limit, but far in the tail, where false alarms must be rarer than one in a
million, the limit is no bound. G has one that holds for every number of draws: with k outcomes the moment generating
function of G/2 is at most (1 − λ)^(1 − k) (Agrawal 2020, Finite-sample concentration of the multinomial in relative
entropy); the rows are independent, so with d degrees of freedom in all P(G/2 ≥ t) ≤ e^(d − t)·(t/d)^d for t > d.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from itertools import combinations, compress, product
from operator import eq
from typing import Any

from hushpoll_shared.designs import Ball, Channel, Laplace, Padded, Projective, Repeated, Subset, Warner, Wave
from hushpoll_shared.designs.projective import point
from hushpoll_shared.designs.wire import write_index

SPAN = 2**64
# Rare outcomes of a row are counted together until so many are expected.
LEAST_EXPECTED = 10

Outcomes = Mapping[Any, Fraction]


@singledispatch
def law_of(design: Any, code: Any) -> Outcomes:
    """Give the probability of every draw to the answer with this code."""
    raise NotImplementedError(type(design))


@law_of.register
def _(design: Warner, code: int) -> Outcomes:
    return {code: Fraction(design.threshold, SPAN), 1 - code: 1 - Fraction(design.threshold, SPAN)}


@law_of.register
def _(design: Subset, code: int) -> Outcomes:
    sets = list(combinations(range(design.size), design.picks))
    return _two_weights(design.threshold, {design.write(list(chosen)): code in chosen for chosen in sets})


@law_of.register
def _(design: Projective, code: int) -> Outcomes:
    points = [point(index, design.dimension, design.field) for index in range(design.points)]
    products = (sum(x * y for x, y in zip(points[code], other, strict=True)) for other in points)
    near = enumerate(product % design.field == 0 for product in products)
    return _two_weights(design.threshold, {write_index(i, design.points - 1): is_near for i, is_near in near})


@law_of.register
def _(design: Ball, code: tuple[int, ...]) -> Outcomes:
    choices = list(combinations(range(design.options), design.asked))
    return _mixture((Fraction(1, len(choices)), _patterns(design, code, asked)) for asked in choices)


@law_of.register
def _(design: Padded, code: tuple[int, ...]) -> Outcomes:
    ticked = list(compress(range(design.options), code))
    blanks = range(design.options + len(ticked), design.options + design.most)
    inner = Subset(design.options + design.most, design.picks, design.threshold)
    return _mixture((Fraction(1, design.most), law_of(inner, slot)) for slot in (*ticked, *blanks))


@law_of.register
def _(design: Channel, code: Fraction) -> Outcomes:
    rows = [{write_index(o, len(row) - 1): Fraction(w, SPAN) for o, w in enumerate(row)} for row in design.weights]
    return _mixture((share, rows[at]) for at, share in _rounded(code, design.steps).items())


@law_of.register
def _(design: Wave, code: Fraction | int) -> Outcomes:
    # An extra is a place of its own behind the outputs of numbers.
    is_extra = isinstance(code, int)
    first = design.numbers + code * design.inside if is_extra else min(int(code * design.bins), design.bins - 1)
    near = {write_index(o, design.outputs - 1): first <= o < first + design.inside for o in range(design.outputs)}
    return _two_weights(design.threshold, near)


@law_of.register
def _(design: Laplace, code: Fraction) -> Outcomes:
    return _mixture((share, _noisy(design, at)) for at, share in _rounded(code, design.steps).items())


@law_of.register
def _(design: Repeated, code: int) -> Outcomes:
    first, second = (Subset(design.size, 1, threshold) for threshold in (design.permanent, design.instant))
    return _mixture((chance, law_of(second, int(drawn, 16))) for drawn, chance in law_of(first, code).items())


@dataclass(frozen=True)
class Fit:
    """How well counted draws fit the matrix: G/2, its degrees of freedom, and a bound on the chance of so much."""

    half_g: float
    freedom: int

    @property
    def bound(self) -> float:
        """Bound the probability that draws by the law fit as badly as this or worse."""
        t, d = self.half_g, self.freedom
        return math.exp(d - t + d * math.log(t / d)) if t > d else 1.0

    def __str__(self) -> str:
        return f"G = {2 * self.half_g:.1f} with {self.freedom} degrees of freedom, chance at most {self.bound:.2g}"


def fit_of(rows: Iterable[tuple[Counter[Any], Outcomes]]) -> Fit:
    """Compare the counted draws to each answer with its law; a draw that cannot be is an error."""
    halves, freedoms = zip(*(_row(counts, law) for counts, law in rows), strict=True)
    return Fit(sum(halves), sum(freedoms))


def _row(counts: Counter[Any], law: Outcomes) -> tuple[float, int]:
    assert counts.keys() <= law.keys(), "a draw that cannot be"
    n = counts.total()
    cells = [(counts[draw], float(n * chance)) for draw, chance in law.items()]
    usual = [cell for cell in cells if cell[1] >= LEAST_EXPECTED]
    if rare := [cell for cell in cells if cell[1] < LEAST_EXPECTED]:
        usual.append((sum(count for count, _ in rare), sum(expected for _, expected in rare)))
    return sum(count * math.log(count / expected) for count, expected in usual if count), len(usual) - 1


def _two_weights(threshold: int, near: Mapping[str, bool]) -> Outcomes:
    """Share the threshold evenly among the draws near the truth, the rest evenly among the others."""
    keep, inside = Fraction(threshold, SPAN), sum(near.values())
    return {draw: keep / inside if is_near else (1 - keep) / (len(near) - inside) for draw, is_near in near.items()}


def _mixture(parts: Iterable[tuple[Fraction, Outcomes]]) -> Outcomes:
    law: dict[Any, Fraction] = {}
    for share, outcomes in parts:
        for draw, chance in outcomes.items():
            law[draw] = law.get(draw, Fraction(0)) + share * chance
    return law


def _rounded(place: Fraction, steps: int) -> dict[int, Fraction]:
    """Give the points of the grid to which a place is rounded without bias, with their probabilities."""
    below, rest = divmod(place * steps, 1)
    return {below: 1 - rest, below + 1: rest} if rest else {below: Fraction(1)}


def _patterns(design: Ball, code: tuple[int, ...], asked: tuple[int, ...]) -> Outcomes:
    """Give the law of the ticks for the options that were asked."""
    truth = [code[option] for option in asked]
    patterns = list(product((0, 1), repeat=design.asked))
    agreeing = [sum(map(eq, ticks, truth)) >= design.agree for ticks in patterns]
    marks = [_marks(design.options, asked, ticks) for ticks in patterns]
    return _two_weights(design.threshold, dict(zip(marks, agreeing, strict=True)))


def _marks(options: int, asked: tuple[int, ...], ticks: tuple[int, ...]) -> str:
    marks = dict(zip(asked, map(str, ticks), strict=True))
    return "".join(marks.get(option, "-") for option in range(options))


def _noisy(design: Laplace, at: int) -> Outcomes:
    """Add the difference of two geometric numbers: (1 − a)/(1 + a)·a^|z|, and at both ends all that lies beyond."""
    a, last = Fraction(design.threshold, SPAN), design.steps + 2 * design.reach
    # Powers of a are rounded: exact ones would have thousands of digits.
    chances = [Fraction(float(a) ** abs(output - design.reach - at)) / (1 + a) for output in range(last + 1)]
    return {
        write_index(output, last): chance if output in (0, last) else chance * (1 - a)
        for output, chance in enumerate(chances)
    }
