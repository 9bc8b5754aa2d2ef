"""Results as the pages and the API ask for them: computed once for the same counters and options.

Counters change rarely, a page shows several levels, and researchers reload. The law here: figures are those of
`results.py`, to the digit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Sequence
from functools import partial
from typing import Any

from hushpoll_server.collect.tally import Counts, Crossed, joint_name
from hushpoll_server.estimate import CrossResult, Result
from hushpoll_server.estimate.distribution import DistributionResult, Fit, fit_distribution
from hushpoll_server.estimate.distribution_em import SquareWave
from hushpoll_server.memory import Memory
from hushpoll_server.results import QuestionResult, Results, cross_results_of, result_of
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.questions import Question

# In each process that serves: enough for the page of a codebook of 100,000 options.
MOST_BYTES = 128_000_000
# A cell or a bin with its figures, as measured, and what every result has besides.
_BYTES_OF_A_CELL, _BYTES_OF_A_RESULT = 350, 2_000


class RememberedResults:
    """The results of all surveys that were looked at lately."""

    def __init__(self, *, most_bytes: int = MOST_BYTES) -> None:
        """Keep results of at most about so many bytes."""
        self.memory = Memory(most_bytes=most_bytes)

    def results_of(self, manifest: Manifest, counts: Counts, *, level: float = 0.95, **options: Any) -> Results:
        """Return what `results.results_of` returns."""
        return self.graded_results_of(manifest, counts, [level], **options)[level]

    def graded_results_of(
        self, manifest: Manifest, counts: Counts, levels: Iterable[float], **options: Any
    ) -> dict[float, Results]:
        """Return the results at each of some levels."""
        apart = _by_question(counts)
        asked = [(question, apart.get(question.id, Counts())) for question in manifest.questions]
        counted = [(manifest.id, question.id, _digest(counters)) for question, counters in asked]
        return {
            level: {
                question.id: self._result(key, question, counters, manifest.population, options | {"level": level})
                for key, (question, counters) in zip(counted, asked, strict=True)
            }
            for level in levels
        }

    def cross_results_of(
        self, manifest: Manifest, counts: Counts, crossed: Sequence[Crossed], **options: Any
    ) -> tuple[CrossResult, ...]:
        """Return what `results.cross_results_of` returns."""
        apart = _by_question(counts) if crossed else {}
        return tuple(self._cross_result(manifest, pair, apart, options) for pair in crossed)

    def _result(
        self, counted: Hashable, question: Question, counts: Counts, population: int | None, options: dict[str, Any]
    ) -> QuestionResult:
        compute = partial(result_of, question, counts, population, fit=partial(self._fit, counted), **options)
        return self.memory.recall((counted, _spelled(options)), compute, _size)

    def _fit(self, counted: Hashable, histogram: Sequence[int], wave: SquareWave) -> Fit | None:
        compute = partial(fit_distribution, histogram, wave)
        return self.memory.recall((counted, "fit"), compute, lambda fit: fit.errors.nbytes if fit else 0)

    def _cross_result(
        self, manifest: Manifest, pair: Crossed, apart: dict[str, Counts], options: dict[str, Any]
    ) -> CrossResult:
        counts = Counts()
        for name in (*pair, joint_name(*pair)):
            counts |= apart.get(name, Counts())
        compute = partial(_cross, manifest, pair, counts, options)
        return self.memory.recall((manifest.id, pair, _digest(counts), _spelled(options)), compute, _size)


def _cross(manifest: Manifest, pair: Crossed, counts: Counts, options: dict[str, Any]) -> CrossResult:
    [table] = cross_results_of(manifest, counts, [pair], **options)
    return table


def _by_question(counts: Counts) -> dict[str, Counts]:
    apart: dict[str, Counts] = {}
    for key, count in counts.items():
        apart.setdefault(key[0], Counts())[key] = count
    return apart


def _digest(counts: Counts) -> bytes:
    """Return what stands for the exact counters, however many there are."""
    return hashlib.sha256(repr(sorted(counts.items())).encode()).digest()


def _spelled(options: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(options.items()))


def _size(result: QuestionResult | CrossResult) -> int:
    if isinstance(result, DistributionResult):
        return _BYTES_OF_A_RESULT + _BYTES_OF_A_CELL * len(result.bins)
    cells = len(result.cells) if isinstance(result, Result | CrossResult) else 0
    return _BYTES_OF_A_RESULT + _BYTES_OF_A_CELL * cells
