"""The options in a query string: level, method and coverage of intervals, a share of made-up reports, and groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from werkzeug.datastructures import MultiDict

from hushpoll_server.estimate.errors import LARGEST_LEVEL, LEAST_LEVEL
from hushpoll_server.estimate.intervals import METHODS
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.results import COVERAGES, Coverage
from hushpoll_shared.problems import BAD_QUERY, ProblemError

DEFAULT_LEVEL = 0.95
LEVELS = (0.5, 0.8, 0.95, 0.99)

Word = TypeVar("Word", bound=str)


def read_options(query: MultiDict[str, str]) -> Options:
    """Read the options from a query string; refuse invalid ones, and a method where the coverage has its own."""
    options = _read(query, "pointwise")
    if options.coverage == "anytime" and options.method:
        raise ProblemError(BAD_QUERY)
    return options


def read_page_options(query: MultiDict[str, str], coverage: Coverage = "pointwise") -> Options:
    """Read the options that a page's form sends; without a choice the level holds for this coverage.

    A form always names a method, which is dropped where it cannot be used.
    """
    options = replace(_read(query, coverage), beta=_made_up(query))
    usable = replace(options, method=None) if options.coverage == "anytime" else options
    # With no made-up reports the band is the estimate itself.
    return replace(usable, beta=usable.beta or None)


def check_options(query: MultiDict[str, str], known: Sequence[str]) -> None:
    """Refuse an option that a call does not have."""
    if not set(query) <= set(known):
        raise ProblemError(BAD_QUERY)


def read_labels(query: MultiDict[str, str]) -> tuple[str, ...]:
    """Read the labels of public groups, with commas between them."""
    return read_list(query, "group")


def read_page_labels(query: MultiDict[str, str]) -> tuple[str, ...]:
    """Read the labels of public groups from the fields of a form, or with commas between them."""
    return tuple(label for text in read_several(query, "group") for label in text.split(","))


def read_several(query: MultiDict[str, str], name: str) -> tuple[str, ...]:
    """Read all fields of a form that have one name; those that were left empty do not count."""
    return tuple(text for text in query.getlist(name) if text)


def read_list(query: MultiDict[str, str], name: str) -> tuple[str, ...]:
    """Read names with commas between them; none if there are none."""
    text = read_one(query, name)
    return tuple(text.split(",")) if text else ()


def read_numbers(query: MultiDict[str, str], name: str) -> list[float] | None:
    """Read numbers with commas between them; None if there are none."""
    return [_number(text) for text in read_list(query, name)] or None


def _read(query: MultiDict[str, str], coverage: Coverage) -> Options:
    return Options(
        level=_level(read_one(query, "level")),
        method=read_one_of(METHODS, query, "method"),
        coverage=read_one_of(COVERAGES, query, "coverage") or coverage,
        beta=_beta(read_one(query, "beta")),
    )


def read_one(query: MultiDict[str, str], name: str) -> str:
    """Read an option that can be given once; empty if it is not."""
    values = query.getlist(name)
    if len(values) > 1:
        raise ProblemError(BAD_QUERY)
    return values[0] if values else ""


def _level(text: str) -> float:
    level = _number(text) if text else DEFAULT_LEVEL
    if not LEAST_LEVEL <= level <= LARGEST_LEVEL:
        raise ProblemError(BAD_QUERY)
    return level


def _beta(text: str, *, parts: int = 1) -> float | None:
    beta = _number(text) / parts if text else None
    if beta is not None and not 0 <= beta < 1:
        raise ProblemError(BAD_QUERY)
    return beta


def _made_up(query: MultiDict[str, str]) -> float | None:
    """Read the share of made-up reports as a link has it, or in percent as a form has it, but not both."""
    beta, percent = read_one(query, "beta"), read_one(query, "made_up")
    if beta and percent:
        raise ProblemError(BAD_QUERY)
    return _beta(beta or percent, parts=1 if beta else 100)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ProblemError(BAD_QUERY) from None


def read_one_of(words: tuple[Word, ...], query: MultiDict[str, str], name: str) -> Word | None:
    """Read an option that has one of these values; None if it is not given."""
    text = read_one(query, name)
    for word in words:
        if word == text:
            return word
    if text:
        raise ProblemError(BAD_QUERY)
    return None
