"""Two small designs together: the exact law of pairs of reports, and the cross table of their counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from tests.statistics.laws import Figures, Law

from hushpoll_server.estimate.joint import OneDecides
from hushpoll_server.estimate.tables.cross_separate import CrossCounts, CrossedQuestion


@dataclass(frozen=True, eq=False)
class TwoLaws:
    """The laws of the reports to two questions, drawn independently."""

    first: Law
    second: Law

    def table(self, reports: Figures, population: int | None = None) -> CrossCounts:
        """Return the cross table of counted reports: rows for the first question, columns for the second."""
        sides = (_side("a", self.first, reports.sum(axis=1)), _side("b", self.second, reports.sum(axis=0)))
        both = np.rint(self.first.supports.T @ reports @ self.second.supports).astype(np.int64)
        return CrossCounts(*sides, both, round(reports.sum()), population)

    def chances(self, truths: Figures) -> Figures:
        """Return the chance of every pair of reports for a table of true shares."""
        return np.asarray(self.first.chances.T @ truths @ self.second.chances)

    def expected(self, truths: Figures, n: int, population: int | None = None) -> CrossCounts:
        """Return the table of a survey whose counts are their expectations, which must be integers."""
        reports = n * self.chances(truths)
        assert np.allclose(reports, np.rint(reports), atol=1e-6), "choose n so that every expected count is whole"
        return self.table(np.rint(reports), population)

    def surveys(self, truths: Figures, n: int, times: int, seed: int) -> list[CrossCounts]:
        """Draw surveys of n people."""
        chances = self.chances(truths)
        drawn = np.random.default_rng(seed).multinomial(n, chances.ravel(), size=times)
        return [self.table(reports.reshape(chances.shape)) for reports in drawn]


def _side(name: str, law: Law, reports: Figures) -> CrossedQuestion:
    joint = law.mechanism.joint
    assert isinstance(joint, OneDecides)
    cells = tuple(f"{name}{place}" for place in range(law.supports.shape[1]))
    return CrossedQuestion(name, cells, law.support, joint, np.rint(reports @ law.supports).astype(np.int64))
