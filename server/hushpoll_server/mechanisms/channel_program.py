"""The linear program behind the channel for means, solved by column generation.

Privacy means: for one output, no row's probability is more than E times another's. Every such column is a
mixture of two-level columns, E times as high on a set of inputs (the pattern) as on the others, so the program is

    minimise t   over weights w ≥ 0 of (output y, pattern S):   column = w on S, w/E elsewhere
    Σ Q(y|x) = 1,   Σ y Q(y|x) = x   for every input x,   Σ y² Q(y|x) − x² ≤ t   wherever the variance counts.

With its duals α, β, μ let r_x(y) = μ_x y² − α_x − β_x y. The column that helps most at y has S = {x: r_x(y) < 0} and
the reduced cost g(y) = Σ_x [min(r_x, 0) + max(r_x, 0)/E]; when none is negative, the solution is optimal
(proof in channel_bound.py). Everything is symmetric about the middle of the range, so half of the rows suffice.

The rule here: a solution is private by construction, since it is a sum of two-level columns; only its sums and means
are subject to floating-point rounding, and channel_rounding.py repairs them. Inputs are in [−1, 1].
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

# The search ends when the gap to the dual bound is at most this fraction of the variance.
_LARGEST_GAP = 1e-5
# At large odds floats cannot prove a gap this small: then the search ends when this many rounds improve the variance by
# no more than this fraction.
_STALL_ROUNDS = 3
_LEAST_GAIN = 1e-6
_MOST_ROUNDS = 100
# Up to these odds (epsilon 11.5) the solver's tolerance is fine enough for the rarest outputs.
LARGEST_ODDS = 10**5
# Multipliers of E[y²] below this are solver noise and count as 0.
NEGLIGIBLE = 1e-9


class ProgramError(RuntimeError):
    """The solver found no solution, which cannot happen for a feasible program."""


@dataclass(frozen=True)
class Duals:
    """The multipliers of all nodes, for E[y²] (they add up to 1), the sum and the mean, and their objective."""

    square: Floats
    total: Floats
    mean: Floats
    value: float

    def residuals(self, outputs: Floats) -> Floats:
        """Return r_x(y), one row for each output, one column for each node."""
        y = outputs[:, np.newaxis]
        return self.square * y * y - self.total - self.mean * y

    def mixed(self, other: "Duals") -> "Duals":
        """Return the average of these multipliers and others."""
        return Duals(
            (self.square + other.square) / 2,
            (self.total + other.total) / 2,
            (self.mean + other.mean) / 2,
            (self.value + other.value) / 2,
        )


@dataclass(frozen=True)
class Columns:
    """Two-level columns: for each its output, and the nodes on which it is high."""

    outputs: Floats
    patterns: Flags

    def joined(self, other: "Columns") -> "Columns":
        """Return these columns and the others, without duplicates."""
        outputs = np.concatenate((self.outputs, other.outputs))
        patterns = np.concatenate((self.patterns, other.patterns))
        _, first = np.unique(np.column_stack((outputs, patterns)), axis=0, return_index=True)
        return Columns(outputs, patterns).chosen(np.sort(first))

    def chosen(self, which: NDArray[np.intp] | Flags) -> "Columns":
        """Return some of the columns."""
        return Columns(self.outputs[which], self.patterns[which])


@dataclass(frozen=True)
class Solution:
    """The weights of columns and of their mirror images, the worst variance, and the best duals found."""

    columns: Columns
    weights: Floats
    variance: float
    duals: Duals


@dataclass(frozen=True, eq=False)
class Program:
    """One program: the nodes (inputs with a row of their own) and the places where the variance counts."""

    odds: float
    nodes: Floats
    places: Floats

    def solve(self, outputs: Floats, *, free: bool = False) -> Solution:
        """Return the best channel on these outputs y ≥ 0 and their negatives; if free, on all real outputs."""
        columns, best, bound, history = self._first_columns(outputs), None, -np.inf, []
        for _ in range(_MOST_ROUNDS):
            solution = self._best_of(columns)
            history.append(solution.variance)
            for duals in _candidates(solution.duals, best):
                searched = np.concatenate((outputs, self.turning_points(duals))) if free else outputs
                gains, offer = self._price(duals, searched)
                # A dual bound of the program: the weights add up to at most E.
                value = duals.value + self.odds * min(0.0, float(gains.min()))
                if value > bound:
                    best, bound = duals, value
                columns = columns.joined(offer.chosen(gains < 0))
            if solution.variance - bound <= _LARGEST_GAP * solution.variance or _has_stalled(history):
                break
        return Solution(solution.columns, solution.weights, solution.variance, best or solution.duals)

    def least_gain(self, duals: Duals) -> float:
        """Return the least E·g(y) over all real outputs y."""
        gains, _ = self._price(duals, self.turning_points(duals))
        return self.odds * float(gains.min())

    def turning_points(self, duals: Duals) -> Floats:
        """Return the outputs y ≥ 0 where g can be least: it is quadratic and convex between the roots of all r_x."""
        a, b, c = duals.square, -duals.mean, -duals.total
        root = np.sqrt(np.maximum(b * b - 4 * a * c, 0))
        curved = a > NEGLIGIBLE
        steep = np.where(curved, 2 * a, 1)
        line = np.where(b != 0, -c / np.where(b != 0, b, 1), 0)
        roots = np.where(curved, [(-b - root) / steep, (-b + root) / steep], line).ravel()
        ends = np.unique(np.concatenate(([0.0], roots[roots > 0])))
        inner = np.append((ends[1:] + ends[:-1]) / 2, ends[-1] + 1)
        levels = np.where(duals.residuals(inner) < 0, 1.0, 1 / self.odds)
        lowest = -(levels @ b) / np.maximum(2 * (levels @ a), np.finfo(float).tiny)
        return np.concatenate((ends, np.clip(lowest, ends, np.append(ends[1:], np.inf))))

    def _price(self, duals: Duals, outputs: Floats) -> tuple[Floats, Columns]:
        residuals = duals.residuals(outputs)
        patterns = residuals < 0
        return np.where(patterns, residuals, residuals / self.odds).sum(axis=1), Columns(outputs, patterns)

    def _first_columns(self, outputs: Floats) -> Columns:
        """Return thresholds and windows around each output: a feasible start, since Duchi's channel is among them."""
        size = len(self.nodes)
        place, centres = np.arange(size), np.searchsorted(self.nodes, outputs).clip(0, size - 1)
        thresholds = place >= place[:, np.newaxis]
        reaches = np.array([0, 1, 2, 4, 8, 16])[:, np.newaxis]
        windows = [np.abs(place - centre) <= reaches for centre in centres]
        patterns = [np.concatenate((thresholds, window)) for window in windows]
        every = Columns(np.repeat(outputs, [len(some) for some in patterns]), np.concatenate(patterns))
        return every.joined(every.chosen(np.zeros(0, dtype=np.intp)))

    def _best_of(self, columns: Columns) -> Solution:
        """Solve the program on these columns alone."""
        fold = _fold(self.places, self.nodes)
        upper = slice(len(self.nodes) // 2, None)
        odd = len(self.nodes) % 2
        y = columns.outputs[:, np.newaxis]
        high = np.where(columns.patterns, 1.0, 1 / self.odds)
        # A column and its mirror image, half of the weight each; the middle node's mean is then always 0.
        total = ((high + high[:, ::-1]) / 2)[:, upper]
        mean = (y * (high - high[:, ::-1]) / 2)[:, upper][:, odd:]
        square = fold @ (y * y * total).T
        x = self.nodes[upper]
        optimum = optimize.linprog(
            np.append(np.zeros(len(y)), 1.0),
            A_ub=np.column_stack((square, -np.ones(len(square)))),
            b_ub=self.places**2,
            A_eq=np.column_stack((np.column_stack((total, mean)).T, np.zeros(2 * len(x) - odd))),
            b_eq=np.concatenate((np.ones(len(x)), x[odd:])),
            method="highs",
        )
        if optimum.status != 0 or optimum.x is None:
            raise ProgramError(f"the linear program of a channel has no solution: {optimum.message}")
        equal, below = optimum.eqlin.marginals, -optimum.ineqlin.marginals
        duals = Duals(
            _mirrored(np.maximum(fold.T @ below, 0), 1, odd),
            _mirrored(equal[: len(x)], 1, odd),
            _mirrored(np.concatenate((np.zeros(odd), equal[len(x) :])), -1, odd),
            float(equal[: len(x)].sum() + equal[len(x) :] @ x[odd:] - below @ self.places**2),
        )
        return Solution(columns, optimum.x[:-1], float(optimum.x[-1]), duals)


def mirrored_points(inputs: int, most: int) -> tuple[int, ...]:
    """Return all points, or about `most` of them, evenly spaced and symmetric about the middle."""
    if inputs <= most:
        return tuple(range(inputs))
    half = [round(place) for place in np.linspace(0, (inputs - 1) / 2, (most + 1) // 2).tolist()]
    return tuple(sorted({*half, *(inputs - 1 - place for place in half)}))


def on_unit_range(points: tuple[int, ...]) -> Floats:
    """Return the points, of which the first is 0, on [−1, 1]."""
    return 2 * np.array(points, dtype=np.float64) / points[-1] - 1


def _has_stalled(history: list[float]) -> bool:
    return len(history) > _STALL_ROUNDS and history[-1 - _STALL_ROUNDS] - history[-1] <= _LEAST_GAIN * history[-1]


def _candidates(duals: Duals, best: Duals | None) -> tuple[Duals, ...]:
    # Averaged with the best multipliers so far, prices oscillate less: far fewer rounds.
    return (duals,) if best is None else (duals, duals.mixed(best))


def _fold(places: Floats, nodes: Floats) -> Floats:
    """Return the matrix that maps E[y²] at the upper nodes to E[y²] at the places."""
    # Between two nodes a device chooses one of them at random, so E[y²] is linear there.
    interpolation = np.array([np.interp(places, nodes, row) for row in np.eye(len(nodes))]).T
    folded: Floats = interpolation + interpolation[:, ::-1]
    if len(nodes) % 2:
        folded[:, len(nodes) // 2] /= 2
    return folded[:, len(nodes) // 2 :]


def _mirrored(upper: Floats, sign: int, odd: int) -> Floats:
    """Return the multipliers of all nodes from those of the upper half, which are for both halves."""
    halves = upper / 2
    if not odd:
        return np.concatenate((sign * halves[::-1], halves))
    return np.concatenate((sign * halves[:0:-1], [upper[0]], halves[1:]))
