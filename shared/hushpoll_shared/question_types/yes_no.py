"""Questions that are answered by yes or no."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

from hushpoll_shared.mechanisms.domains import Code
from hushpoll_shared.question_types.choice import Choice
from hushpoll_shared.question_types.question_type import Answer, AnswerError, read_extras


@dataclass(frozen=True)
class YesNo(Choice):
    """Yes or no."""

    extras: tuple[str, ...] = ()

    NAME: ClassVar[Literal["yes_no"]] = "yes_no"
    FIELDS: ClassVar = ("extras",)
    is_yes_no: ClassVar = True

    @property
    def cells(self) -> tuple[str, ...]:
        """Return no, yes and the extras."""
        return ("no", "yes", *self.extras)

    @property
    def estimated_cells(self) -> tuple[str, ...]:
        """Return yes alone if the only other answer is no, because its share then says everything."""
        return self.cells if self.extras else ("yes",)

    @property
    def answers(self) -> tuple[Answer, ...]:
        """Return false, true and the extras."""
        return (False, True, *self.extras)

    def code_of(self, question: str, answer: object) -> Code:
        """Return the code, with a shortcut for booleans, because most questions are of this type."""
        return int(answer) if type(answer) is bool else super().code_of(question, answer)

    def _code(self, question: str, answer: object) -> Code:
        raise AnswerError(
            question,
            f"needs True or False, not a value of type {type(answer).__name__}: "
            "turn it into a bool first (a 0 or 1, or another library's boolean, with bool(…))",
        )

    def to_json(self) -> dict[str, object]:
        """Return the extras."""
        return {"extras": list(self.extras)}

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Self:
        """Read the extras."""
        return cls(read_extras(fields["extras"]))
