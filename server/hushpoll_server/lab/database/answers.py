"""What an analyst gets: figures with intervals, and what they cost."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from hushpoll_shared.epsilon import Epsilon

Number = int | float


@dataclass(frozen=True)
class Figure:
    """An estimate with its interval. `together` is the half-width that holds for all figures of an answer jointly."""

    name: str
    estimate: Number | None
    low: Number
    high: Number
    together: Number | None = None

    @property
    def written(self) -> tuple[str, str, str]:
        """Return the estimate and both ends as people read them, with three digits of the width."""
        digits = 0 if isinstance(self.low, int) else _digits(self.high - self.low)
        estimate = "too few rows to tell" if self.estimate is None else f"{self.estimate:.{digits}f}"
        return estimate, f"{self.low:.{digits}f}", f"{self.high:.{digits}f}"


@dataclass(frozen=True)
class Reading:
    """What a draw says: its figures, and what they are. `category` is the answer to MOST COMMON, with its margin."""

    figures: tuple[Figure, ...]
    statement: str
    category: str | None = None
    margin: int | None = None


@dataclass(frozen=True)
class Answer:
    """One answer: the question in its one spelling, the noise, and what was read from the draw."""

    query: str
    epsilon: Epsilon
    level: Fraction
    mechanism: str
    sensitivity: Number
    remembered: bool
    reading: Reading

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Return the figures; MOST COMMON has none."""
        return self.reading.figures

    def as_json(self) -> dict[str, Any]:
        """Return everything as values that JSON has; ε is a text, because it is exact."""
        return {
            "query": self.query,
            "epsilon": str(self.epsilon),
            "level": float(self.level),
            "mechanism": self.mechanism,
            "sensitivity": self.sensitivity,
            "remembered": self.remembered,
            **asdict(self.reading),
            "figures": [asdict(figure) for figure in self.figures],
        }


def plain(number: Fraction) -> Number:
    """Return a whole number as such, and others as the nearest float, for display."""
    return number.numerator if number.denominator == 1 else float(number)


def _digits(width: float) -> int:
    """Return how many decimals show three digits of a width."""
    return max(0, 2 - math.floor(math.log10(width))) if width > 0 else 0
