"""Raking: weights that give several public variables the shares they have in the population.

Iterative proportional fitting multiplies the weights of each label until its share is right, variable after variable,
and again until all are. Among all weights with these margins the result is nearest to the starting weights in the sense
of Kullback and Leibler. The rule here: weights are returned only if every margin holds; margins that the rows cannot
have are refused, with the labels at fault.

References: W. E. Deming, F. F. Stephan (1940), Annals of Mathematical Statistics 11; C. T. Ireland, S. Kullback (1968),
Biometrika 55; L. M. Bregman (1967), USSR Computational Mathematics 7 (trimming as a projection in turn).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.results import Json
from hushpoll_server.estimate.support import Figures
from hushpoll_server.estimate.weighting.population_shares import Share, read_shares
from hushpoll_server.estimate.weighting.weights import Weights

Margins = Mapping[str, Mapping[str, Share]]

# The margins hold if each share is met this closely.
TOLERANCE = 1e-9
# Raking that converges does so in tens of rounds; empty combinations of labels can make it slow.
_ROUNDS = 2000


@dataclass(frozen=True, kw_only=True, eq=False)
class Raked:
    """Weights with mean 1 that meet all margins, and the label of each row in each variable."""

    weights: Figures
    codes: Mapping[str, NDArray[np.intp]]
    labels: Mapping[str, tuple[str, ...]]
    rounds: int
    largest_gap: float
    trimmed: int

    @property
    def kish_n(self) -> float:
        """Return Kish's effective number of reports."""
        return Weights.of(self.weights, np.ones(self.weights.size, np.int64)).kish

    def to_json(self) -> Json:
        """Return how raking went, without the weights of the rows."""
        return {
            "rounds": self.rounds,
            "largest_gap": self.largest_gap,
            "trimmed": self.trimmed,
            "least_weight": float(self.weights.min()),
            "largest_weight": float(self.weights.max()),
        }


@dataclass(frozen=True, eq=False)
class _Margin:
    """One variable: the label of each row as a number, and the population's share of each label."""

    codes: NDArray[np.intp]
    shares: Figures

    def scaled(self, weights: Figures) -> Figures:
        """Return weights that meet this margin, with mean 1."""
        sums = np.bincount(self.codes, weights, minlength=self.shares.size)
        return np.asarray(weights * (self.shares * weights.size / sums)[self.codes])

    def gap(self, weights: Figures) -> float:
        """Return by how much the worst label misses its share."""
        sums = np.bincount(self.codes, weights, minlength=self.shares.size)
        return float(np.abs(sums / sums.sum() - self.shares).max())


def rake(
    margins: Margins,
    rows: Mapping[str, Sequence[str]],
    *,
    start: ArrayLike | None = None,
    largest: float | None = None,
) -> Raked:
    """Return weights for rows of public labels that give every variable its margin.

    `start` are weights to start from, such as those of the sampling. `largest` is the largest weight allowed, as a
    multiple of the mean weight.
    """
    codes, labels, known = _read(margins, rows)
    n = known[0].codes.size
    begin = Weights.of(np.ones(n) if start is None else start, np.ones(n, np.int64)).values
    if largest is not None and not 1 <= largest < math.inf:
        raise EstimateError("the largest weight is not 1 or more: give a multiple of the mean weight, such as 5")
    weights, rounds, capped = _fit(begin * n / begin.sum(), known, largest)
    gap = max(margin.gap(weights) for margin in known)
    if gap > TOLERANCE or (largest is not None and weights.max() > largest * (1 + TOLERANCE)):
        raise _impossible(largest)
    return Raked(weights=weights, codes=codes, labels=labels, rounds=rounds, largest_gap=gap, trimmed=capped)


def _fit(weights: Figures, margins: Sequence[_Margin], largest: float | None) -> tuple[Figures, int, int]:
    """Return fitted weights, the number of rounds, and how many weights are at the largest allowed."""
    cap = math.inf if largest is None else largest
    for rounds in range(1, _ROUNDS + 1):
        for margin in margins:
            weights = margin.scaled(np.minimum(weights, cap))
        fits = max(margin.gap(weights) for margin in margins) <= TOLERANCE / 10
        if fits and weights.max() <= cap * (1 + TOLERANCE / 10):
            return weights, rounds, int((weights >= cap * (1 - 1e-6)).sum())
    return weights, _ROUNDS, 0


def _read(
    margins: Margins, rows: Mapping[str, Sequence[str]]
) -> tuple[dict[str, NDArray[np.intp]], dict[str, tuple[str, ...]], list[_Margin]]:
    if not margins or margins.keys() != rows.keys():
        raise EstimateError("the margins and the rows do not have the same variables: give both for each")
    sizes = {len(column) for column in rows.values()}
    if len(sizes) > 1 or sizes == {0}:
        raise EstimateError("the variables do not have one label for each report: give as many labels as reports")
    shares = {name: read_shares(margin, f"labels of {name}") for name, margin in margins.items()}
    codes = {name: _codes(name, rows[name], list(margin)) for name, margin in shares.items()}
    for name, margin in shares.items():
        _check_possible(name, codes[name], list(margin), np.array([float(share) for share in margin.values()]))
    known = [_Margin(codes[name], np.array([float(share) for share in shares[name].values()])) for name in margins]
    return codes, {name: tuple(margin) for name, margin in shares.items()}, known


def _codes(name: str, column: Sequence[str], labels: list[str]) -> NDArray[np.intp]:
    places = {label: place for place, label in enumerate(labels)}
    codes = np.array([places.get(label, -1) for label in column], np.intp)
    if (codes < 0).any():
        # The label is not repeated: a column named by mistake could hold answers.
        raise EstimateError(
            f"the margin of {name} has no share of the label in row {int(codes.argmin()) + 1}: give the share of every "
            "label that the rows have"
        )
    return codes


def _check_possible(name: str, codes: NDArray[np.intp], labels: list[str], shares: Figures) -> None:
    counts = np.bincount(codes, minlength=len(labels))
    empty = [labels[place] for place in np.flatnonzero((counts == 0) & (shares > 0))]
    if empty:
        raise EstimateError(
            f"no row has {', '.join(empty)} in {name}, which the population has: join such a label with a similar one"
        )
    nobody = [labels[place] for place in np.flatnonzero((counts > 0) & (shares == 0))]
    if nobody:
        raise EstimateError(
            f"the population has nobody with {', '.join(nobody)} in {name}, but rows do: leave those rows out"
        )


def _impossible(largest: float | None) -> EstimateError:
    if largest is not None:
        return EstimateError(
            f"no weights up to {largest:g} times their mean meet all margins: allow larger ones, or join small labels"
        )
    return EstimateError(
        "no weights meet all margins at once, because some combinations of labels have no rows: join small labels, or "
        "leave a variable out"
    )
