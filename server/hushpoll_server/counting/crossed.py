"""Which pairs of questions that are asked separately can be counted together for a cross table.

The rule here: both questions are of types whose answers exclude each other, and every report answers both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms.domains import Categories
from hushpoll_shared.question_types import QuestionType

# The ids of two questions that are asked separately and crossed.
Crossed = tuple[str, str]

# No realistic number of respondents fills a larger table, and nobody reads it.
MOST_CELLS = 1000
EXAMPLE = "two questions of this survey by their ids, such as [cheated, frequency]"


def check_crossed(crossed: Sequence[Crossed], types: Mapping[str, QuestionType], *, ask: object) -> None:
    """Refuse questions that cannot be crossed, and a table that is listed twice."""
    if crossed and ask is not None:
        raise InvalidValue(
            "with ask, few devices answer both questions: join them into a pair, or remove ask or the cross table"
        )
    for pair in crossed:
        _check_pair(pair, types)
    if len({frozenset(pair) for pair in crossed}) < len(crossed):
        raise InvalidValue("this cross table is listed twice, perhaps in the other order: remove one")


def ids_of(types: Mapping[str, QuestionType]) -> set[str]:
    """Return the ids of all questions, including those inside pairs."""
    parts = chain.from_iterable(question_type.parts for question_type in types.values())
    return {*types, *(part.id for part in parts)}


def _check_pair(pair: Crossed, types: Mapping[str, QuestionType]) -> None:
    for name in pair:
        _check_question(name, types)
    if pair[0] == pair[1]:
        raise InvalidValue(f"a cross table is of two questions: {pair[0]!r} is named twice")
    cells = math.prod(len(types[name].answers) for name in pair)
    if cells > MOST_CELLS:
        raise InvalidValue(
            f"this cross table has {cells:,} cells, more than {MOST_CELLS:,}: cross questions with fewer answers"
        )


def _check_question(name: str, types: Mapping[str, QuestionType]) -> None:
    question_type = types.get(name)
    if question_type is None and name in ids_of(types):
        raise InvalidValue(
            f"{name!r} is asked inside a pair, which has its own cross table: cross other questions, or cross it with "
            "hushpoll crosstab, from reports"
        )
    if question_type is None:
        raise InvalidValue(f"there is no question {name!r}: give {EXAMPLE}")
    if question_type.parts or not isinstance(question_type.domain, Categories):
        raise InvalidValue(f"{name!r} cannot be crossed: take yes_no, single_choice or scale (report: shares)")
