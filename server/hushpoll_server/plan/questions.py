"""Questions to plan with, made from their sizes alone: the texts of the options do not matter yet."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.question_types import (
    MOST_OPTIONS,
    QUESTION_TYPES,
    MultiChoice,
    Number,
    Option,
    Pair,
    Part,
    QuestionType,
    Scale,
    SingleChoice,
    YesNo,
)

_SIZE = re.compile(r"[1-9]\d{0,5}", re.ASCII)
_WHOLE = re.compile(r"-?\d{1,10}", re.ASCII)


def make_type(name: str, sizes: Mapping[str, Any]) -> QuestionType:
    """Return a question of this type; refuse sizes that the type does not have."""
    known, make = _TYPES[name]
    stated = {size: value for size, value in sizes.items() if value is not None}
    for size in stated.keys() - set(known):
        raise InvalidValue(f"{size} does not go with the type {name}: leave it out")
    return make(stated)


def _yes_no(sizes: dict[str, Any]) -> YesNo:
    if sizes.get("options", "2") != "2":
        raise InvalidValue("yes_no has two options: leave them out")
    return YesNo()


def _single_choice(sizes: dict[str, Any]) -> SingleChoice:
    return SingleChoice(_options(sizes.get("options")))


def _multi_choice(sizes: dict[str, Any]) -> MultiChoice:
    return MultiChoice(_options(sizes.get("options")), sizes.get("max-picks"))


def _scale(sizes: dict[str, Any]) -> Scale:
    if ("options" in sizes) == ("min" in sizes) or ("min" in sizes) != ("max" in sizes):
        raise InvalidValue("a scale needs options (the number of its points), or min and max")
    low, high = _whole(sizes.get("min", "1")), _whole(sizes["max"] if "max" in sizes else sizes["options"])
    return Scale(low, high, report=sizes.get("report", "shares"))


def _number(sizes: dict[str, Any]) -> Number:
    return Number(sizes.get("min", "-1"), sizes.get("max", "1"), sizes.get("report", "mean"))


def _pair(sizes: dict[str, Any]) -> Pair:
    options = str(sizes.get("options", "")).split(",")
    if len(options) != 2:
        raise InvalidValue("a pair needs the numbers of options of both questions, such as 2,5")
    first, second = (Part(name, name, SingleChoice(_options(size))) for name, size in zip("ab", options, strict=True))
    return Pair((first, second))


def _options(count: object) -> tuple[Option, ...]:
    if not isinstance(count, str) or not _SIZE.fullmatch(count) or int(count) > MOST_OPTIONS:
        raise InvalidValue(f"options must be a whole number from 2 to {MOST_OPTIONS}")
    return tuple(Option(name, name) for name in map(str, range(int(count))))


def _whole(value: str) -> int:
    if not _WHOLE.fullmatch(value):
        raise InvalidValue("min and max of a scale must be whole numbers")
    return int(value)


_TYPES: Mapping[str, tuple[tuple[str, ...], Callable[[dict[str, Any]], QuestionType]]] = {
    YesNo.NAME: (("options",), _yes_no),
    SingleChoice.NAME: (("options",), _single_choice),
    MultiChoice.NAME: (("options", "max-picks"), _multi_choice),
    Scale.NAME: (("options", "min", "max", "report"), _scale),
    Number.NAME: (("min", "max", "report"), _number),
    Pair.NAME: (("options",), _pair),
}
assert _TYPES.keys() == QUESTION_TYPES.keys(), "every type of question can be planned"
TYPES = tuple(_TYPES)
