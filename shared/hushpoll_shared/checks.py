"""Checks of plain values that manifests and survey files share: names, texts, times, sets of fields."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.texts import turns

LONGEST_TEXT = 10_000
LARGEST_POPULATION = 10**10

# The one rule for the names of surveys and the ids of questions.
NAME = "[a-z][a-z0-9_-]{0,63}"
_NAME = re.compile(NAME, re.ASCII)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)


def is_name(value: object) -> bool:
    """Return whether a value can be the name of a survey or a question."""
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


def check_name(value: object, what: str) -> None:
    """Refuse what is not a short lower-case name."""
    if not is_name(value):
        raise InvalidValue(f"{what} must be 1 to 64 of a–z, 0–9, _ and -, starting with a letter")


def check_text(value: object, what: str) -> None:
    """Refuse what is not a text that people can read, or is too long for them."""
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST_TEXT:
        raise InvalidValue(f"{what} must be a text of 1 to {LONGEST_TEXT} characters")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise InvalidValue(f"{what} contains half a character (a lone surrogate): type it again")
    if turns(value):
        raise InvalidValue(
            f"{what} has a character that turns the direction of reading (U+202A to U+202E, U+2066 to U+2069), which "
            "can make it look like another text: remove it; the marks U+200E and U+200F are allowed"
        )


def check_population(value: object) -> None:
    """Refuse a population that is not a number of people."""
    if value is not None and (type(value) is not int or not 1 <= value <= LARGEST_POPULATION):
        raise InvalidValue(f"population must be a whole number from 1 to {LARGEST_POPULATION}, or be left out")


def read_time(value: object, what: str) -> datetime | None:
    """Read a time such as 2026-11-16T09:00:00Z; None stays None."""
    if value is None:
        return None
    if not isinstance(value, str) or not _TIME.fullmatch(value):
        raise InvalidValue(f"{what} must be written in UTC as 2026-11-16T09:00:00Z")
    try:
        return datetime.strptime(value, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise InvalidValue(f"{what} is not a day and time that exists") from None


def check_fields(fields: Any, keys: tuple[str, ...], what: str) -> None:
    """Refuse what is not an object with exactly these fields in this order."""
    if not isinstance(fields, dict) or tuple(fields) != keys:
        raise InvalidValue(f"{what} must have exactly the fields {', '.join(keys)}, in this order")
