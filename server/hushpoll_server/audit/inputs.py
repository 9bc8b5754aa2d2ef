"""The answers that an audit gives to a question: every option of it, and each compared with an answer that is far away.

Where all categories are treated alike, any other one is a partner. For ticks and for numbers, each input that is
compared has one mate, whose reports differ most from its own; inputs without one are looked at event by event only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain
from math import comb

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.mechanisms import Mechanism, mechanism_of
from hushpoll_server.simulate.respondents import Answers
from hushpoll_shared.mechanisms import Design
from hushpoll_shared.mechanisms.domains import Categories, Code, Numbers, Ticks
from hushpoll_shared.questions import Question

ENDS = (Fraction(0), Fraction(1))
QUARTERS = (Fraction(1, 4), Fraction(3, 4))
HALFWAY = Fraction(1, 2)
# Numbers outside the range, which the device must clamp to the ends.
BEYOND = (Fraction(-1), Fraction(2))
# How far inward a number is moved that is a point mass.
INSIDE = Fraction(1, 97)
NO_MATE = -1

Places = NDArray[np.int32]
# The options that are ticked.
Ticked = frozenset[int]
# Two answers that are compared.
Couple = tuple[Ticked, Ticked]


@dataclass(frozen=True)
class Input:
    """An answer as an app states it, and its code."""

    answers: Answers
    code: Code


@dataclass(frozen=True)
class Contrast:
    """The inputs of a question, the mate of each (None: any other is a partner), and whether they are the domain."""

    inputs: tuple[Input, ...]
    mates: tuple[int, ...] | None
    complete: bool

    @property
    def size(self) -> int:
        """Return the number of inputs."""
        return len(self.inputs)

    @cached_property
    def codes(self) -> tuple[Code, ...]:
        """Return the codes of the inputs."""
        return tuple(each.code for each in self.inputs)

    @property
    def compared(self) -> Places:
        """Return the places of the inputs that have a partner."""
        return np.array([place for place in range(self.size) if self.mates is None or self.mates[place] != NO_MATE])

    def partners(self, places: Places, lots: NDArray[np.uint64]) -> Places:
        """Return the partner of each input: its mate, or any other one by lot; NO_MATE for none."""
        if self.mates is not None:
            return np.array(self.mates, dtype=np.int32)[places]
        steps = 1 + lots % np.uint64(self.size - 1)
        return ((places + steps.astype(np.int64)) % self.size).astype(np.int32)


def contrast_of(question: Question) -> Contrast:
    """Return the inputs of a question and their partners."""
    match question.type.domain:
        case Categories(size):
            return Contrast(tuple(_input(question, code) for code in range(size)), None, complete=True)
        case Ticks(cells, most):
            return _ticks(question, cells - len(question.type.extras), most)
        case Numbers(points=None):
            return _numbers(question, mechanism_of(question))
        case Numbers(points=int(points)):
            return _points(question, points, mechanism_of(question))
    raise TypeError(f"questions of type {question.type.NAME} cannot be audited")


def _input(question: Question, code: Code) -> Input:
    return Input(question.type.invent_answers(question.id, code), code)


# --- ticks -----------------------------------------------------------------------------------------------------------


def _ticks(question: Question, options: int, limit: int | None) -> Contrast:
    m, most, extras = options, limit or options, len(question.type.extras)
    couples = _tick_couples(m, most, extras)
    # An option whose opposites are all taken is ticked alone, without a mate.
    used = set(chain(*couples))
    alone = [ticked for ticked in map(_only, range(m)) if ticked not in used]
    ticks = [*chain(*couples), *alone]
    codes = [tuple(int(cell in ticked) for cell in range(m + extras)) for ticked in ticks]
    size = sum(comb(m, ticked) for ticked in range(most + 1)) + extras
    mates = (*_mutual(2 * len(couples)), *[NO_MATE] * len(alone))
    return Contrast(tuple(_input(question, code) for code in codes), mates, len(ticks) == size)


def _tick_couples(m: int, most: int, extras: int) -> list[Couple]:
    """Return no tick and most ticks, the extras, every option alone against others, and every second option."""
    couples: list[Couple] = [(frozenset(), frozenset(range(most))), *_extra_couple(m, most, extras)]
    for option in range(m):
        used = set(chain(*couples))
        opposite = next((ticked for ticked in _opposites(option, m, most) if ticked not in used), None)
        if opposite is not None and _only(option) not in used:
            couples.append((_only(option), opposite))
    evens = frozenset(range(0, m, 2))
    odds = frozenset(range(m)) - evens
    return couples if most < m or {evens, odds} & set(chain(*couples)) else [*couples, (evens, odds)]


def _only(option: int) -> Ticked:
    return frozenset({option})


def _opposites(option: int, m: int, most: int) -> Iterator[Ticked]:
    """Return answers with as many of the other options as the limit allows, from different starts."""
    others = [(option + step) % m for step in range(1, m)]
    for start in range(len(others)):
        yield frozenset((others[start:] + others[:start])[:most])


def _extra_couple(m: int, most: int, extras: int) -> Sequence[Couple]:
    """Return two extras, or the only one and an answer with many ticks."""
    many = frozenset(range(1, most + 1) if most < m else range(m - 1))
    return [(_only(m), _only(m + 1) if extras > 1 else many)] if extras else []


# --- numbers ---------------------------------------------------------------------------------------------------------


def _numbers(question: Question, mechanism: Mechanism[Design]) -> Contrast:
    """Return the ends, numbers beyond them or where the design is worst, the quarters, point masses and extras."""
    worst = mechanism.worst_places
    worst_at_ends = worst == ENDS
    far = mechanism.shows_odds_everywhere
    couples: list[tuple[tuple[Code, Code], bool]] = [
        (ENDS, worst_at_ends or far),
        (BEYOND if worst_at_ends else worst, True),
        (QUARTERS, far),
    ]
    couples += [(couple, True) for couple in _beside(len(question.type.point_masses) + len(question.type.extras))]
    inputs = tuple(_number(question, code) for couple, _ in couples for code in couple)
    # Couples that do not show the whole ratio have no mates.
    shows = [shown for _, shown in couples for _ in range(2)]
    mates = (mate if shown else NO_MATE for mate, shown in zip(_mutual(len(inputs)), shows, strict=True))
    return Contrast(inputs, tuple(mates), complete=False)


def _beside(number: int) -> list[tuple[Code, Code]]:
    """Return couples of all answers beside the range; one that is left over is compared with the middle."""
    codes: list[Code] = [*range(number), *([HALFWAY] if number % 2 else [])]
    return list(zip(codes[::2], codes[1::2], strict=True))


def _number(question: Question, code: Code) -> Input:
    """Return an answer beside the range, or the number at a place in it; its code is clamped to the range.

    Where that number is a point mass, which is tried anyway, one further inside takes its place.
    """
    answers = question.type.invent_answers(question.id, code)
    read = question.type.code_of(question.id, answers[question.id])
    if isinstance(code, Fraction) and isinstance(read, int) and 0 <= code <= 1:
        return _number(question, code + INSIDE if code < HALFWAY else code - INSIDE)
    return Input(answers, read)


def _points(question: Question, points: int, mechanism: Mechanism[Design]) -> Contrast:
    """Return every point and every extra."""
    steps, extras = points - 1, range(len(question.type.extras))
    first, second = (int(place * steps) for place in mechanism.worst_places)
    codes: list[Code] = [*(Fraction(point, steps) for point in range(points)), *extras]
    mates = [NO_MATE] * len(codes)
    mates[first], mates[second] = second, first
    if len(extras) > 1:
        mates[points:] = [points + 1, points]
    return Contrast(tuple(_input(question, code) for code in codes), tuple(mates), complete=True)


def _mutual(size: int) -> tuple[int, ...]:
    """Return mates for an even number of inputs: each two neighbours."""
    return tuple(place ^ 1 for place in range(size))
