"""Two questions that are asked one after the other and reported as one, for their cross table."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, ClassVar, Literal, Self

from hushpoll_shared.checks import check_fields, check_name, check_text
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms.domains import Code
from hushpoll_shared.question_types.choice import Choice
from hushpoll_shared.question_types.question_type import Answer, type_fields
from hushpoll_shared.question_types.scale import Scale
from hushpoll_shared.question_types.single_choice import SingleChoice
from hushpoll_shared.question_types.yes_no import YesNo

PartType = YesNo | SingleChoice | Scale
# The types that can be parts of a pair, by name.
PARTS: Mapping[str, type[PartType]] = {part.NAME: part for part in (YesNo, SingleChoice, Scale)}
_WRONG_PARTS = "a pair joins two questions of the types yes_no, single_choice or scale (shares)"


@dataclass(frozen=True)
class Part:
    """One of two questions that are reported as one."""

    id: str
    text: str
    type: PartType

    def __post_init__(self) -> None:
        """Refuse a question that could not be asked."""
        check_name(self.id, "a question's id")
        check_text(self.text, "a question's text")
        if self.type.NAME not in PARTS or self.type.report != "shares":
            raise InvalidValue(_WRONG_PARTS)

    @classmethod
    def read(cls, fields: Any) -> Self:
        """Read one of the two questions from a manifest."""
        name = fields.get("type") if isinstance(fields, dict) else None
        if not isinstance(name, str) or name not in PARTS:
            raise InvalidValue(_WRONG_PARTS)
        check_fields(fields, ("id", "text", "type", *PARTS[name].FIELDS), "a question")
        return cls(fields["id"], fields["text"], PARTS[name].read(fields))


@dataclass(frozen=True)
class Pair(Choice):
    """Two questions, each answered under its own id. Their extras are inside the parts."""

    both: tuple[Part, Part]

    NAME: ClassVar[Literal["pair"]] = "pair"
    FIELDS: ClassVar = ("parts",)

    @property
    def parts(self) -> tuple[Part, ...]:
        """Return both questions."""
        return self.both

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """Return the names of the combinations, with the second question's answer varying fastest."""
        return combined(*(part.type.cells for part in self.both))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Return the words for the combinations."""
        return combined(*(part.type.words for part in self.both))

    @property
    def labels(self) -> dict[str, str]:
        """Return the words for the combinations, by name."""
        return dict(zip(self.cells, self.words, strict=True))

    def answer_ids(self, question: str) -> tuple[str, ...]:  # noqa: ARG002 (a pair has no answer under its own id)
        """Return the ids of both questions."""
        return tuple(part.id for part in self.both)

    def read_answers(self, question: str, answers: Mapping[str, object]) -> Code:  # noqa: ARG002
        """Return the code of both answers together; a pair has no answer under its own id."""
        first, second = (part.type.read_answers(part.id, answers) for part in self.both)
        assert isinstance(first, int), "the code of a choice is a place"
        assert isinstance(second, int), "the code of a choice is a place"
        return first * len(self.both[1].type.cells) + second

    def _code(self, question: str, answer: object) -> Code:
        raise NotImplementedError("a pair is answered part by part")

    def invent_answers(self, question: str, code: Code) -> dict[str, Answer]:  # noqa: ARG002
        """Return the answers to both parts."""
        assert isinstance(code, int), "the code of a choice is a place"
        codes = divmod(code, len(self.both[1].type.cells))
        return {part.id: part.type.answer_of(place) for part, place in zip(self.both, codes, strict=True)}

    def to_json(self) -> dict[str, object]:
        """Return both questions."""
        return {"parts": [type_fields(part.id, part.text, part.type) for part in self.both]}

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Self:
        """Read both questions."""
        parts = fields["parts"]
        if not isinstance(parts, list) or len(parts) != 2:
            raise InvalidValue("a pair has two parts")
        first, second = (Part.read(part) for part in parts)
        return cls((first, second))


def combined(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    """Return distinct names for the combinations of two lists of distinct names, the second varying fastest."""
    names = tuple(f"{one} × {other}" for one in first for other in second)
    if len(set(names)) == len(names):
        return names
    # "a" × "b × c" and "a × b" × "c" would be the same: quotes, escaped inside, show where a name ends.
    quoted = ([json.dumps(name, ensure_ascii=False) for name in part] for part in (first, second))
    return tuple(f"{one} × {other}" for one, other in product(*quoted))
