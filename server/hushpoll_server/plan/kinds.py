"""Questions to plan with, made from their sizes alone: what the options say does not matter yet."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.questions import (
    MOST_OPTIONS,
    Kind,
    MultiChoice,
    Number,
    Option,
    Pair,
    Part,
    Scale,
    SingleChoice,
    YesNo,
)

_SIZE = re.compile(r"[1-9]\d{0,5}", re.ASCII)
_WHOLE = re.compile(r"-?\d{1,10}", re.ASCII)


def make_kind(type_: str, sizes: Mapping[str, Any]) -> Kind:
    """Return a question of this type; refuse sizes that it does not have."""
    known, make = _TYPES[type_]
    given = {name: value for name, value in sizes.items() if value is not None}
    for name in given.keys() - set(known):
        raise InvalidValue(f"{name} does not go with the type {type_}: leave it out")
    return make(given)


def _yes_no(given: dict[str, Any]) -> YesNo:
    if given.get("options", "2") != "2":
        raise InvalidValue("yes_no has two options: leave them out")
    return YesNo()


def _single_choice(given: dict[str, Any]) -> SingleChoice:
    return SingleChoice(_options(given.get("options")))


def _multi_choice(given: dict[str, Any]) -> MultiChoice:
    return MultiChoice(_options(given.get("options")), given.get("max-picks"))


def _scale(given: dict[str, Any]) -> Scale:
    if ("options" in given) == ("min" in given) or ("min" in given) != ("max" in given):
        raise InvalidValue("a scale needs options (the number of its points), or min and max")
    low, high = _whole(given.get("min", "1")), _whole(given["max"] if "max" in given else given["options"])
    return Scale(low, high, report=given.get("report", "shares"))


def _number(given: dict[str, Any]) -> Number:
    return Number(given.get("min", "-1"), given.get("max", "1"), given.get("report", "mean"))


def _pair(given: dict[str, Any]) -> Pair:
    sizes = str(given.get("options", "")).split(",")
    if len(sizes) != 2:
        raise InvalidValue("a pair needs the numbers of options of both questions, such as 2,5")
    first, second = (Part(name, name, SingleChoice(_options(size))) for name, size in zip("ab", sizes, strict=True))
    return Pair((first, second))


def _options(count: object) -> tuple[Option, ...]:
    if not isinstance(count, str) or not _SIZE.fullmatch(count) or int(count) > MOST_OPTIONS:
        raise InvalidValue(f"options must be a whole number from 2 to {MOST_OPTIONS}")
    return tuple(Option(name, name) for name in map(str, range(int(count))))


def _whole(value: str) -> int:
    if not _WHOLE.fullmatch(value):
        raise InvalidValue("min and max of a scale must be whole numbers")
    return int(value)


_TYPES: Mapping[str, tuple[tuple[str, ...], Callable[[dict[str, Any]], Kind]]] = {
    "yes_no": (("options",), _yes_no),
    "single_choice": (("options",), _single_choice),
    "multi_choice": (("options", "max-picks"), _multi_choice),
    "scale": (("options", "min", "max", "report"), _scale),
    "number": (("min", "max", "report"), _number),
    "pair": (("options",), _pair),
}
TYPES = tuple(_TYPES)
