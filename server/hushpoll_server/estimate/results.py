"""The results of an estimation: frozen values that convert themselves to what `estimate --json` prints.

The rule here: `estimate`, `low` and `high` are never clipped; `tidy` is the adjusted value and only that; a figure
that does not exist (no reports yet) is None, because NaN is not JSON. Results are combined by `combine`.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Self, get_args

import numpy as np

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.intervals import Interval, Method
from hushpoll_server.estimate.joint import Joint
from hushpoll_server.estimate.manipulation import Band
from hushpoll_server.estimate.support import SupportDesign, Tally

Json = dict[str, object]

# What the level holds for: each cell at one look, all cells at one look, or each cell at every look.
Coverage = Literal["pointwise", "simultaneous", "anytime"]
COVERAGES: tuple[Coverage, ...] = get_args(Coverage)
# Methods that are used where they are best, and cannot be asked for: `gaffke` for means and cross tables, `mixture` for
# limits that hold at every look.
ShownMethod = Method | Literal["gaffke", "mixture"]


@dataclass(frozen=True, kw_only=True)
class Cell:
    """The figures of one category; `asked` is the number of reports that asked it, if not all did."""

    name: str
    count: int
    asked: int | None = None
    estimate: float | None = None
    se: float | None = None
    low: float | None = None
    high: float | None = None
    tidy: float | None = None
    price_of_privacy: float | None = None
    constrained: Interval | None = None
    band: Band | None = None

    def to_json(self) -> Json:
        """Return the figures by the names of the contract, with full precision."""
        figures: Json = {
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
        asked = {} if self.asked is None else {"asked": self.asked}
        band = {} if self.band is None else {"band": self.band.to_json()}
        return figures | asked | band


@dataclass(frozen=True, kw_only=True)
class Result:
    """The figures of one question, with the design that they come from."""

    n: int
    level: float
    method: ShownMethod
    coverage: Coverage = "pointwise"
    epsilon: float | None
    design: SupportDesign
    joint: Joint | None = None
    population: int | None = None
    cells: tuple[Cell, ...]
    warnings: tuple[str, ...] = ()

    def to_json(self) -> Json:
        """Return the question object of the contract."""
        return {
            "n": self.n,
            "level": self.level,
            "method": self.method,
            "coverage": self.coverage,
            "epsilon": self.epsilon,
            "p": self.design.p,
            "q": self.design.q,
            "population": self.population,
            "cells": [cell.to_json() for cell in self.cells],
            "warnings": list(self.warnings),
        }

    @property
    def figures(self) -> int:
        """Return the number of cells."""
        return len(self.cells)

    def with_warning(self, sentence: str) -> Self:
        """Return the same figures with one more warning."""
        return replace(self, warnings=(*self.warnings, sentence))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {cell.name: place for place, cell in enumerate(self.cells)}

    def place(self, name: str) -> int:
        """Return the position of the cell with this name, or refuse the name."""
        if name not in self._places:
            raise EstimateError(f"there is no cell {name!r}: give one of the question's categories")
        return self._places[name]

    def tally(self, *names: str) -> Tally:
        """Return the counts of the named cells, oriented so that p > q."""
        cells = [self.cells[self.place(name)] for name in names]
        n = [self.n if cell.asked is None else cell.asked for cell in cells]
        if not all(n):
            raise EstimateError("a cell has no reports yet: there is nothing to combine")
        counts = np.array([cell.count for cell in cells], np.int64)
        return Tally(counts, np.array(n, np.int64), self.design, self.population).oriented()
