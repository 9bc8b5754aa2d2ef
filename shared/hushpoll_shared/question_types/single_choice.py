"""Questions with one answer out of several options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

from hushpoll_shared.mechanisms.domains import Code
from hushpoll_shared.question_types.choice import Choice
from hushpoll_shared.question_types.options import MOST_OPTIONS, Option, check_options, place_of, read_options
from hushpoll_shared.question_types.question_type import EXTRA_LABELS, Answer, read_extras


@dataclass(frozen=True)
class SingleChoice(Choice):
    """One of several options."""

    options: tuple[Option, ...]
    extras: tuple[str, ...] = ()

    NAME: ClassVar[Literal["single_choice"]] = "single_choice"
    FIELDS: ClassVar = ("options", "extras")

    def __post_init__(self) -> None:
        """Refuse options that cannot be told apart."""
        check_options(self.options, MOST_OPTIONS)

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """Return the ids of the options and the extras."""
        return (*(option.id for option in self.options), *self.extras)

    @property
    def answers(self) -> tuple[Answer, ...]:
        """Return the ids of the options and the extras."""
        return self.cells

    @property
    def labels(self) -> dict[str, str]:
        """Return the texts of the options and the extras."""
        return {option.id: option.text for option in self.options} | EXTRA_LABELS

    @property
    def texts(self) -> Mapping[str, Mapping[str, str]]:
        """Return the texts of the options."""
        return {"options": {option.id: option.text for option in self.options}}

    def _code(self, question: str, answer: object) -> Code:
        return place_of(question, self.cells[: len(self.options)], answer)

    def to_json(self) -> dict[str, object]:
        """Return the options and the extras."""
        return {"options": [option.to_json() for option in self.options], "extras": list(self.extras)}

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Self:
        """Read the options and the extras."""
        return cls(read_options(fields["options"]), read_extras(fields["extras"]))
