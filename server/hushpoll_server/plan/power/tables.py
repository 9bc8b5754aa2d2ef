"""The power of χ² tests: several groups with equal shares or not, and two questions that are independent or not.

By the noncentral χ² law, whose noncentrality is what the statistic would be if the reports were exactly as expected.
For groups that is Σ n_i (p_i - q_i)² (f_i - f̄)²/(λ_i(1 - λ_i)) at the common share f̄ of the test, for two questions
n Σ (λ_ij - λ_i λ_j)²/(λ_i λ_j) of the randomized table. Both grow with n, so the power does.

References: J. Cohen (1988), Statistical Power Analysis for the Behavioral Sciences, chapter 7; R. L. Plackett (1965),
JASA 60 (the table with given margins and odds ratio).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy import special

from hushpoll_server.estimate.support import Figures, SupportDesign
from hushpoll_server.estimate.tables.cross_separate import FEWEST_EXPECTED_REPORTS
from hushpoll_server.plan.power.case import Case, check_share, check_shares, chi_square_power
from hushpoll_server.plan.power.shares import check_ratio, second_size
from hushpoll_server.plan.sizes import PlanError

# The common share and its weights depend on each other; they settle in a few steps.
_STEPS = 50
_LEAST_RATE = 1e-12


@dataclass(frozen=True, kw_only=True)
class GroupsCase(Case):
    """Several groups of different people: the overall test of `hushpoll compare`.

    `ratios` are the sizes as multiples of the first group's; without them all are equal.
    """

    shares: tuple[float, ...]
    designs: tuple[SupportDesign, ...]
    ratios: tuple[float, ...] | None = None

    TEST: ClassVar[str] = "groups"
    METHOD: ClassVar[str] = "noncentral χ²"

    def __post_init__(self) -> None:
        """Refuse fewer than two groups, and shares that no population has."""
        super().__post_init__()
        check_shares(self.shares)
        if not 2 <= len(self.shares) == len(self.designs) == len(self._ratios):
            raise PlanError("groups need two shares or more, and a design and a ratio for each: give as many of each")
        for ratio in self._ratios:
            check_ratio(ratio)

    @property
    def _ratios(self) -> tuple[float, ...]:
        return self.ratios or (1.0,) * len(self.shares)

    @property
    def is_null(self) -> bool:
        """Return whether all shares are equal."""
        return len(set(self.shares)) == 1

    def sizes(self, n: int) -> tuple[int, ...]:
        """Return the sizes of all groups."""
        return tuple(second_size(n, ratio) for ratio in self._ratios)

    def approximate(self, n: int) -> float:
        """Return the power by the noncentral χ² law."""
        return chi_square_power(self.noncentrality(n), len(self.shares) - 1, self.alpha)

    def noncentrality(self, n: int) -> float:
        """Return the statistic of the overall test at the expected reports."""
        sizes, shares = np.array(self.sizes(n), float), np.array(self.shares)
        p, q = (np.array([getattr(design, side) for design in self.designs]) for side in "pq")
        common = float(sizes @ shares / sizes.sum())
        for _ in range(_STEPS):
            rates = np.clip(q + common * (p - q), _LEAST_RATE, 1 - _LEAST_RATE)
            weights = sizes * (p - q) ** 2 / (rates * (1 - rates))
            common = float(weights @ shares / weights.sum())
        return float(weights @ (shares - common) ** 2)


@dataclass(frozen=True, kw_only=True)
class IndependenceCase(Case):
    """Two yes/no questions to the same people, randomized apart: the test of independence of `hushpoll crosstab`."""

    shares: tuple[float, float]
    odds_ratio: float
    designs: tuple[SupportDesign, SupportDesign]

    TEST: ClassVar[str] = "independence"
    METHOD: ClassVar[str] = "noncentral χ²"
    MOST_EXACT: ClassVar[int] = 60

    def __post_init__(self) -> None:
        """Refuse shares between which nothing can be associated, and odds ratios that do not exist."""
        super().__post_init__()
        for share in self.shares:
            check_share(share)
            if share in (0, 1):
                raise PlanError("a share of 0 or 1 is associated with nothing: give one between them")
        if not 0 < self.odds_ratio < math.inf:
            raise PlanError(f"the odds ratio {self.odds_ratio:g} is not a positive number: give one such as 2")

    @property
    def is_null(self) -> bool:
        """Return whether the answers are independent."""
        return self.odds_ratio == 1

    @cached_property
    def rates(self) -> Figures:
        """Return the probabilities of the four pairs of reports, row by row, yes first."""
        one, other = (np.array([[d.p, d.q], [1 - d.p, 1 - d.q]]) for d in self.designs)
        return np.asarray(one @ joint_table(*self.shares, self.odds_ratio) @ other.T)

    def approximate(self, n: int) -> float:
        """Return the power by the noncentral χ² law."""
        expected = np.outer(self.rates.sum(axis=1), self.rates.sum(axis=0))
        return chi_square_power(n * float(((self.rates - expected) ** 2 / expected).sum()), 1, self.alpha)

    def exact(self, n: int) -> float:
        """Return the probability of the tables of reports that the test rejects."""
        counts = _tables(n)
        log_chance = special.gammaln(n + 1) - special.gammaln(counts + 1).sum(axis=1)
        log_chance = log_chance + special.xlogy(counts, self.rates.ravel()).sum(axis=1)
        return float(np.exp(log_chance) @ _is_dependent(counts, n, self.alpha))


def joint_table(first: float, second: float, odds_ratio: float) -> Figures:
    """Return the shares of the four pairs of answers with these margins and this odds ratio, yes first."""
    # Plackett: (ψ - 1)x² - Sx + ψfg = 0, S = 1 + (f + g)(ψ - 1), in the form that needs no subtraction
    s = 1 + (first + second) * (odds_ratio - 1)
    root = math.sqrt(s * s - 4 * odds_ratio * (odds_ratio - 1) * first * second)
    both = 2 * odds_ratio * first * second / (s + root)
    return np.array([[both, first - both], [second - both, 1 - first - second + both]])


def _tables(n: int) -> Figures:
    """Return every table of two rows and two columns with n reports."""
    a, b, c = np.meshgrid(*(np.arange(n + 1),) * 3, indexing="ij")
    is_table = a + b + c <= n
    a, b, c = a[is_table], b[is_table], c[is_table]
    return np.stack((a, b, c, n - a - b - c), axis=1).astype(float)


def _is_dependent(counts: Figures, n: int, alpha: float) -> Figures:
    """Return 1 where Pearson's test rejects; a table in which a pair is expected too rarely is not tested."""
    a, b, c, d = counts.T
    rows, columns = np.stack((a + b, c + d)), np.stack((a + c, b + d))
    is_tested = rows.min(axis=0) * columns.min(axis=0) >= FEWEST_EXPECTED_REPORTS * n
    product = np.where(is_tested, rows.prod(axis=0) * columns.prod(axis=0), 1.0)
    return np.asarray(is_tested & (n * (a * d - b * c) ** 2 > special.chdtri(1, alpha) * product), float)
