"""What all types of questions have in common: their place in a manifest, what can be answered, and what is estimated.

The rule here: everything that somebody could answer, including "prefer not to say" and "does not apply", is inside the
domain that the mechanism randomizes; the code of an answer is its place in that domain. A message about an answer names
the question and the Python types of values, never a value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import is_dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

from hushpoll_shared.errors import HushpollError, InvalidValue
from hushpoll_shared.mechanisms.domains import Code, Domain

if TYPE_CHECKING:
    from hushpoll_shared.question_types.pair import Part

DECLINE, DOES_NOT_APPLY = "decline", "does_not_apply"
EXTRAS = (DECLINE, DOES_NOT_APPLY)
EXTRA_LABELS = {DECLINE: "prefer not to say", DOES_NOT_APPLY: "does not apply"}

# An answer as an app gives it: true or false, the id of an option, a list of ids, a number, an extra; None declines.
Answer = bool | int | float | str | list[str] | None
# Marks an answer that was not given.
MISSING = object()


class AnswerError(HushpollError):
    """An answer that does not fit its question."""

    def __init__(self, question: str, reason: str) -> None:
        """Name the question in the message, never the answer."""
        super().__init__(f"question {question} {reason}")
        self.question = question


class QuestionType(ABC):
    """A type of question with what is fixed for all its respondents."""

    NAME: ClassVar[str]
    FIELDS: ClassVar[tuple[str, ...]]
    # Whether people answer with yes or no, extras aside.
    is_yes_no: ClassVar[bool] = False

    # What is estimated: "shares" of the cells, the "mean" or the "distribution" of a number.
    report: str = "shares"
    extras: tuple[str, ...] = ()
    # Numbers that are answers of their own beside a range, as they are written.
    point_masses: tuple[str, ...] = ()

    # --- in a manifest ------------------------------------------------------------------------------------------------

    @abstractmethod
    def to_json(self) -> dict[str, object]:
        """Return the fields that this type has in a manifest."""

    @classmethod
    @abstractmethod
    def read(cls, fields: Mapping[str, Any]) -> Self:
        """Read the fields of this type."""

    @property
    @abstractmethod
    def domain(self) -> Domain:
        """Return the codes of all possible answers."""

    # --- what can be answered -----------------------------------------------------------------------------------------

    @property
    def parts(self) -> tuple[Part, ...]:
        """Return the questions that are reported as this one; most types have none."""
        return ()

    @property
    def cells(self) -> tuple[str, ...]:
        """Return the names of the possible answers or ticks, extras last; empty where they cannot be listed."""
        return ()

    @property
    def answers(self) -> tuple[Answer, ...]:
        """Return what an app can answer or tick, extras last; empty where it cannot be listed."""
        return ()

    def answer_ids(self, question: str) -> tuple[str, ...]:
        """Return the ids under which an app answers."""
        return (question,)

    def read_answers(self, question: str, answers: Mapping[str, object]) -> Code:
        """Return the code of what an app answered."""
        return self.code_of(question, answers.get(question, MISSING))

    def code_of(self, question: str, answer: object) -> Code:
        """Return the code of one answer."""
        extra = self.place_of_extra(question, answer)
        return self._code(question, answer) if extra is None else self._code_of_extra(extra)

    def place_of_extra(self, question: str, answer: object) -> int | None:
        """Return the place of an answer among the extras, None if it is not one; a missing answer declines."""
        if answer is MISSING or answer is None:
            answer = DECLINE
            if DECLINE not in self.extras:
                raise AnswerError(question, "has no answer: every question needs one")
        return self.extras.index(answer) if isinstance(answer, str) and answer in self.extras else None

    @abstractmethod
    def _code(self, question: str, answer: object) -> Code:
        """Return the code of an answer that is not an extra."""

    def _code_of_extra(self, place: int) -> Code:
        return place

    def invent_answers(self, question: str, code: Code) -> dict[str, Answer]:
        """Return what an app would answer for a code, for invented respondents and for audits."""
        return {question: self.answer_of(code)}

    @abstractmethod
    def answer_of(self, code: Code) -> Answer:
        """Return the answer with this code."""

    def without_extras(self) -> Self:
        """Return the same type without its extras."""
        assert is_dataclass(self), "every type is a dataclass"
        return replace(self, extras=())

    # --- what is estimated --------------------------------------------------------------------------------------------

    @property
    def is_exclusive(self) -> bool:
        """Return whether exactly one of the cells is true of each respondent."""
        return bool(self.cells)

    @property
    def estimated_cells(self) -> tuple[str, ...]:
        """Return the names of the cells whose shares are shown."""
        return self.cells

    @property
    def labels(self) -> dict[str, str]:
        """Return what people read for the cells where it differs from the cell's name."""
        return dict(EXTRA_LABELS)

    @property
    def texts(self) -> Mapping[str, Mapping[str, str]]:
        """Return what a translation may replace besides the question's text: options or labels, by name."""
        return {}

    @property
    def words(self) -> tuple[str, ...]:
        """Return what people read for the cells, in the order of their codes."""
        return tuple(self.labels.get(cell, cell) for cell in self.cells)

    @property
    def most_ticks(self) -> int | None:
        """Return how many cells may be ticked; None for any number."""
        return None

    @property
    def points(self) -> range | None:
        """Return the only numbers that can be answered; None where every number of a range can."""
        return None

    @property
    def range(self) -> tuple[Fraction, Fraction]:
        """Return the smallest and the largest number that can be answered."""
        raise TypeError(f"a question of type {self.NAME} has no range")

    @property
    def range_texts(self) -> Mapping[str, str]:
        """Return the ends of the range as a survey file writes them, by the names min and max; empty if none."""
        return {}

    @property
    def half_range(self) -> float:
        """Return half of the distance between the smallest and the largest number."""
        low, high = self.range
        return float(high - low) / 2


def answer_of_extra(name: str) -> Answer:
    """Return the answer for an extra: None (a missing answer) for decline, the name for "does not apply"."""
    return None if name == DECLINE else name


def read_extras(value: object) -> tuple[str, ...]:
    """Read which extras a question has."""
    if not isinstance(value, list) or value != [extra for extra in EXTRAS if extra in value]:
        raise InvalidValue(f"extras must be some of {', '.join(EXTRAS)}, in this order")
    return tuple(value)


def check_report(report: object, known: tuple[str, ...]) -> None:
    """Refuse a way of reporting that the type does not have."""
    if report not in known:
        raise InvalidValue(f"report must be one of: {', '.join(known)}")


def type_fields(id_: str, text: str, question_type: QuestionType) -> dict[str, object]:
    """Return a question as a manifest writes it, without the fields when and mechanism."""
    return {"id": id_, "text": text, "type": question_type.NAME, **question_type.to_json()}
