"""All odds ratios of a cross table: each row and each column against the last one.

In a table of two rows and two columns there is one. Larger tables have one for every other row and column, and these
determine all others. The rule here: an odds ratio says in words what it compares.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hushpoll_server.estimate.combine import Combined
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.results import Json
from hushpoll_server.estimate.tables.crosstable import odds_ratio_of
from hushpoll_server.estimate.tables.joint_shares import JointShares

NO_ODDS_RATIO = "There is no odds ratio for {number} of {all} pairs of rows and columns: an estimate is not positive."


@dataclass(frozen=True, kw_only=True)
class OddsRatio:
    """The odds ratio of two rows and two columns."""

    rows: tuple[str, str]
    columns: tuple[str, str]
    ratio: Combined

    @property
    def compares(self) -> str:
        """Return in words what it compares."""
        return compared_odds(self.rows, self.columns)

    def to_json(self) -> Json:
        """Return the figures, with what they compare."""
        names: Json = {"rows": list(self.rows), "columns": list(self.columns)}
        return {**names, **self.ratio.to_json(), "compares": self.compares}


def compared_odds(rows: tuple[str, str], columns: tuple[str, str]) -> str:
    """Return in words what the odds ratio of two rows and two columns compares."""
    (one, other), (left, right) = rows, columns
    return (
        f"the odds of column “{left}” against “{right}” in row “{one}”, as a multiple of those in row “{other}”, "
        "among true answers"
    )


def odds_ratios(table: JointShares, level: float) -> tuple[tuple[OddsRatio, ...], str]:
    """Return the odds ratios that exist, and a sentence about those that do not."""
    rows, columns = table.axes
    places = [(i, j) for i in range(len(rows) - 1) for j in range(len(columns) - 1)]
    found = [each for each in (_odds_ratio(table, i, j, level) for i, j in places) if each is not None]
    missing = len(places) - len(found)
    return tuple(found), NO_ODDS_RATIO.format(number=missing, all=len(places)) if missing else ""


def _odds_ratio(table: JointShares, row: int, column: int, level: float) -> OddsRatio | None:
    (rows, columns), last = table.axes, (len(table.axes[0]) - 1, len(table.axes[1]) - 1)
    cells = [i * len(columns) + j for i in (row, last[0]) for j in (column, last[1])]
    matrix = table.covariances[np.ix_(cells, cells)]
    try:
        ratio = odds_ratio_of(table.shares.ravel()[cells], lambda weights: float(weights @ matrix @ weights), level)
    except EstimateError:
        return None
    return OddsRatio(rows=(rows[row], rows[-1]), columns=(columns[column], columns[-1]), ratio=ratio)
