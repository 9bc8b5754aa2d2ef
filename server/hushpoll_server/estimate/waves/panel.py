"""The covariance of the estimates of two waves, from what is known of the people who answered both.

A repeated question has a permanent draw for each answer of a person, with support probabilities p₁ and q₁, and in each
wave a fresh draw of it. Reports carry no link, so the counts do not show who answered twice; but the law is known. With
x and x′ the answers of one person, and m people in both waves,

    Cov(f̂, f̂′) = m/(n n′) · [P(x = x′ = v) V(p₁) + P(x = x′ ≠ v) V(q₁) + P(x = x′ = v) - f f′]

with V(r) = r(1-r)/(p₁-q₁)², because the waves' own draws are independent, and so are the permanent draws of different
answers. The first two terms are what remembered draws bring: they are never negative, and make a change more precise.
The last two are the covariance of the answers. Without remembered draws V is 0.

The rule here: what the counts do not show is bounded. The bracket grows with the share that holds v in both waves and
with the share of all others who did not change, so its least value is where as many changed as may have (Fréchet's
bound if nothing is stated), and it is greatest where nobody did.

Proof and check by enumeration: docs/statistics/waves.md. Reference for repeated draws: docs/mechanisms/repeated.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.intervals import Limits
from hushpoll_server.estimate.support import Figures, SupportDesign, Tally, clamp

_HALVINGS = 40


@dataclass(frozen=True, kw_only=True)
class Panel:
    """What is known of the people of several waves.

    `overlap` is the share of a wave's people who answered any other wave too, of the smaller of both. `changed` is the
    largest share of those in both whose answer changed between two waves. `permanent` is the design of remembered
    draws. Without an overlap people may be different or the same: covariances are not negative, and at most those of
    people who all answer every wave and never change.
    """

    overlap: float | None = None
    changed: float = 1.0
    permanent: SupportDesign | None = None

    def __post_init__(self) -> None:
        """Refuse what is no share."""
        for name, share in (("overlap", self.overlap), ("share that changed", self.changed)):
            if share is not None and not 0 <= share <= 1:
                raise EstimateError(f"the {name} is not between 0 and 1: give a share such as 0.9")
        if self.overlap is None and self.changed < 1:
            raise EstimateError("the share that changed says nothing without the overlap: give both")

    def covariance(self, first: Tally, second: Tally) -> Limits:
        """Return bounds on the covariance of two waves' estimates, each of one cell."""
        f, g = (float(clamp(tally.share)[0]) for tally in (first, second))
        # At most min(n, n′) people are in both: m/(n n′) = overlap/max(n, n′)
        weight = (1.0 if self.overlap is None else self.overlap) / max(int(first.n[0]), int(second.n[0]))
        low, high = (weight * wave_covariance(*shares, f, g, self.permanent) for shares in self._stayed(f, g))
        return Limits(np.asarray(0.0 if self.overlap is None else low), np.asarray(max(0.0, high)))

    def _stayed(self, f: float, g: float) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return the least and the greatest shares that hold the answer in both waves, and another one in both."""
        # Who left the answer or came to it changed: f + g - 2a ≤ changed. That a ≤ min(f, g) is not used: of two
        # estimates the smaller one is too small by chance, so the covariance would be, too.
        least, most = max(0.0, f + g - 1, (f + g - self.changed) / 2), (f + g) / 2
        neither = max(0.0, 1 - f - g + least)
        # Of two answers, those who never hold one always hold the other; of more they may change among the others.
        others = neither if self._has_two_answers else min(neither, max(0.0, 1 - self.changed - least))
        return (least, others), (most, 1 - most)

    @property
    def _has_two_answers(self) -> bool:
        return self.permanent is not None and math.isclose(self.permanent.p + self.permanent.q, 1, rel_tol=1e-9)


def wave_covariance(both: float, others: float, f: float, g: float, permanent: SupportDesign | None) -> float:
    """Return the covariance for one person in both waves.

    `both` is the share of people who hold the answer in both waves, `others` that of those who hold one other answer in
    both; f and g are the shares of the answer in each wave.
    """
    remembered = 0.0
    if permanent is not None:
        p, q = permanent.p, permanent.q
        remembered = (both * p * (1 - p) + others * q * (1 - q)) / permanent.gap**2
    return remembered + both - f * g


def most_changed(first: Tally, second: Tally, permanent: SupportDesign | None) -> float:
    """Return the largest share of changed answers at which two waves of the same people do not covary negatively.

    Up to it, limits for different people are cautious for the same people.
    """

    def is_safe(changed: float) -> bool:
        return bool(Panel(overlap=1.0, changed=changed, permanent=permanent).covariance(first, second).low >= 0)

    if is_safe(1.0):
        return 1.0
    safe, unsafe = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (safe + unsafe) / 2
        safe, unsafe = (middle, unsafe) if is_safe(middle) else (safe, middle)
    return safe


def covariances_of_panel(tallies: list[Tally], panel: Panel) -> Limits:
    """Return bounds on the covariance matrix of all waves."""
    low, high = (np.diag([float(tally.standard_error()[0]) ** 2 for tally in tallies]) for _ in range(2))
    for row in range(len(tallies)):
        for column in range(row):
            bounds = panel.covariance(tallies[row], tallies[column])
            # No two estimates covary by more than their standard errors allow.
            most = math.sqrt(low[row, row] * low[column, column])
            low[row, column] = low[column, row] = np.clip(bounds.low, -most, most).item()
            high[row, column] = high[column, row] = np.clip(bounds.high, -most, most).item()
    return Limits(low, high)


def covariances_of_reports(reports: Figures, tallies: list[Tally], permanent: SupportDesign | None) -> Limits:
    """Return the covariance matrix of waves with linked reports: a row for each person, NaN where there is none."""
    present = ~np.isnan(reports)
    gaps = np.array([tally.design.gap for tally in tallies])
    n, rates = present.sum(axis=0), np.nansum(reports, axis=0) / present.sum(axis=0)
    # Cov(f̂_a, f̂_b) = Σ (y_a - ȳ_a)(y_b - ȳ_b)/(n_a n_b (p-q)²) over the people in both
    centred = np.where(present, reports - rates, 0.0) / (n * gaps)
    matrix = centred.T @ centred
    both = present.T.astype(np.float64) @ present
    for row in range(len(tallies)):
        for column in range(row):
            overlap = both[row, column] / min(n[row], n[column])
            # People who never change covary most: what is above that is chance, and to leave it out is cautious.
            most = Panel(overlap=overlap, permanent=permanent).covariance(tallies[row], tallies[column]).high
            matrix[row, column] = matrix[column, row] = min(matrix[row, column], float(most))
    np.fill_diagonal(matrix, [float(tally.standard_error()[0]) ** 2 for tally in tallies])
    return Limits(matrix, matrix)
