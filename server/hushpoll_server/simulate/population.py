"""What invented respondents really think: the truth about each question, and answers drawn from it.

Answers are independent of each other and have the true shares, apart from one rounding to integers over 2^64. `shown`
is what an estimate can be compared with, by the names of its cells.
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.question_types import Answer, QuestionType, answer_of_extra
from hushpoll_shared.questions import Question
from hushpoll_shared.randomness import SPAN

# Answers with too many ticks are drawn again; a try must succeed with at least this probability.
LEAST_SUCCESS = 0.001
_RESOLUTION = 2**53

Answers = dict[str, Answer]
Shown = float | dict[str, float]


class Wheel:
    """A wheel of fortune: sectors with shares that add up to 1."""

    def __init__(self, shares: Sequence[Fraction]) -> None:
        """Mark the sectors on the wheel."""
        self._marks = [round(mark * SPAN) for mark in accumulate(shares)][:-1]

    def spin(self) -> int:
        """Return a random sector, each with the probability of its share."""
        return bisect_right(self._marks, secrets.randbelow(SPAN))


class Truth(ABC):
    """The truth about one question."""

    @abstractmethod
    def draw(self) -> Answers:
        """Draw the answer of one respondent."""

    @property
    @abstractmethod
    def shown(self) -> Shown:
        """Return the shares, or the mean."""


@dataclass(frozen=True)
class ChoiceTruth(Truth):
    """The shares of answers that exclude each other."""

    question: Question
    shares: tuple[Fraction, ...]

    @cached_property
    def _wheel(self) -> Wheel:
        return Wheel(self.shares)

    def draw(self) -> Answers:
        """Draw one of the answers; for a pair, one of the combinations."""
        return self.question.type.invent_answers(self.question.id, self._wheel.spin())

    @property
    def shown(self) -> Shown:
        """Return the share of yes alone if no is the only other answer, otherwise all shares."""
        shares = dict(zip(self.question.type.cells, map(float, self.shares), strict=True))
        shown = self.question.type.estimated_cells
        return shares[shown[0]] if len(shown) == 1 else shares


@dataclass(frozen=True)
class TicksTruth(Truth):
    """The shares of options, ticked independently of each other, and of extras, which are given alone."""

    name: str
    type: QuestionType
    shares: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        """Refuse shares with which hardly anybody would stay within the limit of ticks."""
        if sum(self._extras) > 1:
            raise InvalidValue(f"question {self.name}: the extras have shares above 1 together: lower them")
        if self._within(self._ticks, self._most) < LEAST_SUCCESS:
            raise InvalidValue(f"question {self.name}: hardly anybody would tick so few options: lower the shares")

    @property
    def _options(self) -> tuple[str, ...]:
        return self.type.cells[: len(self.type.cells) - len(self.type.extras)]

    @property
    def _most(self) -> int:
        return self.type.most_ticks or len(self._options)

    @property
    def _ticks(self) -> list[float]:
        return [float(share) for share in self.shares[: len(self._options)]]

    @property
    def _extras(self) -> tuple[Fraction, ...]:
        return self.shares[len(self._options) :]

    @cached_property
    def _extra_wheel(self) -> Wheel:
        return Wheel((1 - sum(self._extras, start=Fraction(0)), *self._extras))

    @cached_property
    def _tick_wheels(self) -> list[tuple[str, Wheel]]:
        options = zip(self._options, self.shares, strict=False)
        return [(option, Wheel((1 - share, share))) for option, share in options]

    def draw(self) -> Answers:
        """Draw an extra or ticks; draw the ticks again while there are too many."""
        if extra := self._extra_wheel.spin():
            return {self.name: answer_of_extra(self.type.extras[extra - 1])}
        while True:
            ticked = [option for option, wheel in self._tick_wheels if wheel.spin()]
            if len(ticked) <= self._most:
                return {self.name: ticked}

    @property
    def shown(self) -> Shown:
        """Return the shares after drawing again, which makes options that come with many others rarer."""
        ticks, without_extras = self._ticks, float(1 - sum(self._extras))
        within = self._within(ticks, self._most)
        shares = [
            without_extras * share * self._within(ticks[:place] + ticks[place + 1 :], self._most - 1) / within
            for place, share in enumerate(ticks)
        ]
        return dict(zip(self.type.cells, (*shares, *map(float, self._extras)), strict=True))

    @staticmethod
    def _within(ticks: Sequence[float], most: int) -> float:
        """Return the probability of at most `most` ticks, drawn independently."""
        if len(ticks) <= most:
            return 1.0
        numbers = [1.0] + [0.0] * most
        for share in ticks:
            # P(j ticks) = P(j before)·(1 − f) + P(j − 1 before)·f
            fewer = [0.0, *numbers[:-1]]
            numbers = [stay * (1 - share) + one * share for stay, one in zip(numbers, fewer, strict=True)]
        return sum(numbers)


@dataclass(frozen=True)
class ValuesTruth(Truth):
    """Numbers, or points of a scale whose mean is estimated, with their shares."""

    name: str
    values: tuple[int | float, ...]
    shares: tuple[Fraction, ...]

    @cached_property
    def _wheel(self) -> Wheel:
        return Wheel(self.shares)

    def draw(self) -> Answers:
        """Draw one of the values."""
        return {self.name: self.values[self._wheel.spin()]}

    @property
    def shown(self) -> Shown:
        """Return the mean."""
        pairs = zip(self.values, self.shares, strict=True)
        return {"mean": float(sum(Fraction(value) * share for value, share in pairs))}


@dataclass(frozen=True)
class UniformTruth(Truth):
    """All numbers between two limits, equally likely."""

    name: str
    low: float
    high: float

    def draw(self) -> Answers:
        """Draw a number."""
        return {self.name: self.low + (self.high - self.low) * secrets.randbelow(_RESOLUTION) / _RESOLUTION}

    @property
    def shown(self) -> Shown:
        """Return the mean."""
        return {"mean": (self.low + self.high) / 2}


@dataclass(frozen=True)
class ExtrasTruth(Truth):
    """The shares of extras beside numbers, and the truth about those who give a number."""

    name: str
    extras: tuple[str, ...]
    shares: tuple[Fraction, ...]
    others: Truth

    @cached_property
    def _wheel(self) -> Wheel:
        return Wheel((1 - sum(self.shares, start=Fraction(0)), *self.shares))

    def draw(self) -> Answers:
        """Draw an extra or a number."""
        extra = self._wheel.spin()
        return {self.name: answer_of_extra(self.extras[extra - 1])} if extra else self.others.draw()

    @property
    def shown(self) -> Shown:
        """Return the mean among those who give a number, and the shares of the extras among all."""
        shown = self.others.shown
        assert isinstance(shown, dict)
        return {**shown, **dict(zip(self.extras, map(float, self.shares), strict=True))}
