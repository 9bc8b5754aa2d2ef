"""What weighting returns: shares with the number of equally weighted reports that would tell as much.

The rule here: `estimate`, `low` and `high` are never clipped; a figure that does not exist is None, and a warning says
why. A result with one cell shows its figures at the top as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.results import Json
from hushpoll_server.estimate.support import SupportDesign

# Taylor linearisation with divisor n, so that equal weights give the plug-in standard error of an unweighted share.
LINEARIZED = "linearized"

OUTSIDE = (
    "The whole interval of {names} lies outside 0 to 1, outside what the design can produce: unless it is chance, this "
    "is non-compliance or tampering."
)
UNINFORMATIVE = "The interval of {names} covers every possible share: collect more reports."


@dataclass(frozen=True, kw_only=True)
class WeightedCell:
    """The figures of one answer; `effective_n` is the number of equally weighted reports that its limits use."""

    name: str
    estimate: float | None = None
    se: float | None = None
    low: float | None = None
    high: float | None = None
    effective_n: float | None = None

    @property
    def figures(self) -> Json:
        """Return the figures by the names of the contract."""
        return {name: value for name, value in vars(self).items() if name != "name"}

    def to_json(self) -> Json:
        """Return the figures with their name."""
        return {"name": self.name, **self.figures}


@dataclass(frozen=True, kw_only=True)
class Weighted:
    """Weighted shares of one question; `kish_n` is Kish's effective number of reports."""

    n: int
    kish_n: float | None
    level: float
    method: str
    coverage: str = "pointwise"
    standard_errors: str = LINEARIZED
    design: SupportDesign
    population: int | None = None
    cells: tuple[WeightedCell, ...]
    warnings: tuple[str, ...] = ()

    @property
    def cell(self) -> WeightedCell:
        """Return the only cell."""
        if len(self.cells) != 1:
            raise EstimateError("this result has several cells: name one of them")
        return self.cells[0]

    def with_warnings(self, sentences: Sequence[str]) -> Self:
        """Return the same figures with more warnings."""
        return replace(self, warnings=(*self.warnings, *sentences))

    def to_json(self) -> Json:
        """Return what `hushpoll weigh --json` prints."""
        return {
            "n": self.n,
            "kish_n": self.kish_n,
            **(self.cells[0].figures if len(self.cells) == 1 else {}),
            "level": self.level,
            "method": self.method,
            "coverage": self.coverage,
            "standard_errors": self.standard_errors,
            "p": self.design.p,
            "q": self.design.q,
            "population": self.population,
            "cells": [cell.to_json() for cell in self.cells],
            "warnings": list(self.warnings),
        }


def warnings_of_limits(cells: Sequence[WeightedCell]) -> tuple[str, ...]:
    """Return what a reader must know about intervals that are impossible or that rule nothing out."""
    limits = [(cell.name, cell.low, cell.high) for cell in cells if cell.low is not None and cell.high is not None]
    outside = [name for name, low, high in limits if low > 1 or high < 0]
    everything = [name for name, low, high in limits if low <= 0 and high >= 1]
    pairs = ((OUTSIDE, outside), (UNINFORMATIVE, everything))
    return tuple(sentence.format(names=", ".join(f"“{name}”" for name in names)) for sentence, names in pairs if names)
