"""Post-stratification: shares within strata of a known size, put together as the population has them.

Strata are public labels. The estimate is ΣW_h f_h with W_h the stratum's share of the population; given how many
reports each stratum has, the strata are independent and the variances add up. The limits recover them from the limits
of the strata (MOVER), each by the method that `hushpoll estimate` would use. The rule here: a stratum without reports
has no share, and then nothing is said about the population; nobody's share is guessed.

References: D. Holt, T. M. F. Smith (1979), Post stratification, JRSS A 142; G. Y. Zou, W. Huang, X. Zhang (2009), A
note on confidence interval estimation for a linear function of binomial proportions, CSDA 53.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import SupportsIndex

import numpy as np

from hushpoll_server.estimate.diagnosis import NO_REPORTS
from hushpoll_server.estimate.errors import EstimateError, check_level, whole
from hushpoll_server.estimate.intervals import Limits, choose_method
from hushpoll_server.estimate.results import Json
from hushpoll_server.estimate.shares import share_limits
from hushpoll_server.estimate.support import SupportDesign, Tally
from hushpoll_server.estimate.weighting.population_shares import Share, read_shares
from hushpoll_server.estimate.weighting.results import Weighted, WeightedCell, warnings_of_limits
from hushpoll_server.estimate.weighting.shares import read_population

# With fewer reports in many strata the limits together cover too rarely: docs/statistics/weights.md.
_FEW = 10

EMPTY = (
    "No reports from {names}, which the population has: there is no figure for the whole until you join such a stratum "
    "with a similar one."
)
FEW = "Fewer than {few} reports from {names}: what is said of the whole rests on them, so join small strata."


@dataclass(frozen=True, kw_only=True)
class Stratum:
    """The figures of one stratum, and its share of the population."""

    share: float
    n: int
    method: str
    cell: WeightedCell

    def to_json(self) -> Json:
        """Return the figures by name."""
        return {**self.cell.to_json(), "share": self.share, "n": self.n, "method": self.method}


@dataclass(frozen=True, kw_only=True)
class Poststratified(Weighted):
    """The share of the whole population, with those of its strata."""

    strata: tuple[Stratum, ...]

    def to_json(self) -> Json:
        """Return what `hushpoll weigh --strata --json` prints."""
        figures = super().to_json()
        warnings = figures.pop("warnings")
        return {**figures, "strata": [stratum.to_json() for stratum in self.strata], "warnings": warnings}


def poststratify(
    strata: Mapping[str, tuple[SupportsIndex, SupportsIndex]],
    population_shares: Mapping[str, Share],
    design: SupportDesign,
    *,
    level: float = 0.95,
    population: SupportsIndex | None = None,
) -> Poststratified:
    """Return the share of yes in a population whose strata have known shares.

    `strata` has the reports that say yes and all reports of each stratum.
    """
    check_level(level)
    shares = read_shares(population_shares, "strata")
    _check_known(strata, shares)
    size = read_population(population)
    tallies = {name: _tally(name, strata.get(name, (0, 0)), share, design, size) for name, share in shares.items()}
    parts = tuple(_stratum(name, tallies[name], float(share), level) for name, share in shares.items())
    whole_cell = _whole(tuple(tallies.values()), parts)
    return Poststratified(
        n=sum(part.n for part in parts),
        kish_n=_kish(parts),
        level=level,
        method="mover",
        design=design,
        population=size,
        cells=(whole_cell,),
        strata=parts,
        warnings=_warnings(parts, whole_cell),
    )


def _tally(
    name: str, counts: tuple[SupportsIndex, SupportsIndex], share: Fraction, design: SupportDesign, size: int | None
) -> Tally:
    yes, n = whole(counts[0], "count"), whole(counts[1], "number of reports")
    # N_h = W_h N, rounded to whole people: up where there are as many reports
    people = None if size is None else max(round(share * size), min(n, math.ceil(share * size)))
    if people is not None and n > people:
        raise EstimateError(
            f"the stratum {name} has {n} reports and {people} people: check the population's size and the shares"
        )
    return Tally([yes], [n], design, people).oriented()


def _stratum(name: str, tally: Tally, share: float, level: float) -> Stratum:
    n = int(tally.n[0])
    if n == 0:
        return Stratum(share=share, n=0, method="none", cell=WeightedCell(name=name))
    method = choose_method(tally.count, tally.n, level)
    limits = share_limits(tally, level, method)
    cell = WeightedCell(
        name=name,
        estimate=float(tally.share[0]),
        se=float(tally.standard_error()[0]),
        low=float(limits.low[0]),
        high=float(limits.high[0]),
        effective_n=float(n),
    )
    return Stratum(share=share, n=n, method=method, cell=cell)


def _whole(tallies: tuple[Tally, ...], parts: tuple[Stratum, ...]) -> WeightedCell:
    """Return Σ W_h f_h with its standard error and limits, or nothing while a stratum of the population is empty."""
    counted = [(part, tally) for part, tally in zip(parts, tallies, strict=True) if part.share > 0]
    if not all(part.n for part, _ in counted):
        return WeightedCell(name="yes")
    weights = np.array([part.share for part, _ in counted])
    estimates, errors, low, high = (
        np.array([getattr(part.cell, figure) for part, _ in counted]) for figure in ("estimate", "se", "low", "high")
    )
    estimate, se = float(weights @ estimates), float(np.sqrt(weights**2 @ errors**2))
    # L = f - √ΣW_h²(f_h - l_h)², U = f + √ΣW_h²(u_h - f_h)²
    reach = Limits(np.sqrt(weights**2 @ (estimates - low) ** 2), np.sqrt(weights**2 @ (high - estimates) ** 2))
    return WeightedCell(
        name="yes",
        estimate=estimate,
        se=se,
        low=estimate - float(reach.low),
        high=estimate + float(reach.high),
        effective_n=_effective_n(estimate, se, counted[0][1].design),
    )


def _effective_n(share: float, se: float, design: SupportDesign) -> float | None:
    """Return how many reports of a simple sample would have this standard error, if the rate has a spread."""
    rate = design.rate(share)
    return rate * (1 - rate) / (se * design.gap) ** 2 if 0 < rate < 1 else None


def _kish(parts: tuple[Stratum, ...]) -> float | None:
    # A report of stratum h weighs W_h/n_h: n_K = 1/Σ W_h²/n_h
    used = [part for part in parts if part.share > 0]
    if not used or not all(part.n for part in used):
        return None
    return 1 / math.fsum(part.share**2 / part.n for part in used)


def _check_known(strata: Mapping[str, object], shares: Mapping[str, object]) -> None:
    unknown = [name for name in strata if name not in shares]
    if unknown:
        raise EstimateError(f"the population has no share of {', '.join(unknown)}: give the share of every stratum")


def _warnings(parts: tuple[Stratum, ...], cell: WeightedCell) -> tuple[str, ...]:
    if not any(part.n for part in parts):
        return (NO_REPORTS,)
    used = [part for part in parts if part.share > 0]
    empty = [part.cell.name for part in used if part.n == 0]
    few = [part.cell.name for part in used if 0 < part.n < _FEW]
    return (
        *warnings_of_limits((cell,)),
        *((EMPTY.format(names=", ".join(empty)),) if empty else ()),
        *((FEW.format(few=_FEW, names=", ".join(few)),) if few else ()),
    )
