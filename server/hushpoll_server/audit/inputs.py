"""Contrasting answers to a question: few enough to use each many times, different enough to show what leaks.

Inputs are compared with their partners. Where all categories are treated alike, all others are partners; for ticks and
for numbers, each input that is compared has one partner, whose reports differ most from its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import comb

from hushpoll_server.mechanisms import Mechanism, mechanism_of
from hushpoll_server.simulate.respondents import Answers
from hushpoll_shared.mechanisms import Design
from hushpoll_shared.mechanisms.domains import Categories, Code, Numbers, Ticks
from hushpoll_shared.question_types import QuestionType
from hushpoll_shared.questions import Question

MOST_INPUTS = 6
ENDS = (Fraction(0), Fraction(1))
QUARTERS = (Fraction(1, 4), Fraction(3, 4))
HALFWAY = (Fraction(1, 2),)
# Numbers outside the range, which the device must clamp to the ends.
BEYOND = (Fraction(-1), Fraction(2))

Partners = tuple[tuple[int, ...], ...]
NO_PARTNERS: Partners = ((), ())
# Two answers that are partners, by the options ticked in each.
Couple = tuple[frozenset[int], frozenset[int]]


@dataclass(frozen=True)
class Input:
    """An answer as an app states it, and its code."""

    answers: Answers
    code: Code


@dataclass(frozen=True)
class Contrast:
    """The inputs of a question, the partners of each, and whether the inputs are the whole domain."""

    inputs: tuple[Input, ...]
    partners: Partners
    complete: bool

    def partner(self, place: int, run: int) -> int:
        """Return the input that a run is compared with: each partner in turn, whatever the draw; −1 for none."""
        partners = self.partners[place]
        return partners[run % len(partners)] if partners else -1


def contrast_of(question: Question) -> Contrast:
    """Return the inputs of a question and their partners."""
    match question.type.domain:
        case Categories(size):
            return _categories(question, size)
        case Ticks(cells, most):
            return _ticks(question, cells - len(question.type.extras), most)
        case Numbers(points=None):
            return _numbers(question, mechanism_of(question))
        case Numbers(points=int(points)):
            return _points(question, points, mechanism_of(question))
    raise TypeError(f"questions of type {question.type.NAME} cannot be audited")


def evenly_spaced(size: int, most: int = MOST_INPUTS) -> list[int]:
    """Return all codes of a small domain, or `most` of them from the first to the last."""
    if size <= most:
        return list(range(size))
    return [place * (size - 1) // (most - 1) for place in range(most)]


def _input(question: Question, code: Code) -> Input:
    return Input(question.type.invent_answers(question.id, code), code)


def _categories(question: Question, size: int) -> Contrast:
    inputs = tuple(_input(question, code) for code in evenly_spaced(size))
    everyone = range(len(inputs))
    partners = tuple(tuple(other for other in everyone if other != place) for place in everyone)
    return Contrast(inputs, partners, len(inputs) == size)


def _ticks(question: Question, options: int, limit: int | None) -> Contrast:
    m, most, extras = options, limit or options, len(question.type.extras)
    first, *others = _tick_couples(m, most)
    couples = _without_repeats([first, *_extra_couple(m, most, extras), *others])[: MOST_INPUTS // 2]
    codes = [tuple(int(cell in ticked) for cell in range(m + extras)) for ticked in chain(*couples)]
    size = sum(comb(m, ticked) for ticked in range(most + 1)) + extras
    inputs = tuple(_input(question, code) for code in codes)
    return Contrast(inputs, _couple(len(inputs)), len(inputs) == size)


def _extra_couple(m: int, most: int, extras: int) -> list[Couple]:
    """Return two extras, or the only one and an answer with many ticks."""
    many = frozenset(range(1, most + 1) if most < m else range(m - 1))
    return [(frozenset({m}), frozenset({m + 1}) if extras > 1 else many)] if extras else []


def _tick_couples(m: int, most: int) -> list[Couple]:
    """Return answers that differ in as many options as the limit allows; first those with no and with most ticks."""
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
    """Return the couples without those that share an answer with an earlier one."""
    different: list[Couple] = []
    for couple in couples:
        if not set(couple) & set(chain(*different)):
            different.append(couple)
    return different


def _numbers(question: Question, mechanism: Mechanism[Design]) -> Contrast:
    worst, extras = mechanism.worst_places, range(len(question.type.extras))
    last = (*extras, *HALFWAY)[:2] if extras else QUARTERS
    codes = (*ENDS, *(BEYOND if worst == ENDS else worst), *last)
    inputs = tuple(_number(question.id, question.type, code) for code in codes)
    ends, middle, others = (_couple(len(inputs))[place : place + 2] for place in (0, 2, 4))
    # Inputs of couples that do not show the whole ratio are compared event by event only.
    if not mechanism.shows_odds_everywhere:
        ends = ends if worst == ENDS else NO_PARTNERS
        others = others if extras else NO_PARTNERS
    return Contrast(inputs, (*ends, *middle, *others), complete=False)


def _number(name: str, question_type: QuestionType, code: Code) -> Input:
    """Return an extra, or the number at a place in the range; its code is clamped to the range."""
    answers = question_type.invent_answers(name, code)
    return Input(answers, question_type.code_of(name, answers[name]))


def _points(question: Question, points: int, mechanism: Mechanism[Design]) -> Contrast:
    steps, extras = points - 1, range(len(question.type.extras))
    first, second = (int(place * steps) for place in mechanism.worst_places)
    tried = sorted({*evenly_spaced(points, MOST_INPUTS - len(extras)), first, second})
    codes: list[Code] = [Fraction(point, steps) for point in tried]
    inputs = tuple(_input(question, code) for code in (*codes, *extras))
    partners = {tried.index(first): tried.index(second), tried.index(second): tried.index(first)}
    if len(extras) > 1:
        partners |= {len(tried): len(tried) + 1, len(tried) + 1: len(tried)}
    of_each = tuple((partners[place],) if place in partners else () for place in range(len(inputs)))
    return Contrast(inputs, of_each, len(tried) == points)


def _couple(size: int) -> Partners:
    """Return partners for all inputs: each two neighbours are partners."""
    return tuple((place ^ 1,) for place in range(size))
