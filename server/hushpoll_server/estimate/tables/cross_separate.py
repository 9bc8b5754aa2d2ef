"""Two questions that were asked separately, each randomized on its own: the shares of all pairs of answers.

A report has the value z = (y - q)/(p - q) for an answer to the first question, where y is 1 if it supports that answer
and 0 otherwise, and likewise w for an answer to the second. The draws are independent given the two answers, so E[z w]
is the share of respondents who hold both: with P = P_a ⊗ P_b it is the same estimate as P⁻¹λ. The product takes only
four values, so four counts for each pair of answers (the reports that support both, one or the other, or neither)
determine its mean and its variance. The covariance of two pairs follows from the shares and the designs.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import linalg, special

from hushpoll_server.estimate.combine import Combined
from hushpoll_server.estimate.errors import EstimateError, check_population
from hushpoll_server.estimate.joint import OneDecides
from hushpoll_server.estimate.projection import simplex_projection
from hushpoll_server.estimate.support import Counts, Figures, SupportDesign, clamp
from hushpoll_server.estimate.tables.crosstable import Independence, odds_ratio_of

# With fewer reports expected in a cell the χ² law is not trusted; as measured, the test keeps its level from 1 on.
FEWEST_EXPECTED_REPORTS = 1


@dataclass(frozen=True, eq=False)
class CrossedQuestion:
    """One of the two questions: its answers, its design, how they are related, and the reports that support each."""

    name: str
    cells: tuple[str, ...]
    design: SupportDesign
    joint: OneDecides
    counts: Counts

    def __post_init__(self) -> None:
        """Refuse designs in which the shares do not determine how two answers are related."""
        if not self.joint.exact or not self.joint.exclusive or len(self.cells) != len(self.counts):
            raise EstimateError("only questions with subset selection or repeated draws can be crossed: choose others")

    @property
    def values(self) -> tuple[float, float]:
        """Return z of a report that does not support an answer, and of one that does."""
        return -self.design.q / self.design.gap, (1 - self.design.q) / self.design.gap

    @property
    def square(self) -> tuple[float, float]:
        """Return E[z²] among those who do not hold the answer, and how much larger it is among those who do."""
        p, q, gap = self.design.p, self.design.q, self.design.gap
        # E[z²|x] = (P(y=1|x)(1 - 2q) + q²)/(p - q)²
        return q * (1 - q) / gap**2, (p - q) * (1 - 2 * q) / gap**2

    def shares(self, n: int) -> Figures:
        """Return the estimated shares of the answers."""
        return self.design.share(self.counts / n)

    @property
    def products(self) -> tuple[Figures, Figures]:
        """Return E[z_i z_k] if neither i nor k is held, and how much larger it is if one is (half of that if i = k)."""
        size, (q, gap), joint = len(self.cells), (self.design.q, self.design.gap), self.joint
        # E[z_i z_k] = (P(both) - q(P_i + P_k) + q²)/(p - q)², with P_i + P_k = 2q, or p + q if one of them is held
        base = np.full((size, size), (joint.least - q * q) / gap**2)
        more = np.full((size, size), (joint.one - joint.least - q * gap) / gap**2)
        np.fill_diagonal(base, self.square[0])
        np.fill_diagonal(more, self.square[1] / 2)
        return base, more

    def covariances(self, n: int) -> Figures:
        """Return the covariances of support within a report, for all answers but the last."""
        rates = self.counts / n
        # If reports name one answer each, and every answer was named, use the observed rates, as in Pearson's test.
        if self.joint.one > 0 or not rates.all():
            rates = self.design.rate(simplex_projection(self.shares(n)))
        shares = self.design.share(rates)
        matrix = self.joint.both(shares[:, np.newaxis], shares).low - np.outer(rates, rates)
        np.fill_diagonal(matrix, rates * (1 - rates))
        return matrix[:-1, :-1]


@dataclass(frozen=True, eq=False)
class CrossCounts:
    """The numbers of reports that support both answers of each pair; rows are the first question's answers."""

    first: CrossedQuestion
    second: CrossedQuestion
    both: Counts
    n: int
    population: int | None = None

    def __post_init__(self) -> None:
        """Refuse counts that no survey can have."""
        check_population(self.population, self.n)
        if self.both.shape != (len(self.rows), len(self.columns)) or not self._adds_up():
            raise EstimateError("the joint counts do not match those of the two questions: count the reports again")

    def _adds_up(self) -> bool:
        """Return whether the counts fit reports that all support equally many answers of each question."""
        one, other = self.first.counts, self.second.counts
        rows = self.n * self.both.sum(axis=1) == one * other.sum()
        columns = self.n * self.both.sum(axis=0) == other * one.sum()
        return bool(rows.all() and columns.all() and all((part >= 0).all() for part in self.quarters))

    @property
    def rows(self) -> tuple[str, ...]:
        """Return the answers to the first question."""
        return self.first.cells

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the answers to the second question."""
        return self.second.cells

    @cached_property
    def quarters(self) -> tuple[Counts, Counts, Counts, Counts]:
        """Return for each pair how many reports support neither, only the second, only the first, and both."""
        one, other = self.first.counts[:, np.newaxis], self.second.counts[np.newaxis, :]
        return self.n - one - other + self.both, other - self.both, one - self.both, self.both

    @property
    def values(self) -> Figures:
        """Return the value z w of a report in each quarter."""
        return np.outer(self.first.values, self.second.values).ravel()

    @property
    def chances(self) -> Figures:
        """Return the chances of the quarters for people who hold neither answer, the second, the first, and both."""
        one, other = (
            np.array([[1 - side.design.q, side.design.q], [1 - side.design.p, side.design.p]])
            for side in (self.first, self.second)
        )
        return np.asarray(np.kron(one, other))

    @cached_property
    def shares(self) -> Figures:
        """Return the unbiased estimate of each pair's share, which may be outside [0, 1]."""
        # f = (λ_ij - q_b λ_i - q_a λ_j + q_a q_b)/((p_a - q_a)(p_b - q_b)), as the mean of z w
        return np.asarray(np.tensordot(self.values, np.stack(self.quarters), 1) / self.n)

    @cached_property
    def privacy(self) -> tuple[Figures, float]:
        """Return the variance for each respondent that the randomizing causes: at share 0, and its slope.

        It is at the nearest possible margins: at estimates outside [0, 1] it could be negative.
        """
        return self._privacy(*(clamp(side.shares(self.n)) for side in (self.first, self.second)))

    def _privacy(self, one: Figures, other: Figures) -> tuple[Figures, float]:
        (a, rise_a), (b, rise_b) = self.first.square, self.second.square
        # E[z²w²] = Σ f_uv (a + a'[u=i])(b + b'[v=j]) = ab + a'b f_i + ab' f_j + a'b' f_ij, and (E[zw|answers])² is f_ij
        start = a * b + rise_a * b * one[:, np.newaxis] + a * rise_b * other[np.newaxis, :]
        return start, rise_a * rise_b - 1

    @property
    def sampled(self) -> float:
        """Return the part of the population that was asked."""
        return 0.0 if self.population is None else self.n / self.population

    def variance(self) -> Figures:
        """Return the plug-in variance of each estimate (divisor n, as for a share)."""
        # Var = (1 - n/N) s²/n + V̄/N, with s² = V̄ + f(1 - f) at the estimates: the observed variance of z w
        start, rise = self._privacy(*(side.shares(self.n) for side in (self.first, self.second)))
        unit_variance = start + rise * self.shares + (1 - self.sampled) * self.shares * (1 - self.shares)
        return np.maximum(0.0, unit_variance) / self.n

    @property
    def uncertain_part(self) -> Figures:
        """Return the standard error in this population as a fraction of that in an infinite one."""
        whole = replace(self, population=None).variance()
        ratio = np.divide(self.variance(), whole, out=np.ones_like(whole), where=whole > 0)
        return np.sqrt(np.minimum(1.0, ratio))

    def covariances(self) -> Figures:
        """Return the covariance matrix of all estimates, row by row; the respondents are a sample."""
        (base, more), (other_base, other_more) = self.first.products, self.second.products
        f, one, other = self.shares, self.shares.sum(axis=1), self.shares.sum(axis=0)
        pair = one[:, np.newaxis] + one, other[:, np.newaxis] + other
        # E[z_i z_k w_j w_l] = Σ f_uv (c_ik + d_ik([u=i] + [u=k]))(c'_jl + d'_jl([v=j] + [v=l])), as i k j l
        four = f[:, None, :, None] + f[None, :, :, None] + f[:, None, None, :] + f[None, :, None, :]
        moments = (
            np.multiply.outer(base + more * pair[0], other_base)
            + np.multiply.outer(base, other_more * pair[1])
            + np.multiply.outer(more, other_more) * four
        )
        moments = moments.transpose(0, 2, 1, 3).reshape(f.size, f.size)
        return np.asarray((moments - np.outer(f.ravel(), f.ravel())) / self.n)

    def independence(self) -> Independence:
        """Test on the randomized reports whether the two answers are independent: if they are, so are the draws.

        n tr(A⁻¹ S B⁻¹ Sᵀ), where S are the covariances of support between the questions and A, B those within them.
        Where each report names one answer it is Pearson's χ² of the randomized table.
        """
        rates = np.outer(self.first.counts, self.second.counts) / self.n
        if rates.min() < FEWEST_EXPECTED_REPORTS:
            raise EstimateError("under independence a cell is expected less than once: collect more reports")
        between = ((self.both - rates) / self.n)[:-1, :-1]
        one, other = (side.covariances(self.n) for side in (self.first, self.second))
        try:
            left = linalg.solve(one, between, assume_a="pos")
            right = linalg.solve(other, between.T, assume_a="pos")
        except linalg.LinAlgError:
            raise EstimateError("some answers are too rare to test independence: collect more reports") from None
        statistic, degrees = self.n * float(np.sum(left * right.T)), between.size
        return Independence(statistic=statistic, degrees=degrees, p_value=float(special.chdtrc(degrees, statistic)))

    def odds_ratio(self, rows: tuple[str, str], columns: tuple[str, str], *, level: float) -> Combined:
        """Return the odds ratio of two rows and two columns, from the estimates; refuse if one is not positive."""
        if not self.n:
            raise EstimateError("there are no reports yet, so there is no odds ratio: collect some")
        names = [(row, column) for row in rows for column in columns]
        places = [self.rows.index(row) * len(self.columns) + self.columns.index(column) for row, column in names]
        matrix = self.covariances()[np.ix_(places, places)]
        return odds_ratio_of(self.shares.ravel()[places], lambda weights: float(weights @ matrix @ weights), level)
