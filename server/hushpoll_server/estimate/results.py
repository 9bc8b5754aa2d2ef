"""What an estimation gives back: frozen values that write themselves as `estimate --json`.

Law kept here: `estimate`, `low` and `high` are never clipped; `tidy` is the projected value and
only that; a figure that does not exist (no reports yet) is None, because NaN is not JSON.
"""

from dataclasses import dataclass

from hushpoll_server.estimate.intervals import Interval, Method

Json = dict[str, object]


@dataclass(frozen=True, kw_only=True)
class Cell:
    """Hold the figures of one category."""

    name: str
    count: int
    estimate: float | None = None
    se: float | None = None
    low: float | None = None
    high: float | None = None
    tidy: float | None = None
    price_of_privacy: float | None = None
    constrained: Interval | None = None

    def to_json(self) -> Json:
        """Return the figures by the names of the contract, with full precision."""
        return {
            "name": self.name,
            "count": self.count,
            "estimate": self.estimate,
            "se": self.se,
            "low": self.low,
            "high": self.high,
            "tidy": self.tidy,
            "price_of_privacy": self.price_of_privacy,
            "constrained": None if self.constrained is None else self.constrained.to_json(),
        }


@dataclass(frozen=True, kw_only=True)
class Result:
    """Hold the figures of one question."""

    n: int
    level: float
    method: Method
    epsilon: float
    population: int | None = None
    cells: tuple[Cell, ...]
    warnings: tuple[str, ...] = ()

    def to_json(self) -> Json:
        """Return the question object of the contract."""
        return {
            "n": self.n,
            "level": self.level,
            "method": self.method,
            "epsilon": self.epsilon,
            "population": self.population,
            "cells": [cell.to_json() for cell in self.cells],
            "warnings": list(self.warnings),
        }
