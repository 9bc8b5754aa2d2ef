"""The options in a query string: level, method and coverage of the intervals, and a share of made-up reports."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from werkzeug.datastructures import MultiDict

from hushpoll_server.estimate.errors import LARGEST_LEVEL, LEAST_LEVEL
from hushpoll_server.estimate.intervals import METHODS
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.results import COVERAGES
from hushpoll_shared.problems import BAD_QUERY, ProblemError

DEFAULT_LEVEL = 0.95
LEVELS = (0.5, 0.8, 0.95, 0.99)
BETAS = (0.01, 0.02, 0.05, 0.1, 0.2)

Word = TypeVar("Word", bound=str)


def read_options(query: MultiDict[str, str]) -> Options:
    """Read the options from a query string; refuse invalid ones, and a method where the coverage has its own."""
    options = _read(query)
    if options.coverage == "anytime" and options.method:
        raise ProblemError(BAD_QUERY)
    return options


def read_page_options(query: MultiDict[str, str]) -> Options:
    """Read the options that a page's form sends; it always names a method, which is dropped where it cannot be used."""
    options = _read(query)
    usable = replace(options, method=None) if options.coverage == "anytime" else options
    # With no made-up reports the band is the estimate itself.
    return replace(usable, beta=usable.beta or None)


def _read(query: MultiDict[str, str]) -> Options:
    return Options(
        level=_level(_only(query, "level")),
        method=_one_of(METHODS, _only(query, "method")),
        coverage=_one_of(COVERAGES, _only(query, "coverage")) or "pointwise",
        beta=_beta(_only(query, "beta")),
    )


def _only(query: MultiDict[str, str], name: str) -> str:
    values = query.getlist(name)
    if len(values) > 1:
        raise ProblemError(BAD_QUERY)
    return values[0] if values else ""


def _level(text: str) -> float:
    level = _number(text) if text else DEFAULT_LEVEL
    if not LEAST_LEVEL <= level <= LARGEST_LEVEL:
        raise ProblemError(BAD_QUERY)
    return level


def _beta(text: str) -> float | None:
    beta = _number(text) if text else None
    if beta is not None and not 0 <= beta < 1:
        raise ProblemError(BAD_QUERY)
    return beta


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ProblemError(BAD_QUERY) from None


def _one_of(words: tuple[Word, ...], text: str) -> Word | None:
    for word in words:
        if word == text:
            return word
    if text:
        raise ProblemError(BAD_QUERY)
    return None
