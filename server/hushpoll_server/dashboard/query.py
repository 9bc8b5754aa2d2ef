"""What a reader may choose in an address: the level of the intervals and their method."""

from __future__ import annotations

from dataclasses import dataclass

from werkzeug.datastructures import MultiDict

from hushpoll_server.estimate import METHODS, Method
from hushpoll_shared.problems import BAD_QUERY, ProblemError

DEFAULT_LEVEL = 0.95
LEVELS = (0.5, 0.8, 0.95, 0.99)


@dataclass(frozen=True)
class Choice:
    """A level and a method; without a method the one that suits the number of reports."""

    level: float = DEFAULT_LEVEL
    method: Method | None = None


def read_choice(query: MultiDict[str, str]) -> Choice:
    """Read the choice from an address; refuse what is no level and no method."""
    return Choice(level=_level(_only(query, "level")), method=_method(_only(query, "method")))


def _only(query: MultiDict[str, str], name: str) -> str:
    values = query.getlist(name)
    if len(values) > 1:
        raise ProblemError(BAD_QUERY)
    return values[0] if values else ""


def _level(text: str) -> float:
    if not text:
        return DEFAULT_LEVEL
    try:
        level = float(text)
    except ValueError:
        raise ProblemError(BAD_QUERY) from None
    if not 0 < level < 1:
        raise ProblemError(BAD_QUERY)
    return level


def _method(text: str) -> Method | None:
    if not text:
        return None
    for method in METHODS:
        if method == text:
            return method
    raise ProblemError(BAD_QUERY)
