"""A private question, as a manifest holds it: what can be answered, and the design that randomizes it."""

from __future__ import annotations

from dataclasses import dataclass

from hushpoll_shared.checks import check_name, check_text
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms import Design
from hushpoll_shared.presentation import When
from hushpoll_shared.question_types import DOES_NOT_APPLY, AnyQuestionType, QuestionType
from hushpoll_shared.words import Told, tell


@dataclass(frozen=True)
class Question:
    """A private question with its design, and with the condition under which it is shown."""

    id: str
    text: str
    type: AnyQuestionType
    design: Design
    when: When | None = None

    def __post_init__(self) -> None:
        """Refuse a question that could not be asked or randomized."""
        check_name(self.id, "a question's id")
        check_text(self.text, "a question's text")
        if not self.design.domain.covers(self.type.domain):
            raise InvalidValue(f"a question of type {self.type.NAME} has a mechanism that does not fit its answers")
        # Without this extra, a report would reveal that the device did not show the question.
        if self.when and DOES_NOT_APPLY not in self.type.extras:
            raise InvalidValue("a question that is shown only sometimes must have does_not_apply, and cannot be a pair")

    @property
    def answer_ids(self) -> tuple[str, ...]:
        """Return the ids under which an app answers: the question's own, or those of its parts."""
        return self.type.answer_ids(self.id)

    def told(self, language: str) -> Told:
        """Return the sentences that the form shows about this question, in the language of a tag such as de-AT.

        A language that Hushpoll does not have takes the words of its primary language, else English.
        """
        return tell(self.design, self.type, language)


def asked(id_: str, question_type: QuestionType) -> dict[str, QuestionType]:
    """Return the types of all that is asked, by id: the question itself, then the parts of a pair."""
    return {id_: question_type, **{part.id: part.type for part in question_type.parts}}
