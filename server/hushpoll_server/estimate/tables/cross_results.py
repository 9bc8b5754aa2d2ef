"""From joint counts to the cross table of two questions that were asked separately, with intervals.

Methods, for the mean of a product that takes four values (see cross_separate.py):
- `gaffke`: Clopper and Pearson's idea for four values (numbers/gaffke.py), and nowhere inside the limits of `wilson`;
  used if no method is asked for.
- `wald`: the estimate plus and minus z standard errors.
- `wilson`: the shares that a score test does not reject; the variance depends on the share and on estimated margins.
- `exact` and `mixture`: the shares that a fair bet on the four values does not reject (numbers/mean_limits.py); they
  hold at every n and at every look.

The rule here: the estimate is unbiased, its interval comes from the raw counts, and neither is clipped; the tidy value
is separate.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hushpoll_server.estimate.diagnosis import NO_REPORTS
from hushpoll_server.estimate.errors import EstimateError, check_level
from hushpoll_server.estimate.finite import score_limits
from hushpoll_server.estimate.intervals import Limits, level_of_each, normal_quantile
from hushpoll_server.estimate.manipulation import Band, check_beta
from hushpoll_server.estimate.numbers.gaffke import gaffke_limits
from hushpoll_server.estimate.numbers.mean_limits import mixture_limits_of_many
from hushpoll_server.estimate.numbers.means import choose_mean_method
from hushpoll_server.estimate.projection import simplex_projection
from hushpoll_server.estimate.results import Cell, Coverage, Json, Result, ShownMethod
from hushpoll_server.estimate.support import Figures, clamp
from hushpoll_server.estimate.tables.cross_separate import CrossCounts
from hushpoll_server.estimate.tables.crosstable import Independence
from hushpoll_server.estimate.tables.joint_shares import JointShares
from hushpoll_shared.question_types.pair import combined

# A warning names at most this many cells, and gives the number of the others.
_MOST_NAMED_CELLS = 3


@dataclass(frozen=True, kw_only=True)
class CrossResult:
    """The figures of a cross table, row by row; `rows` and `columns` are the two questions alone."""

    rows: Result
    columns: Result
    table: CrossCounts = field(compare=False, repr=False)
    level: float
    method: ShownMethod
    coverage: Coverage
    cells: tuple[Cell, ...]
    warnings: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Return the number of reports, all of which answer both questions."""
        return self.table.n

    @property
    def figures(self) -> int:
        """Return the number of cells, margins included."""
        return len(self.cells) + self.rows.figures + self.columns.figures

    @property
    def names(self) -> tuple[str, str]:
        """Return the ids of the two questions."""
        return self.table.first.name, self.table.second.name

    @property
    def independence(self) -> Independence | None:
        """Return the test of independence, if there are enough reports for it."""
        try:
            return self.table.independence() if self.n else None
        except EstimateError:
            return None

    def joint_shares(self) -> JointShares:
        """Return the shares with how they vary together: what row percentages need. Refused without reports."""
        if not self.n:
            raise EstimateError("there are no reports yet, so there are no row percentages: collect some")
        table = self.table
        return JointShares.of_covariances((table.rows, table.columns), self.n, table.shares, table.covariances())

    def to_json(self) -> Json:
        """Return the table by the names of the contract, with full precision."""
        pairs = ((row, column) for row in self.table.rows for column in self.table.columns)
        test = self.independence
        return {
            "first": self.names[0],
            "second": self.names[1],
            "n": self.n,
            "level": self.level,
            "method": self.method,
            "coverage": self.coverage,
            "population": self.table.population,
            "cells": [_pair_to_json(*pair, cell) for pair, cell in zip(pairs, self.cells, strict=True)],
            "independence": None if test is None else test.to_json(),
            "warnings": list(self.warnings),
        }


def estimate_cross(
    table: CrossCounts,
    rows: Result,
    columns: Result,
    *,
    level: float = 0.95,
    method: str | None = None,
    coverage: str = "pointwise",
    beta: float | None = None,
) -> CrossResult:
    """Estimate the share of every pair of answers; `rows` and `columns` are the results of the questions alone."""
    check_level(level)
    promise, chosen = choose_mean_method(method, coverage)
    common: dict[str, Any] = {"rows": rows, "columns": columns, "table": table, "level": level}
    common |= {"method": chosen, "coverage": promise}
    if table.n == 0:
        empty = tuple(Cell(name=name, count=0) for name in _names(table))
        return CrossResult(**common, cells=empty, warnings=(NO_REPORTS,))
    limits = cross_limits(table, level_of_each(level, promise, table.both.size), chosen)
    return CrossResult(**common, cells=_cells(table, limits, beta), warnings=_warnings(table, limits))


def cross_limits(table: CrossCounts, level: float, method: ShownMethod) -> Limits:
    """Return the unclipped limits of all cells, from the score test where Wald's have no width."""
    if method == "gaffke":
        return _cautious_limits(table, level)
    if method in ("exact", "mixture"):
        return _distinct(table, lambda quarters: mixture_limits_of_many(quarters, table.values, level))
    score = _score_limits(table, level)
    if method == "wilson":
        return score
    half = normal_quantile(level) * np.sqrt(table.variance())
    low, high = table.shares - half, table.shares + half
    return Limits(np.where(half > 0, low, score.low), np.where(half > 0, high, score.high))


def _score_limits(table: CrossCounts, level: float) -> Limits:
    start, rise = table.privacy
    t, unsampled = np.asarray(normal_quantile(level) ** 2 / table.n), np.asarray(1 - table.sampled)
    return score_limits(table.shares, (start, start + rise), t, unsampled)


def _cautious_limits(table: CrossCounts, level: float) -> Limits:
    """Return Gaffke's limits or the score's, on each side those that are further away."""
    values, part = table.values[:, np.newaxis], table.uncertain_part
    gaffke = _distinct(table, lambda quarters: gaffke_limits(values, quarters, table.chances, level))
    score, share = _score_limits(table, level), table.shares
    low, high = share - part * (share - gaffke.low), share + part * (gaffke.high - share)
    return Limits(np.minimum(score.low, low), np.maximum(score.high, high))


def _distinct(table: CrossCounts, limits_of: Callable[[Figures], Limits]) -> Limits:
    """Return the limits of all cells; many have the same four counts, especially when there are few reports."""
    quarters, place = np.unique(np.stack([part.ravel() for part in table.quarters]), axis=1, return_inverse=True)
    limits, cells = limits_of(quarters.astype(float)), place.reshape(table.both.shape)
    return Limits(limits.low[cells], limits.high[cells])


def _cells(table: CrossCounts, limits: Limits, beta: float | None) -> tuple[Cell, ...]:
    columns = {
        "name": _names(table),
        "count": table.both.ravel().tolist(),
        "estimate": table.shares.ravel().tolist(),
        "se": np.sqrt(table.variance()).ravel().tolist(),
        "low": limits.low.ravel().tolist(),
        "high": limits.high.ravel().tolist(),
        "tidy": simplex_projection(table.shares.ravel()).tolist(),
        "price_of_privacy": _price_of_privacy(table).ravel().tolist(),
        "band": _bands(table, beta),
    }
    return tuple(Cell(**dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True))


def _names(table: CrossCounts) -> tuple[str, ...]:
    return combined(table.rows, table.columns)


def _price_of_privacy(table: CrossCounts) -> Figures:
    (start, rise), possible = table.privacy, clamp(table.shares)
    privacy = np.maximum(0.0, start + rise * possible)
    # V̄ / (V̄ + (1 - n/N) f (1 - f)): 1 in a census
    whole = privacy + (1 - table.sampled) * possible * (1 - possible)
    return np.divide(privacy, whole, out=np.ones_like(whole), where=whole > 0)


def _bands(table: CrossCounts, beta: float | None) -> list[Band | None]:
    if beta is None:
        return [None] * table.both.size
    check_beta(beta)
    least, most = float(table.values.min()), float(table.values.max())
    # f̂ = (1 - β) f̂_honest + β v with v among the four values, as is the average of the honest
    low = np.maximum(least, (table.shares - beta * most) / (1 - beta)).ravel()
    high = np.minimum(most, (table.shares - beta * least) / (1 - beta)).ravel()
    return [Band(beta, *pair) for pair in zip(low.tolist(), high.tolist(), strict=True)]


def _warnings(table: CrossCounts, limits: Limits) -> tuple[str, ...]:
    return tuple(sentence for sentence in (_outside(table), uninformative_sentence(limits, table.n)) if sentence)


def _outside(table: CrossCounts) -> str:
    """Return a warning about the cells that no honest answers explain, at 1 % for the whole table, if there are any."""
    return outside_sentence(_names(table), _cautious_limits(table, level_of_outside(table.both.size)))


def level_of_outside(cells: int) -> float:
    """Return the level of each cell at which one of them lies outside [0, 1] by chance in 1 % of tables."""
    return 1 - 0.01 / cells


def outside_sentence(cells: Sequence[str], limits: Limits) -> str:
    """Return a warning that names the cells whose limits lie wholly outside [0, 1], if there are any."""
    outside = ((limits.high < 0) | (limits.low > 1)).ravel()
    names = [name for name, out in zip(cells, outside, strict=True) if out]
    if not names:
        return ""
    more = f" and {len(names) - _MOST_NAMED_CELLS} more" if len(names) > _MOST_NAMED_CELLS else ""
    listed = ", ".join(names[:_MOST_NAMED_CELLS]) + more
    return (
        f"The interval lies wholly outside 0 to 100 %, where no share of honest answers can be, for {listed}: unless "
        "it is chance (1 % or less), this is non-compliance or tampering."
    )


def uninformative_sentence(limits: Limits, n: int) -> str:
    """Return a warning if no cell is narrowed down."""
    if not ((limits.low <= 0) & (limits.high >= 1)).all():
        return ""
    reports = "1 report does" if n == 1 else f"{n} reports do"
    return f"Every interval covers all that is possible: {reports} not narrow the table down yet. Collect more."


def _pair_to_json(row: str, column: str, cell: Cell) -> Json:
    figures = cell.to_json()
    del figures["name"], figures["constrained"]
    return {"first": row, "second": column, **figures}
