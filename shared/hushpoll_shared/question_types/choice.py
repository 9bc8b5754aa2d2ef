"""What the types of questions with exactly one true answer have in common."""

from __future__ import annotations

from abc import abstractmethod

from hushpoll_shared.mechanisms.domains import Categories, Code, Domain
from hushpoll_shared.question_types.question_type import Answer, QuestionType, answer_of_extra


class Choice(QuestionType):
    """A type whose answers exclude each other: exactly one of `cells` is true."""

    @property
    @abstractmethod
    def cells(self) -> tuple[str, ...]:
        """Return the possible answers in the order of their codes, extras last."""

    @property
    def domain(self) -> Domain:
        """Return the domain: one category for each answer."""
        return Categories(len(self.cells))

    def _code_of_extra(self, place: int) -> Code:
        return len(self.cells) - len(self.extras) + place

    def answer_of(self, code: Code) -> Answer:
        """Return the answer with this place in the domain."""
        assert isinstance(code, int), "the code of a choice is a place"
        if code >= len(self.cells) - len(self.extras):
            return answer_of_extra(self.cells[code])
        return self.answers[code]
