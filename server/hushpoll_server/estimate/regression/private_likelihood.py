"""The likelihood of an outcome and of the draws of randomized covariates together, and its top.

With x the public covariates of a row, z the answers to the randomized ones, y the outcome's report and d the draws:

    L = Σ_z P(z | x) P(d | z) P(y | x, z)          P(y = 1 | x, z) = q + (p - q) expit(xᵀb + zᵀc)

P(z | x) is a multinomial logit in some of the public covariates, with coefficients γ for each combination z but the
first; with none of them z does not depend on x, and with one that is a label its distribution is free for each label.
The second derivatives are those of the complete data less what is not known about z (Louis 1982). The rule here: as
without randomized covariates, several starts, and a top counts only if its score is zero on the scale of its own
errors.

References: T. A. Louis (1982), Finding the observed information matrix when using the EM algorithm, JRSS B 44; A. van
den Hout, P. G. M. van der Heijden (2002), Randomized response, statistical disclosure control and misclassification: a
review, International Statistical Review 70.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from hushpoll_server.estimate.regression.fisher_scoring import Top
from hushpoll_server.estimate.regression.randomized_outcome import RandomizedOutcome
from hushpoll_server.estimate.support import Figures

MOST_STEPS = 200
# The distance to the top, in standard errors, at which a climb ends: √(sᵀ I⁻¹ s).
_NEAR = 1e-8
_LONGEST_STEP = 2.0
_MOST_HALVINGS = 40
# Beyond this variance in some direction a climb has left the data behind.
_FLAT = 1e6
# Where rounding hides a higher point, the top is no further than this many standard errors.
_ROUNDING = 1e-5
_AS_HIGH = 1e-7


@dataclass(frozen=True, eq=False)
class PrivateLikelihood:
    """The outcome, the public columns, the columns of every combination z, P(d | z), and what z depends on."""

    outcome: RandomizedOutcome
    public: Figures
    columns: Figures
    chances: Figures
    depends: Figures

    @cached_property
    def slopes(self) -> int:
        """Return the number of coefficients of the outcome: the first of all parameters."""
        return int(self.public.shape[1] + self.columns.shape[1])

    @property
    def parameters(self) -> int:
        """Return the number of all parameters."""
        return self.slopes + (len(self.columns) - 1) * int(self.depends.shape[1])

    def log_shares(self, parameters: Figures) -> Figures:
        """Return log P(z | x) for each row and combination."""
        logits = self.depends @ parameters[self.slopes :].reshape(len(self.columns) - 1, -1).T
        return np.asarray(special.log_softmax(np.hstack([np.zeros((len(logits), 1)), logits]), axis=1))

    def log_likelihood(self, parameters: Figures) -> float:
        """Return the logarithm of the probability of all reports and draws."""
        return float(self.outcome.times @ special.logsumexp(self._terms(parameters), axis=1))

    def derivatives(self, parameters: Figures) -> tuple[Figures, Figures]:
        """Return the score of each row's reports, and the observed information of all reports."""
        terms = self._terms(parameters)
        # τ = P(z | x, y, d)
        weights = np.exp(terms - special.logsumexp(terms, axis=1, keepdims=True))
        shares = np.exp(self.log_shares(parameters))
        scores: Figures = np.zeros((len(terms), self.parameters))
        information = self._share_information(shares)
        predictors = self._predictors(parameters)
        for place, (rows, predictor) in enumerate(zip(self._rows, predictors.T, strict=True)):
            weight = weights[:, place]
            score = np.hstack([self.outcome.slopes(predictor)[:, np.newaxis] * rows, self._share_scores(shares, place)])
            scores += weight[:, np.newaxis] * score
            often = self.outcome.times * weight
            information[: self.slopes, : self.slopes] += (rows.T * (often * self.outcome.observed(predictor))) @ rows
            # Louis: what is not known about z is the variance of the complete score.
            information -= (score.T * often) @ score
        return scores, information + (scores.T * self.outcome.times) @ scores

    @cached_property
    def _rows(self) -> list[Figures]:
        """Return the columns of all rows for each combination."""
        n = len(self.public)
        return [np.hstack([self.public, np.broadcast_to(own, (n, len(own)))]) for own in self.columns]

    def _predictors(self, parameters: Figures) -> Figures:
        split = self.public.shape[1]
        common = self.public @ parameters[:split]
        return np.asarray(common[:, np.newaxis] + self.columns @ parameters[split : self.slopes])

    def _terms(self, parameters: Figures) -> Figures:
        predictors = self._predictors(parameters)
        reports = np.stack([self.outcome.chance(each) for each in predictors.T], axis=1)
        # A draw that no answer of a combination gives has the probability 0.
        with np.errstate(divide="ignore"):
            return np.asarray(self.log_shares(parameters) + np.log(self.chances * reports))

    def _share_scores(self, shares: Figures, place: int) -> Figures:
        """Return the score of each row for the parameters of P(z | x), if its combination were this one."""
        # d log P(z)/dγ_k = (1[z = k] - P(k)) w
        others = (np.arange(1, len(self.columns)) == place) - shares[:, 1:]
        return np.asarray((others[:, :, np.newaxis] * self.depends[:, np.newaxis, :]).reshape(len(shares), -1))

    def _share_information(self, shares: Figures) -> Figures:
        information: Figures = np.zeros((self.parameters, self.parameters))
        width = self.depends.shape[1]
        for i in range(1, len(self.columns)):
            for j in range(1, len(self.columns)):
                weight = self.outcome.times * shares[:, i] * ((i == j) - shares[:, j])
                rows = slice(self.slopes + (i - 1) * width, self.slopes + i * width)
                columns = slice(self.slopes + (j - 1) * width, self.slopes + j * width)
                information[rows, columns] = (self.depends.T * weight) @ self.depends
        return information


def highest_of(likelihood: PrivateLikelihood, starts: Iterable[Figures]) -> Top:
    """Return the highest point that climbs from these starts come to."""
    tops = [climb(likelihood, start) for start in starts]
    best = max(top.log_likelihood for top in tops)
    return max((top for top in tops if top.log_likelihood >= best - _AS_HIGH), key=lambda top: top.reached)


def climb(likelihood: PrivateLikelihood, start: Figures) -> Top:
    """Return where Newton's steps from here end, each turned uphill and halved until it is higher."""
    here, height = start, likelihood.log_likelihood(start)
    for _ in range(MOST_STEPS):
        scores, information = likelihood.derivatives(here)
        score: Figures = likelihood.outcome.times @ scores
        values, vectors = np.linalg.eigh(information)
        along = vectors.T @ score
        inside = values[0] * _FLAT > 1
        if inside and along @ (along / values) < _NEAR**2:
            return Top(here, height, reached=True)
        # Where the likelihood is not concave the step goes uphill all the same: |curvature| in place of curvature.
        step = vectors @ (along / np.maximum(np.abs(values), 1e-3))
        step *= min(1.0, _LONGEST_STEP / float(np.abs(step).max()))
        forward = _forward(likelihood, here, height, step)
        if forward is None:
            return Top(here, height, reached=bool(inside and along @ (along / values) < _ROUNDING**2))
        if not inside and forward[1] - height < _AS_HIGH:
            # A plateau: what is left to climb leads to infinity.
            return Top(*forward, reached=False)
        here, height = forward
    return Top(here, height, reached=False)


def _forward(
    likelihood: PrivateLikelihood, here: Figures, height: float, step: Figures
) -> tuple[Figures, float] | None:
    """Return the first higher point of the step, its half, its quarter …, or None if there is none."""
    for halving in range(_MOST_HALVINGS):
        there = here + step / 2**halving
        reached = likelihood.log_likelihood(there)
        if reached > height:
            return there, reached
    return None
