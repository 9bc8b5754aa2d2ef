"""Draws of the true answers behind the reports, by data augmentation: proper multiple imputation.

Each respondent's answers to the chosen questions are one cell of their joint table. With the shares θ of all cells and
the probability L(draws | cell) of what a respondent sent, two draws take turns:

    cell of each respondent | θ  ∝  θ_cell · L(draws | cell)         θ | cells ~ Dirichlet(prior + counts of the cells)

The chain has the joint posterior of answers and shares as its law. A data set is kept when the chain has forgotten the
last one: its slowest direction forgets as fast as the EM algorithm converges, so the number of steps between two data
sets follows from the design. The rule here: the shares are drawn anew for every data set; filling in all of them from
one estimate would leave out its uncertainty, and intervals would be too short.

References: M. A. Tanner, W. H. Wong (1987), JASA 82; J. L. Schafer (1997), Analysis of Incomplete Multivariate Data;
A. van den Hout, P. G. M. van der Heijden (2002), International Statistical Review 70.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.support import Counts, Figures

Codes = NDArray[np.intp]

# The joint table may have this many cells, and as many pairs of cell and distinct report.
MOST_CELLS, MOST_WEIGHTS = 1000, 2_000_000
# Two data sets may have this correlation, and the first one this many times the steps of the others before it.
_REMEMBERED, _WARM_UP = 0.02, 5
_FEWEST_STEPS, MOST_STEPS = 10, 2000
_EM_STEPS = 200
# Prior respondents in each cell of the joint table: 1 makes all tables equally probable. With less, chains settle in
# tables with empty cells when reports tell little, and associations are overstated: docs/statistics/imputation.md.
PRIOR = 1.0


@dataclass(frozen=True, eq=False)
class Draws:
    """One question: the place of each respondent's draw among the distinct ones, and the weight of each answer for it.

    Row d of `weights` is proportional to the probabilities of draw d for all answers; a question that was not asked
    has a row of equal weights.
    """

    places: Codes
    weights: Figures


@dataclass(frozen=True, eq=False)
class Augmentation:
    """The joint table of some questions: equal reports are drawn together."""

    questions: Sequence[Draws]
    prior: float = PRIOR

    def __post_init__(self) -> None:
        """Refuse tables that are too large to fill or to hold, and priors that are none."""
        if not 0.01 <= self.prior <= 1e6:
            raise EstimateError(f"the prior {self.prior:g} is not between 0.01 and 1000000: give one such as 1")
        if self.size > MOST_CELLS:
            raise EstimateError(
                f"the joint table of these questions has {self.size:,} cells, more than {MOST_CELLS:,}: name fewer "
                "questions, or impute them separately"
            )
        if self.size * len(self.times) > MOST_WEIGHTS:
            raise EstimateError(
                f"{len(self.times):,} different reports with {self.size:,} cells are too many to hold: name fewer "
                "questions"
            )

    @property
    def size(self) -> int:
        """Return the number of cells of the joint table."""
        return math.prod(question.weights.shape[1] for question in self.questions)

    @cached_property
    def _patterns(self) -> tuple[Codes, Codes, Counts]:
        rows = np.stack([question.places for question in self.questions], axis=1)
        distinct, inverse, times = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
        return distinct, inverse.ravel(), times

    @property
    def times(self) -> Counts:
        """Return how often each distinct report occurs."""
        return self._patterns[2]

    @cached_property
    def weights(self) -> Figures:
        """Return L: a row for each distinct report, a column for each cell."""
        joint = np.ones((len(self.times), 1))
        for place, question in enumerate(self.questions):
            rows = question.weights[self._patterns[0][:, place]]
            # Questions are randomized apart, so their likelihoods are multiplied.
            joint = (joint[:, :, np.newaxis] * rows[:, np.newaxis, :]).reshape(len(rows), -1)
        return np.asarray(joint / joint.max(axis=1, keepdims=True, initial=0.0)) if len(joint) else joint

    def data_sets(self, m: int, rng: np.random.Generator) -> Iterator[Codes]:
        """Yield m data sets: the cells of all respondents in the order of the reports."""
        shares = np.full(self.size, 1 / self.size)
        for place in range(m):
            for _ in range(self.steps * (1 if place else _WARM_UP)):
                counts = self._cells(shares, rng)
                shares = rng.dirichlet(self.prior + counts.sum(axis=0))
            yield self._assigned(self._cells(shares, rng), rng)

    def _cells(self, shares: Figures, rng: np.random.Generator) -> Counts:
        """Return how many of the respondents with each distinct report are drawn into each cell."""
        chances = self.weights * shares
        return np.asarray(rng.multinomial(self.times, chances / chances.sum(axis=1, keepdims=True)))

    def _assigned(self, counts: Counts, rng: np.random.Generator) -> Codes:
        """Return a cell for each respondent; those with equal reports share the cells drawn for them at random."""
        inverse = self._patterns[1]
        order = np.lexsort((rng.random(inverse.size), inverse))
        cells = np.empty(inverse.size, np.intp)
        cells[order] = np.repeat(np.tile(np.arange(self.size), len(counts)), counts.ravel())
        return cells

    @cached_property
    def steps(self) -> int:
        """Return how many steps the chain takes from one data set to the next."""
        speed = self._slowest()
        wanted = math.log(_REMEMBERED) / math.log1p(-speed) if speed < 1 else 0
        return int(min(MOST_STEPS, max(_FEWEST_STEPS, math.ceil(wanted))))

    def _slowest(self) -> float:
        """Return the least fraction of information that the reports hold about any contrast of the shares."""
        shares = self._likely()
        mixed = self.weights / (self.weights @ shares)[:, np.newaxis]
        # One step of EM multiplies the distance to its end by 1 - θ ∘ Σ L Lᵀ/(Lθ)²/n, made symmetric by roots of θ.
        held = (mixed * (self.times / max(1, self.times.sum()))[:, np.newaxis]).T @ mixed
        roots = np.sqrt(shares)
        values = np.linalg.eigvalsh(roots[:, np.newaxis] * held * roots)
        return float(np.clip(values[0], 1e-4, 1.0))

    def _likely(self) -> Figures:
        """Return the most likely shares with the prior, by EM."""
        shares, n = np.full(self.size, 1 / self.size), int(self.times.sum())
        for _ in range(_EM_STEPS):
            expected = shares * ((self.times / (self.weights @ shares)) @ self.weights)
            shares = (expected + self.prior) / (n + self.prior * self.size)
        return shares

    def answers(self, cells: Codes) -> list[Codes]:
        """Return the answers to each question of respondents in these cells."""
        return list(np.unravel_index(cells, [question.weights.shape[1] for question in self.questions]))
