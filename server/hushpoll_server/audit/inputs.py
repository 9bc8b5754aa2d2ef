"""Contrasting answers to a question: few enough to give each many times, far enough apart to show what leaks.

Inputs are compared with their partners. Where all categories are alike, all others are partners; for several options
and for numbers, each input that is compared has one partner, whose reports differ most from its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, permutations
from math import comb

from hushpoll_server.answers import Answers, answers_of, choice_of, extra_of, ticks_of
from hushpoll_shared.designs import Channel, Design, Wave
from hushpoll_shared.designs.grid import position
from hushpoll_shared.questions import Choice, MultiChoice, Number, Question, Scale

MOST_INPUTS = 6
# A ratio counts as the worst if it is the odds but for the rounding of a table to integers.
ROUNDING = Fraction(1, 10**6)
ENDS = (Fraction(0), Fraction(1))
QUARTERS = (Fraction(1, 4), Fraction(3, 4))
HALFWAY = (Fraction(1, 2),)
# Numbers outside the range, which the device must clamp to the ends.
BEYOND = (Fraction(-1), Fraction(2))

# The place of a choice in its domain, the ticks of several choices, or the place of a number in its range; beside
# numbers, an extra is its place among the extras.
Code = int | tuple[int, ...] | Fraction
Partners = tuple[tuple[int, ...], ...]
NOBODY: Partners = ((), ())
# Two answers by what is ticked in each.
Couple = tuple[frozenset[int], frozenset[int]]


@dataclass(frozen=True)
class Input:
    """An answer as an app gives it, and its code."""

    answers: Answers
    code: Code


@dataclass(frozen=True)
class Contrast:
    """The inputs of a question, the partners of each, and whether the domain holds no others."""

    inputs: tuple[Input, ...]
    partners: Partners
    complete: bool

    def partner(self, place: int, run: int) -> int:
        """Give the input that a run is compared with: one after the other, whatever the client draws; −1 for none."""
        partners = self.partners[place]
        return partners[run % len(partners)] if partners else -1


def contrast_of(question: Question) -> Contrast:
    """Choose the inputs of a question."""
    kind = question.kind
    if isinstance(kind, MultiChoice):
        return _ticks(question.id, kind)
    if isinstance(kind, Number):
        return _numbers(question.id, kind, question.design)
    if isinstance(kind, Scale) and kind.report == "mean":
        return _points(question.id, kind, question.design)
    assert isinstance(kind, Choice)
    return _categories(question, len(kind.cells))


def worst_places(design: Design) -> tuple[Fraction, Fraction]:
    """Give two places in the range whose reports differ as much as the odds say: the ends, save for odd channels."""
    if not isinstance(design, Channel):
        return ENDS
    limit = design.odds * (1 - ROUNDING)
    for first, second in ((0, design.steps), *permutations(range(design.inputs), 2)):
        rows = zip(design.weights[first], design.weights[second], strict=True)
        if any(Fraction(weight, other) >= limit for weight, other in rows):
            return Fraction(first, design.steps), Fraction(second, design.steps)
    # Only an extra and a number differ so much.
    return ENDS


def spread(size: int, most: int = MOST_INPUTS) -> list[int]:
    """Give all places of a small domain, or some from its first to its last."""
    if size <= most:
        return list(range(size))
    return [place * (size - 1) // (most - 1) for place in range(most)]


def _categories(question: Question, size: int) -> Contrast:
    inputs = tuple(Input(answers_of(question, code), code) for code in spread(size))
    everyone = range(len(inputs))
    partners = tuple(tuple(other for other in everyone if other != place) for place in everyone)
    return Contrast(inputs, partners, len(inputs) == size)


def _ticks(name: str, kind: MultiChoice) -> Contrast:
    m, most = len(kind.options), kind.most or len(kind.options)
    first, *others = _tick_couples(m, most)
    couples = _without_repeats([first, *_extra_couple(m, most, len(kind.extras)), *others])[: MOST_INPUTS // 2]
    codes = [tuple(int(cell in ticked) for cell in range(len(kind.cells))) for ticked in chain(*couples)]
    size = sum(comb(m, ticked) for ticked in range(most + 1)) + len(kind.extras)
    inputs = tuple(Input({name: ticks_of(kind, code)}, code) for code in codes)
    return Contrast(inputs, _couple(len(inputs)), len(inputs) == size)


def _extra_couple(m: int, most: int, extras: int) -> list[Couple]:
    """Give two extras, or the only one and many ticks."""
    many = frozenset(range(1, most + 1) if most < m else range(m - 1))
    return [(frozenset({m}), frozenset({m + 1}) if extras > 1 else many)] if extras else []


def _tick_couples(m: int, most: int) -> list[Couple]:
    """Give answers that differ in as many options as the limit allows, first of all nothing and everything."""
    first, last, full = frozenset({0}), frozenset({m - 1}), frozenset(range(most))
    if most < m:
        return [
            (frozenset(), full),
            (first, frozenset(range(1, most + 1))),
            (last, frozenset(range(m - 1 - most, m - 1))),
        ]
    evens = frozenset(range(0, m, 2))
    return [(frozenset(), full), (first, full - first), (evens, full - evens)]


def _without_repeats(couples: Sequence[Couple]) -> list[Couple]:
    """Leave out couples of which one was there before."""
    kept: list[Couple] = []
    for couple in couples:
        if not set(couple) & set(chain(*kept)):
            kept.append(couple)
    return kept


def _numbers(name: str, kind: Number, design: Design) -> Contrast:
    worst, extras = worst_places(design), range(len(kind.extras))
    last = (*extras, *HALFWAY)[:2] if kind.extras else QUARTERS
    codes = (*ENDS, *(BEYOND if worst == ENDS else worst), *last)
    inputs = tuple(_number(name, kind, code) for code in codes)
    ends, middle, others = (_couple(len(inputs))[place : place + 2] for place in (0, 2, 4))
    # Save for the square wave, not every couple shows the whole ratio; such inputs are compared event by event.
    if not isinstance(design, Wave):
        ends = ends if worst == ENDS else NOBODY
        others = others if kind.extras else NOBODY
    return Contrast(inputs, (*ends, *middle, *others), complete=False)


def _number(name: str, kind: Number, code: int | Fraction) -> Input:
    """Give an extra, or the number at a place; what lies outside the range is clamped to it."""
    if isinstance(code, int):
        return Input({name: extra_of(kind.extras[code])}, code)
    value = float(kind.low + code * (kind.high - kind.low))
    return Input({name: value}, position(value, kind.low, kind.high))


def _points(name: str, kind: Scale, design: Design) -> Contrast:
    steps, extras = kind.max - kind.min, range(len(kind.extras))
    first, second = (int(place * steps) for place in worst_places(design))
    points = sorted({*spread(steps + 1, MOST_INPUTS - len(extras)), first, second})
    inputs = [Input({name: choice_of(kind, code)}, Fraction(code, steps)) for code in points]
    inputs += [Input({name: choice_of(kind, steps + 1 + extra)}, extra) for extra in extras]
    partners = {points.index(first): points.index(second), points.index(second): points.index(first)}
    if len(extras) > 1:
        partners |= {len(points): len(points) + 1, len(points) + 1: len(points)}
    mine = tuple((partners[place],) if place in partners else () for place in range(len(inputs)))
    return Contrast(tuple(inputs), mine, len(points) == steps + 1)


def _couple(size: int) -> Partners:
    """Make partners of each two neighbours."""
    return tuple((place ^ 1,) for place in range(size))
