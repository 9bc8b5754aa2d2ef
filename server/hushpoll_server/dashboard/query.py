"""What a reader may choose in an address: level, method and promise of the intervals, a share of made-up reports."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypedDict, TypeVar

from werkzeug.datastructures import MultiDict

from hushpoll_server.estimate import COVERAGES, LARGEST_LEVEL, LEAST_LEVEL, METHODS, Coverage, Method
from hushpoll_shared.problems import BAD_QUERY, ProblemError

DEFAULT_LEVEL = 0.95
LEVELS = (0.5, 0.8, 0.95, 0.99)
BETAS = (0.01, 0.02, 0.05, 0.1, 0.2)

Word = TypeVar("Word", bound=str)


class Wanted(TypedDict):
    """What an estimation takes besides its level."""

    method: Method | None
    coverage: Coverage
    beta: float | None


@dataclass(frozen=True)
class Choice:
    """A level, a method (without one the method that suits the number of reports), a promise, a share of fakes."""

    level: float = DEFAULT_LEVEL
    method: Method | None = None
    coverage: Coverage = "pointwise"
    beta: float | None = None

    @property
    def wanted(self) -> Wanted:
        """Give all but the level."""
        return {"method": self.method, "coverage": self.coverage, "beta": self.beta}


def read_choice(query: MultiDict[str, str]) -> Choice:
    """Read the choice from an address; refuse what is none, and a method where the promise has its own."""
    choice = _read(query)
    if choice.coverage == "anytime" and choice.method:
        raise ProblemError(BAD_QUERY)
    return choice


def read_page_choice(query: MultiDict[str, str]) -> Choice:
    """Read the choice that a page's form sends, which always names a method: one that cannot be used is left out."""
    choice = _read(query)
    fits = replace(choice, method=None) if choice.coverage == "anytime" else choice
    # "None made up" is what the estimate itself says.
    return replace(fits, beta=fits.beta or None)


def _read(query: MultiDict[str, str]) -> Choice:
    return Choice(
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
