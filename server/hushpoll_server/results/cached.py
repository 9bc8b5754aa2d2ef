"""Results for the pages and the API: computed once for the same counters and options.

Counters change rarely, a page shows several levels, and researchers reload. The rule here: figures are those of
`analysis/results.py`, to the digit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from hushpoll_server.analysis.results import Margin, Results, cross_result_of, estimand_of, margin_of, result_of
from hushpoll_server.counting.crossed import Crossed
from hushpoll_server.counting.tally import NO_COUNTERS, SurveyCounts, joint_name
from hushpoll_server.estimate.estimands import Estimand, QuestionResult, SharesEstimand
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.tables.cross_results import CrossResult
from hushpoll_server.mechanisms.mechanism import Counters
from hushpoll_server.web.cache import Cache
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.questions import Question

# The most bytes in each server process: enough for the page of a codebook of 100,000 options.
MOST_BYTES = 128_000_000
# Measured: a cell or a bin with its figures, and what every result has in addition.
_BYTES_PER_FIGURE, _BYTES_PER_RESULT = 350, 2_000

# What determines a figure, together with the options.
Key = tuple[object, ...]


class CachedResults:
    """The results of all surveys that were requested recently."""

    def __init__(self, *, most_bytes: int = MOST_BYTES) -> None:
        """Keep results of at most about this many bytes."""
        self.memory = Cache(most_bytes=most_bytes)

    def results_of(self, manifest: Manifest, counts: SurveyCounts, options: Options) -> Results:
        """Return what `analysis.results.results_of` returns."""
        return self.graded_results_of(manifest, counts, [options.level], options)[options.level]

    def graded_results_of(
        self, manifest: Manifest, counts: SurveyCounts, levels: Iterable[float], options: Options
    ) -> dict[float, Results]:
        """Return the results at each of several confidence levels."""
        graded: dict[float, Results] = {level: {} for level in levels}
        for question in manifest.questions:
            counters = counts.get(question.id, NO_COUNTERS)
            # The estimand is computed once for all levels.
            key = _key(manifest, question, counters)
            estimand = partial(self._estimand, key, question, counters)
            for level, results in graded.items():
                at_level = replace(options, level=level, population=manifest.population)
                results[question.id] = self._result(key, estimand, at_level)
        return graded

    def cross_results_of(
        self, manifest: Manifest, counts: SurveyCounts, crossed: Sequence[Crossed], options: Options
    ) -> tuple[CrossResult, ...]:
        """Return what `analysis.results.cross_results_of` returns."""
        within = replace(options, population=manifest.population)
        return tuple(self._cross_result(manifest, counts, pair, within) for pair in crossed)

    def key_of_reports(self, manifest: Manifest, counts: SurveyCounts, key: Key) -> Key:
        """Return the key of what is read from the reports behind these counters."""
        every = {f"{question}:{name}": n for question in counts for name, n in counts[question].items()}
        return manifest.id, _digest(every), *key

    def _estimand(self, key: Key, question: Question, counters: Counters) -> Estimand:
        compute = partial(estimand_of, question, counters)
        return self.memory.recall((*key, "estimand"), compute, lambda estimand: estimand.size)

    def _result(self, key: Key, estimand: Callable[[], Estimand], options: Options) -> QuestionResult:
        return self.memory.recall((*key, options), lambda: result_of(estimand(), options), _size)

    def _cross_result(self, manifest: Manifest, counts: SurveyCounts, pair: Crossed, options: Options) -> CrossResult:
        digests = [_digest(counts.get(name, NO_COUNTERS)) for name in (*pair, joint_name(*pair))]
        compute = partial(self._cross, manifest, counts, pair, options)
        return self.memory.recall((manifest.id, pair, *digests, options), compute, _size)

    def _cross(self, manifest: Manifest, counts: SurveyCounts, pair: Crossed, options: Options) -> CrossResult:
        questions = {question.id: question for question in manifest.questions}
        first, second = (
            self._margin(manifest, questions[name], counts.get(name, NO_COUNTERS), options) for name in pair
        )
        return cross_result_of(first, second, counts.get(joint_name(*pair), NO_COUNTERS), options)

    def _margin(self, manifest: Manifest, question: Question, counters: Counters, options: Options) -> Margin:
        key = _key(manifest, question, counters)
        estimand = self._estimand(key, question, counters)

        def estimate(shares: SharesEstimand) -> QuestionResult:
            # Where the question shows every answer anyway, its own figures are the margin.
            return self._result(key if shares is estimand else (*key, "every answer"), lambda: shares, options)

        return margin_of(question.id, estimand, estimate)


def _key(manifest: Manifest, question: Question, counters: Counters) -> Key:
    return manifest.id, question.id, _digest(counters)


def _digest(counters: Counters) -> bytes:
    """Return a short fingerprint of the exact counters, however many there are."""
    return hashlib.sha256(repr(sorted(counters.items())).encode()).digest()


def _size(result: QuestionResult | CrossResult) -> int:
    return _BYTES_PER_RESULT + _BYTES_PER_FIGURE * result.figures
