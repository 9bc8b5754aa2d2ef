"""Questions with any number of answers out of several options, or up to a limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Any, ClassVar, Literal, Self

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms.domains import Code, Domain, Ticks
from hushpoll_shared.question_types.options import Option, check_options, place_of, read_options
from hushpoll_shared.question_types.question_type import (
    EXTRA_LABELS,
    Answer,
    AnswerError,
    QuestionType,
    answer_of_extra,
    read_extras,
)

MOST_TICKABLE = 256


@dataclass(frozen=True)
class MultiChoice(QuestionType):
    """Any number of several options, or at most `most`."""

    options: tuple[Option, ...]
    most: int | None = None
    extras: tuple[str, ...] = ()

    NAME: ClassVar[Literal["multi_choice"]] = "multi_choice"
    FIELDS: ClassVar = ("options", "most", "extras")

    def __post_init__(self) -> None:
        """Refuse options that cannot be told apart, and limits that are out of range."""
        check_options(self.options, MOST_TICKABLE)
        if self.most is not None and (type(self.most) is not int or not 1 <= self.most <= len(self.options)):
            raise InvalidValue("max_picks must be a whole number from 1 to the number of options")

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """Return the ids of the options and the extras; several can be true of one respondent."""
        return (*(option.id for option in self.options), *self.extras)

    @property
    def is_exclusive(self) -> bool:
        """Return False: several cells can be true of one respondent."""
        return False

    @property
    def most_ticks(self) -> int | None:
        """Return how many options may be ticked; None for any number."""
        return self.most

    @property
    def answers(self) -> tuple[Answer, ...]:
        """Return the ids of the options and the extras."""
        return self.cells

    @property
    def labels(self) -> dict[str, str]:
        """Return the texts of the options and the extras."""
        return {option.id: option.text for option in self.options} | EXTRA_LABELS

    @property
    def domain(self) -> Domain:
        """Return the domain: a tick for each option and each extra."""
        return Ticks(len(self.cells), self.most)

    @property
    def texts(self) -> Mapping[str, Mapping[str, str]]:
        """Return the texts of the options."""
        return {"options": {option.id: option.text for option in self.options}}

    def _code(self, question: str, answer: object) -> Code:
        if not isinstance(answer, list | tuple | set | frozenset):
            raise AnswerError(question, f"needs a list of options, not a value of type {type(answer).__name__}")
        places = [place_of(question, self.cells[: len(self.options)], option) for option in answer]
        if len(set(places)) != len(places):
            raise AnswerError(question, "has an option twice: list each once")
        if self.most is not None and len(places) > self.most:
            raise AnswerError(question, f"takes at most {self.most} options")
        return self._ticks(set(places))

    def _code_of_extra(self, place: int) -> Code:
        return self._ticks({len(self.options) + place})

    def _ticks(self, places: set[int]) -> Code:
        return tuple(int(place in places) for place in range(len(self.cells)))

    def answer_of(self, code: Code) -> Answer:
        """Return the ticked options, or the extra if it is the only tick."""
        assert isinstance(code, tuple), "the code of a multi_choice answer is a tuple of ticks"
        ticked = list(compress(self.cells, code))
        return answer_of_extra(ticked[0]) if len(ticked) == 1 and ticked[0] in self.extras else ticked

    def to_json(self) -> dict[str, object]:
        """Return the options, the limit and the extras."""
        options = [option.to_json() for option in self.options]
        return {"options": options, "most": self.most, "extras": list(self.extras)}

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Self:
        """Read the options, the limit and the extras."""
        return cls(read_options(fields["options"]), fields["most"], read_extras(fields["extras"]))
