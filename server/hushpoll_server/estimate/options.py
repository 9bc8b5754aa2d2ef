"""The options of an estimation: one value that a page or a command passes on to every estimator."""

from __future__ import annotations

from dataclasses import dataclass

# With fewer reports the limits of every design say too little; a survey can state a larger number.
FEWEST_REPORTS = 30


@dataclass(frozen=True, kw_only=True)
class Options:
    """What the limits of a figure must hold for, and the fraction of dishonest reports to allow for.

    `level`, `method`, `coverage` and `beta` are those of `estimate_shares`; `population` is the number of people who
    could be asked, if it is declared. `families` is how many families of figures there are, of which this is one: with
    `simultaneous` they share the error probability.
    """

    level: float = 0.95
    method: str | None = None
    coverage: str = "pointwise"
    beta: float | None = None
    population: int | None = None
    families: int = 1


DEFAULT = Options()
