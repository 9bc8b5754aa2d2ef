"""One question in all groups of a public dimension: the figures of each group, and how any two differ.

Shares are compared answer by answer, means as means. The rule here: groups are different people, so their figures are
independent; p-values are adjusted for all differences of the question together; a group with too few reports is named
and nothing more.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

from hushpoll_server.analysis.groups import GroupWithheld, dimension_of, shown_counts
from hushpoll_server.analysis.results import estimand_of, result_of
from hushpoll_server.counting.tally import NO_COUNTERS, GroupedCounts, tally_groups
from hushpoll_server.estimate.combine import Combined
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.estimands import Estimand, QuestionResult
from hushpoll_server.estimate.groups.comparison import compare_results, level_of_differences
from hushpoll_server.estimate.groups.mean_differences import difference_of_means
from hushpoll_server.estimate.groups.multiple_tests import adjusted
from hushpoll_server.estimate.manipulation import Band
from hushpoll_server.estimate.numbers.distribution import DistributionResult
from hushpoll_server.estimate.numbers.means import MeanResult
from hushpoll_server.estimate.options import DEFAULT, Options
from hushpoll_server.estimate.results import Json, Result
from hushpoll_server.estimate.tables.crosstable import Independence
from hushpoll_shared.groups import Label
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.questions import Question
from hushpoll_shared.report import Report

# What a difference of means is called where others have the name of an answer.
MEAN = "mean"
# More cannot be read, and take seconds.
MOST_DIFFERENCES = 3000
NO_LIMITS = "The mean has no limits yet in {names}: it is in no comparison. Collect more reports."
WITHHELD = "Fewer than {smallest:,} reports in {names}: too few to show anything, so they do not count here."


@dataclass(frozen=True, kw_only=True)
class GroupFigures:
    """The figures of one group; None if it has too few reports."""

    name: str
    text: str
    result: QuestionResult | None

    def to_json(self) -> Json:
        """Return its name and the question object of `hushpoll estimate`."""
        figures = {} if self.result is None else self.result.to_json()
        return {"name": self.name, "text": self.text, "withheld": self.result is None, **figures}


@dataclass(frozen=True, kw_only=True)
class GroupDifference:
    """How much larger a figure is in the first group than in the second, and how many times, if that can be said."""

    cell: str
    first: str
    second: str
    difference: Combined
    adjusted_p_value: float
    ratio: Combined | None = None
    band: Band | None = None

    def to_json(self) -> Json:
        """Return the figures by the names of `hushpoll compare`."""
        about = {"cell": self.cell, "first": self.first, "second": self.second}
        ratio = None if self.ratio is None else self.ratio.to_json()
        band = {} if self.band is None else {"band": self.band.to_json()}
        figures = {**self.difference.to_json(), "adjusted_p_value": self.adjusted_p_value}
        return {**about, **figures, "ratio": ratio, **band}


@dataclass(frozen=True, kw_only=True)
class QuestionComparison:
    """One question by groups: their figures, all differences, and for each answer a test that all shares are equal."""

    question: str
    by: str
    groups: tuple[GroupFigures, ...]
    differences: tuple[GroupDifference, ...]
    overall: dict[str, Independence | None]
    adjustment: str
    level: float
    coverage: str = "pointwise"
    warnings: tuple[str, ...] = ()

    def to_json(self) -> Json:
        """Return what the API and `hushpoll compare --manifest --json` write."""
        return {
            "question": self.question,
            "by": self.by,
            "level": self.level,
            "coverage": self.coverage,
            "groups": [group.to_json() for group in self.groups],
            "differences": [difference.to_json() for difference in self.differences],
            "overall": {cell: None if test is None else test.to_json() for cell, test in self.overall.items()},
            "adjustment": self.adjustment,
            "standard_errors": "plug-in",
            "warnings": list(self.warnings),
        }


def compare_by_group(
    manifest: Manifest,
    reports: Iterable[Report],
    question: str,
    dimension: str,
    *,
    labels: Iterable[str] = (),
    adjustment: str = "holm",
    options: Options = DEFAULT,
) -> QuestionComparison:
    """Compare a question between the groups of a dimension, from the reports of a survey."""
    grouped = tally_groups(manifest, reports)
    return compare_grouped_counts(
        manifest, grouped, question, dimension, labels=labels, adjustment=adjustment, options=options
    )


def compare_grouped_counts(
    manifest: Manifest,
    grouped: GroupedCounts,
    question: str,
    dimension: str,
    *,
    labels: Iterable[str] = (),
    adjustment: str = "holm",
    options: Options = DEFAULT,
) -> QuestionComparison:
    """Compare a question between the groups of a dimension, from counters; with labels, only among their reports."""
    others, asked = tuple(labels), question_of(manifest, question)
    estimands = _estimands(manifest, grouped, asked, dimension, others)
    groups = _figures(estimands, options)
    known = {label.id: each for label, each in estimands.items() if each is not None}
    _check_size(asked, len(known))
    level_of_differences(options, len(known))
    differences, overall, doubts = _compare(known, adjustment, options)
    return QuestionComparison(
        question=question,
        by=dimension,
        groups=groups,
        differences=differences,
        overall=overall,
        adjustment=adjustment,
        level=options.level,
        coverage=options.coverage,
        warnings=(*_withheld(manifest, groups), *doubts),
    )


def _check_size(question: Question, groups: int) -> None:
    differences = max(1, len(question.type.estimated_cells)) * math.comb(groups, 2)
    if differences > MOST_DIFFERENCES:
        raise EstimateError(
            f"this comparison has {differences:,} differences, more than {MOST_DIFFERENCES:,}: compare a question with "
            "fewer answers, or groups of a smaller dimension"
        )


def graded_by_group(
    manifest: Manifest,
    grouped: GroupedCounts,
    question: str,
    dimension: str,
    *,
    labels: Iterable[str] = (),
    levels: Iterable[float],
    options: Options = DEFAULT,
) -> dict[float, tuple[GroupFigures, ...]]:
    """Return the figures of each group at each of several confidence levels, to draw graded intervals."""
    estimands = _estimands(manifest, grouped, question_of(manifest, question), dimension, tuple(labels))
    return {level: _figures(estimands, replace(options, level=level)) for level in levels}


def _estimands(
    manifest: Manifest, grouped: GroupedCounts, question: Question, dimension: str, labels: tuple[str, ...]
) -> dict[Label, Estimand | None]:
    return {
        label: _estimand(manifest, grouped, question, (label.id, *labels))
        for label in dimension_of(manifest, dimension).labels
    }


def _figures(estimands: Mapping[Label, Estimand | None], options: Options) -> tuple[GroupFigures, ...]:
    # The declared population is that of all groups together.
    return tuple(
        GroupFigures(name=label.id, text=label.text, result=None if each is None else result_of(each, options))
        for label, each in estimands.items()
    )


def question_of(manifest: Manifest, name: str) -> Question:
    """Return a question by its id."""
    questions = {question.id: question for question in manifest.questions}
    if name not in questions:
        raise EstimateError(f"there is no question {name!r}: name one of {', '.join(questions)}")
    return questions[name]


def _estimand(manifest: Manifest, grouped: GroupedCounts, question: Question, labels: Sequence[str]) -> Estimand | None:
    """Return what the reports of a group estimate; None if it has too few."""
    try:
        counts = shown_counts(manifest, grouped, labels)
    except GroupWithheld:
        return None
    return estimand_of(question, counts.get(question.id, NO_COUNTERS))


Compared = tuple[tuple[GroupDifference, ...], dict[str, Independence | None], tuple[str, ...]]


def _compare(known: Mapping[str, Estimand], adjustment: str, options: Options) -> Compared:
    results = {name: estimand.estimate(options) for name, estimand in known.items()}
    shares = [(name, result) for name, result in results.items() if isinstance(result, Result)]
    if len(shares) == len(results):
        return _compare_shares(shares, adjustment, options)
    return _compare_means(known, adjustment, options)


def _compare_means(known: Mapping[str, Estimand], adjustment: str, options: Options) -> Compared:
    level = level_of_differences(options, len(known))
    every = [(name, _mean(each.estimate(Options(level=level, method=options.method)))) for name, each in known.items()]
    means = [(name, result) for name, result in every if None not in (result.mean.low, result.mean.high)]
    without = [name for name, _ in every if name not in dict(means)]
    pairs = [(one, other, difference_of_means(x, y)) for (one, x), (other, y) in combinations(means, 2)]
    p_values = adjusted([figure.p_value or 0.0 for _, _, figure in pairs], adjustment)
    differences = tuple(
        GroupDifference(cell=MEAN, first=one, second=other, difference=figure, adjusted_p_value=float(p_value))
        for (one, other, figure), p_value in zip(pairs, p_values, strict=True)
    )
    return differences, {}, (NO_LIMITS.format(names=", ".join(without)),) if without else ()


def _mean(result: QuestionResult) -> MeanResult:
    mean = result.mean if isinstance(result, DistributionResult) else result
    assert isinstance(mean, MeanResult), "what has no shares has a mean"
    return mean


def _compare_shares(shares: Sequence[tuple[str, Result]], adjustment: str, options: Options) -> Compared:
    cells = [cell.name for cell in shares[0][1].cells] if len(shares) > 1 else []
    compare = partial(compare_results, adjustment=adjustment, options=replace(options, families=max(1, len(cells))))
    by_cell = {cell: compare([_only(result, cell, name) for name, result in shares]) for cell in cells}
    found = [(cell, each) for cell, comparison in by_cell.items() for each in comparison.differences]
    p_values = adjusted([each.difference.p_value or 0.0 for _, each in found], adjustment)
    differences = tuple(
        GroupDifference(
            cell=cell,
            first=each.first,
            second=each.second,
            difference=each.difference,
            adjusted_p_value=float(p_value),
            ratio=each.ratio,
            band=each.band,
        )
        for (cell, each), p_value in zip(found, p_values, strict=True)
    )
    doubts = dict.fromkeys(doubt for comparison in by_cell.values() for doubt in comparison.warnings)
    return differences, {cell: comparison.overall for cell, comparison in by_cell.items()}, tuple(doubts)


def _only(result: Result, cell: str, group: str) -> Result:
    """Return a result with one of its cells, called by the group's name."""
    return replace(result, cells=(replace(result.cells[result.place(cell)], name=group),), warnings=())


def _withheld(manifest: Manifest, groups: Sequence[GroupFigures]) -> tuple[str, ...]:
    names = [group.name for group in groups if group.result is None]
    smallest = manifest.groups.smallest if manifest.groups else 0
    return (WITHHELD.format(smallest=smallest, names=", ".join(names)),) if names else ()
