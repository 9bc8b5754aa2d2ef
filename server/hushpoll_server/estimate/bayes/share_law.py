"""The posterior law of a share behind a design, integrated numerically to about 13 digits.

With a Beta(a, b) prior the density of u = ln(f/(1 - f)) is proportional to exp h(u),

    h = a ln f + b ln(1 - f) + c ln λ + (n - c) ln(1 - λ),   λ = q + f (p - q).

In u nothing is singular: the ends of [0, 1], where the density of f may be infinite, become exponential tails. As a
function of f, h is a sum of concave functions, so it has one maximum and falls on either side of it. The rule here:
panels end where h has fallen by 1/2, 2, 9/2, … from its maximum, none is wider than 6, and Gauss's rule does the rest.
So a normal law of any width, a mass at one end and the prior itself are integrated alike. All values of h are
differences from the maximum, because at n = 10⁷ the logarithm of a likelihood has lost nine digits.

References: R. L. Winkler, L. A. Franklin (1979), Warner's randomized response model: a Bayesian approach, JASA 74;
L. N. Trefethen (2013), Approximation Theory and Approximation Practice, chapter 19 (the error of Gauss's rule).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special

from hushpoll_server.estimate.support import Figures

# The maximum is looked for between these log-odds: a share of e⁻⁸⁰⁰ is 0 in a float.
_FURTHEST = 800.0
# Where h has fallen by 61, e⁻⁶¹ of the density is left.
_FALLS = np.arange(12.0) ** 2 / 2
_WIDEST = 6.0
_HALVINGS = 60
# The singularities of h are π away from the real line, so on a panel of width 6 the error is about 2.5⁻⁴⁸.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)
# Newton's steps are safeguarded by halvings, so this many are more than enough.
_STEPS, _NEAR, _LEAST_DENSITY = 60, 1e-14, 1e-300
# So many quantiles are solved at once: a node of each takes a few kilobytes.
_AT_ONCE = 20_000


@dataclass(frozen=True, kw_only=True)
class ShareLaw:
    """The posterior of a share after `yes` of `n` reports; p and q may be 0 and 1, a and b are those of the prior."""

    yes: int
    n: int
    p: float
    q: float
    a: float
    b: float

    @cached_property
    def top(self) -> float:
        """Return the log-odds at which the density of the log-odds has its maximum."""
        return float(optimize.brentq(self._slope, -_FURTHEST, _FURTHEST, xtol=1e-14))

    def _slope(self, u: float) -> float:
        # h'(u) = a(1 - f) - b f + c (r₁ - f) + (n - c)(r₀ - f), where r₁ and r₀ are the probabilities of a true yes
        # behind a report of yes and of no: ln(r/(1 - r)) = u + ln(p/q) and u + ln((1 - p)/(1 - q)).
        f, rest = special.expit(u), special.expit(-u)
        after_yes = special.expit(u + _log_ratio(self.p, self.q)) - f
        after_no = special.expit(u + _log_ratio(1 - self.p, 1 - self.q)) - f
        return float(self.a * rest - self.b * f + self.yes * after_yes + (self.n - self.yes) * after_no)

    def log_density(self, u: Figures) -> Figures:
        """Return h(u) as a difference from its maximum."""
        top, gap = self.top, self.p - self.q
        # f - f* from whichever of f and 1 - f is small
        moved = special.expit(u) - special.expit(top) if top < 0 else special.expit(-top) - special.expit(-u)
        rate = self.p * special.expit(top) + self.q * special.expit(-top)
        other = (1 - self.p) * special.expit(top) + (1 - self.q) * special.expit(-top)
        likelihood = special.xlog1py(self.yes, np.maximum(-1.0, gap * moved / rate)) if self.yes else 0.0
        if self.n - self.yes:
            likelihood = likelihood + special.xlog1py(self.n - self.yes, np.maximum(-1.0, -gap * moved / other))
        prior = self.a * (special.log_expit(u) - special.log_expit(top))
        return np.asarray(prior + self.b * (special.log_expit(-u) - special.log_expit(-top)) + likelihood)

    @cached_property
    def edges(self) -> Figures:
        """Return the ends of the panels, as log-odds in rising order."""
        left, right = (self.top + sign * self._reaches(sign) for sign in (-1, 1))
        return split_wide(np.unique(np.concatenate((left, right))), _WIDEST)

    def _reaches(self, sign: int) -> Figures:
        """Return how far from the maximum h has fallen by each of the falls, on one side."""
        with np.errstate(divide="ignore"):
            furthest = 1.0
            while self.log_density(np.array(self.top + sign * furthest)) > -_FALLS[-1]:
                furthest *= 2
            near, far = np.zeros(len(_FALLS)), np.full(len(_FALLS), furthest)
            for _ in range(_HALVINGS):
                middle = (near + far) / 2
                is_further = self.log_density(self.top + sign * middle) > -_FALLS
                near, far = np.where(is_further, middle, near), np.where(is_further, far, middle)
        return np.where(_FALLS == 0, 0.0, far)

    @cached_property
    def masses(self) -> Figures:
        """Return the integral of exp h over each panel, not normalized."""
        return integrate(self._density, self.edges[:-1], self.edges[1:])

    def _density(self, u: Figures) -> Figures:
        with np.errstate(divide="ignore"):
            return np.exp(self.log_density(u))

    def density(self, u: Figures) -> Figures:
        """Return the density of the log-odds."""
        return np.asarray(self._density(u) / self.masses.sum())

    def expect(self, function: Callable[[Figures], Figures]) -> float:
        """Return the expected value of a function of the log-odds."""
        found = integrate(lambda u: function(u) * self._density(u), self.edges[:-1], self.edges[1:])
        return float(found.sum() / self.masses.sum())

    @cached_property
    def moments(self) -> tuple[float, float]:
        """Return the mean and the standard deviation of the share."""
        # Around the share at the maximum, of yes or of no, whichever is smaller: so narrow laws keep their digits.
        sign = 1.0 if self.top < 0 else -1.0
        centre = float(special.expit(sign * self.top))
        away = self.expect(lambda u: special.expit(sign * u) - centre)
        spread = np.sqrt(self.expect(lambda u: (special.expit(sign * u) - centre - away) ** 2))
        return (centre + away if sign > 0 else 1 - centre - away), float(spread)

    def below(self, u: ArrayLike) -> Figures:
        """Return the probability that the log-odds are below each of these."""
        return self._tail(np.asarray(u, float), np.concatenate(([0.0], np.cumsum(self.masses))), start=0)

    def above(self, u: ArrayLike) -> Figures:
        """Return the probability that the log-odds are above each of these, with its own digits where it is small."""
        rest = np.concatenate((np.cumsum(self.masses[::-1])[::-1], [0.0]))
        return self._tail(np.asarray(u, float), rest, start=1)

    def _tail(self, u: Figures, sums: Figures, *, start: int) -> Figures:
        """Return the sum of the panels on one side, and the part of the panel that the limit lies in."""
        inside = np.clip(u, self.edges[0], self.edges[-1])
        panel = np.clip(np.searchsorted(self.edges, inside, side="right") - 1, 0, len(self.masses) - 1)
        ends = (self.edges[panel], inside) if start == 0 else (inside, self.edges[panel + 1])
        return np.asarray((sums[panel + start] + integrate(self._density, *ends)) / self.masses.sum())

    def quantile(self, probability: ArrayLike) -> Figures:
        """Return the log-odds below which these probabilities lie."""
        wanted = np.atleast_1d(np.asarray(probability, float)).ravel()
        parts = [self._solve(wanted[start : start + _AT_ONCE]) for start in range(0, wanted.size, _AT_ONCE)]
        return np.concatenate((*parts, np.empty(0))).reshape(np.shape(probability))

    def _solve(self, wanted: Figures) -> Figures:
        """Return the quantiles by Newton's steps, and by halving where a step leaves what is still possible."""
        total = np.cumsum(self.masses) / self.masses.sum()
        panel = np.minimum(np.searchsorted(total, wanted), len(total) - 1)
        start, low, high = self.edges[panel], self.edges[panel], self.edges[panel + 1]
        missing = wanted - np.concatenate(([0.0], total))[panel]
        u = low + (high - low) * np.clip(missing * self.masses.sum() / self.masses[panel], 0.0, 1.0)
        for _ in range(_STEPS):
            error = integrate(self.density, start, u) - missing
            low, high = np.where(error < 0, u, low), np.where(error < 0, high, u)
            step = u - error / np.maximum(self.density(u), _LEAST_DENSITY)
            moved = np.where((step >= low) & (step <= high), step, (low + high) / 2)
            is_near = np.abs(moved - u) <= _NEAR * (1 + np.abs(u))
            u = moved
            if is_near.all():
                break
        return np.asarray(u)


def integrate(function: Callable[[Figures], Figures], start: ArrayLike, end: ArrayLike) -> Figures:
    """Return the integrals from each start to its end, by Gauss's rule."""
    half = (np.asarray(end, float) - np.asarray(start, float))[..., np.newaxis] / 2
    nodes = np.asarray(start, float)[..., np.newaxis] + half * (1 + _NODES)
    return np.asarray((function(nodes) * half) @ _WEIGHTS)


def split_wide(edges: Figures, widest: float) -> Figures:
    """Return the ends of panels with more of them where two are further apart than this."""
    parts = np.maximum(1, np.ceil(np.diff(edges) / widest)).astype(int)
    pieces = [
        np.linspace(low, high, part, endpoint=False) for low, high, part in zip(edges, edges[1:], parts, strict=False)
    ]
    return np.concatenate((*pieces, edges[-1:]))


def _log_ratio(one: float, other: float) -> float:
    with np.errstate(divide="ignore"):
        return float(np.log(one) - np.log(other))
