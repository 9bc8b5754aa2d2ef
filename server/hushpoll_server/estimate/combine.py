"""Sums and draws of estimated shares, with the covariances that two intervals do not show.

The rule here: where the counts do not determine how two cells are related, the bound that widens the interval is used.
That is the case for the projective design (whether a true answer lies on the line through two categories) and for the
Hamming ball (how many people hold both options). In designs whose options are not exclusive the population's size is
ignored for the same reason: it could only narrow the interval.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hushpoll_server.estimate.errors import EstimateError, check_level
from hushpoll_server.estimate.finite import score_limits
from hushpoll_server.estimate.intervals import Interval, Limits, choose_method, normal_quantile
from hushpoll_server.estimate.joint import NAMES_ONE, Joint, OneDecides
from hushpoll_server.estimate.results import Json, Result
from hushpoll_server.estimate.shares import share_limits
from hushpoll_server.estimate.support import Figures, SupportDesign, Tally

# With more cells the covariance matrix takes longer than about a second.
MOST_DRAWN_CELLS = 1000


@dataclass(frozen=True, kw_only=True)
class Combined:
    """A figure made of several cells; `p_value` tests for no difference, and is None where nothing is tested."""

    estimate: float
    se: float
    low: float
    high: float
    level: float
    method: str
    p_value: float | None = None

    def to_json(self) -> Json:
        """Return the figures by name."""
        tested = {} if self.p_value is None else {"p_value": self.p_value}
        return {
            "estimate": self.estimate,
            "se": self.se,
            "low": self.low,
            "high": self.high,
            "level": self.level,
            "method": self.method,
        } | tested


def interval(result: Result, name: str, level: float) -> Interval:
    """Return the interval of one share at another level, by the method of the result."""
    check_level(level)
    limits = share_limits(result.tally(name), level, result.method)
    return Interval(float(limits.low[0]), float(limits.high[0]))


def total(result: Result, names: Sequence[str], *, level: float | None = None) -> Combined:
    """Return the sum of some shares of one question, such as the top two answers or a margin of a cross table."""
    level, tally, joint = level_of(result, level), tally_of(result, names), _joint(result)
    if joint.exclusive and len(names) == len(result.cells) > 1:
        return Combined(estimate=1.0, se=0.0, low=1.0, high=1.0, level=level, method="certain")
    if joint == NAMES_ONE:
        return _total_of_names(tally, level)
    if isinstance(joint, OneDecides):
        return _total_of_one(tally, joint, level)
    return _normal(float(tally.share.sum()), variance(result, names, np.ones(len(names))), level)


def draws(result: Result, times: int, *, seed: int, names: Sequence[str] | None = None) -> Figures:
    """Return normal draws of the estimates with their covariances, one per row, to simulate figures made of them.

    Refused where the counts do not determine how cells are related: whatever was drawn, some sum would be wrong.
    """
    names = [cell.name for cell in result.cells] if names is None else names
    if len(names) > 1 and not _joint(result).exact:
        raise EstimateError(
            "the counts do not show how these cells are related, so they cannot be drawn together: draw one cell, or "
            "use total and difference, which allow for the worst case"
        )
    if len(names) > MOST_DRAWN_CELLS:
        raise EstimateError(f"{len(names)} cells are too many to draw together: name at most {MOST_DRAWN_CELLS}")
    shares = tally_of(result, names).share
    eigenvalues, eigenvectors = np.linalg.eigh(covariances(result, names).low)
    # Estimates outside [0, 1] can make an eigenvalue slightly negative: it counts as 0.
    root = eigenvectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    return np.asarray(shares + np.random.default_rng(seed).standard_normal((times, len(names))) @ root.T)


def variance(result: Result, names: Sequence[str], weights: Figures) -> float:
    """Return the largest variance of a weighted sum of shares that the counts allow."""
    bounds, products = covariances(result, names), np.outer(weights, weights)
    return float(np.sum(products * np.where(products > 0, bounds.high, bounds.low)))


def covariances(result: Result, names: Sequence[str]) -> Limits:
    """Return bounds on the covariance matrix of the estimates; most designs determine it, and the bounds are equal."""
    tally, joint = tally_of(result, names), _joint(result)
    bounds = joint.both(tally.share[:, np.newaxis], tally.share)
    return Limits(_matrix(bounds.low, tally, joint, result.n), _matrix(bounds.high, tally, joint, result.n))


def _matrix(both: Figures, tally: Tally, joint: Joint, n: int) -> Figures:
    # Cov(f̂_i, f̂_j) = n_ij/(n_i n_j) · (P(both) - λ_i λ_j)/(p - q)², n_ij the reports that ask both
    asked = joint.together * n / np.outer(tally.n, tally.n)
    matrix = asked * (both - np.outer(tally.rate, tally.rate)) / tally.design.gap**2
    if tally.population is not None:
        # Cov = S/n - Cov_x/N, as for the variance, and Cov_x = -f_i f_j between exclusive categories
        matrix = matrix + np.outer(tally.share, tally.share) / tally.population
    np.fill_diagonal(matrix, tally.variance())
    return matrix


def _total_of_names(tally: Tally, level: float) -> Combined:
    """Return the sum of shares when each report names one category: it names one of them, or none."""
    size, q = tally.count.size, tally.design.q
    # P(one of s is named) is p + (s − 1)q if one of them is true, and sq otherwise.
    design = SupportDesign(tally.design.p + (size - 1) * q, size * q)
    named = Tally([tally.count.sum()], tally.n[:1], design, tally.population)
    method = choose_method(named.count, named.n, level)
    limits = share_limits(named, level, method)
    return Combined(
        estimate=float(named.share[0]),
        se=math.sqrt(float(named.variance()[0])),
        low=float(limits.low[0]),
        high=float(limits.high[0]),
        level=level,
        method=method,
    )


def _total_of_one(tally: Tally, joint: OneDecides, level: float) -> Combined:
    """Return the sum of shares when one category decides: its law depends on whether that one is in the sum."""
    size, q, gap = tally.count.size, tally.design.q, tally.design.gap
    # With S the number of the s categories that a report supports: E[S | one of them decides] = p + (s-1) q, else s q,
    # and
    #   E[S²] = E[S] + 2(s-1)·one + Σ other over pairs of the s-1 others, else E[S] + Σ other over pairs of all s
    inside, outside = gap + size * q, size * q
    at_one = inside + 2 * (size - 1) * joint.one + joint.pairs(size - 1) - inside**2
    at_none = outside + joint.pairs(size) - outside**2
    n, share = float(tally.n[0]), np.asarray(tally.share.sum())
    unsampled, privacy = 1 - tally.sampled[0], (at_none / gap**2, at_one / gap**2)
    limits = score_limits(share, privacy, normal_quantile(level) ** 2 / np.asarray(n), unsampled)
    unit_variance = unsampled * share * (1 - share) + (1 - share) * privacy[0] + share * privacy[1]
    return Combined(
        estimate=float(share),
        se=math.sqrt(max(0.0, float(unit_variance)) / n),
        low=float(limits.low),
        high=float(limits.high),
        level=level,
        method="wilson",
    )


def _normal(estimate: float, squared_se: float, level: float) -> Combined:
    se = math.sqrt(max(0.0, squared_se))
    half = normal_quantile(level) * se
    return Combined(estimate=estimate, se=se, low=estimate - half, high=estimate + half, level=level, method="wald")


def level_of(result: Result, level: float | None) -> float:
    """Return the level that is asked for, or that of the result."""
    chosen = result.level if level is None else level
    check_level(chosen)
    return chosen


def _joint(result: Result) -> Joint:
    if result.joint is None:
        raise EstimateError("this result does not say how its cells are related: give joint=mechanism.joint")
    return result.joint


def tally_of(result: Result, names: Sequence[str]) -> Tally:
    """Return the counts of the cells to combine."""
    if len(set(names)) < len(names) or not names:
        raise EstimateError("the cells to combine are missing or repeated: name each once")
    tally = result.tally(*names)
    return tally if _joint(result).exclusive else replace(tally, population=None)
