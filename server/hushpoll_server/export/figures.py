"""The figures of a survey that an export is made of: of all reports, of a public group, or of each group in turn.

The rule here: of a group with fewer reports than the survey's smallest there are no figures; where groups are listed,
it is listed without any.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hushpoll_server.analysis.groups import GroupWithheld, dimension_of, groups_of, shown_counts
from hushpoll_server.analysis.results import Results, cross_results_of, results_of
from hushpoll_server.analysis.tables import counted_table
from hushpoll_server.counting.crossed import Crossed
from hushpoll_server.counting.tally import GroupedCounts, SurveyCounts
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.tables.cross_results import CrossResult
from hushpoll_server.estimate.tables.crosstab import Crosstab
from hushpoll_server.estimate.tables.indicators import MOST_CELLS
from hushpoll_server.export.columns import Column, Row
from hushpoll_shared.manifest import Manifest

GROUP_COLUMNS = (
    Column("dimension", "the dimension of public groups, if the row is of one group; several with commas"),
    Column("group", "the label of the group; several, one of each dimension, with commas"),
    Column("group_text", "what people read for the group"),
)


@dataclass(frozen=True, kw_only=True)
class Part:
    """The counters of the reports that have all these labels, of everybody without labels; None if it is withheld."""

    manifest: Manifest
    labels: tuple[str, ...] = ()
    counts: SurveyCounts | None

    @property
    def estimated(self) -> Manifest:
        """Return the manifest to estimate by: how large the population of a group is, is not known."""
        return replace(self.manifest, population=None) if self.labels else self.manifest

    @property
    def group(self) -> Row:
        """Return the columns that name the group."""
        if not self.labels:
            return {}
        groups = groups_of(self.manifest)
        dimensions = [groups.dimension_of(label) for label in self.labels]
        texts = {label.id: label.text for dimension in dimensions for label in dimension.labels}
        return {
            "dimension": ",".join(dimension.id for dimension in dimensions),
            "group": ",".join(self.labels),
            "group_text": ", ".join(texts[label] for label in self.labels),
        }


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What is estimated from a part: None for a group that is withheld."""

    part: Part
    results: Results | None
    tables: tuple[CrossResult, ...] = ()


def parts_of(
    manifest: Manifest, grouped: GroupedCounts, *, labels: Sequence[str] = (), by: str | None = None
) -> tuple[Part, ...]:
    """Return the counters of the reports with these labels, or those of each group of a dimension among them.

    A group that is named and has too few reports is refused; one that is listed is withheld.
    """
    if by is None:
        counts = shown_counts(manifest, grouped, labels)
        return (Part(manifest=manifest, labels=tuple(labels), counts=counts),)
    every = [(label, *labels) for label in dimension_of(manifest, by).ids]
    return tuple(Part(manifest=manifest, labels=each, counts=_counts(manifest, grouped, each)) for each in every)


def figures_of(part: Part, crossed: Sequence[Crossed], options: Options) -> Figures:
    """Estimate every question, and the cross tables that the survey counts."""
    if part.counts is None:
        return Figures(part=part, results=None)
    return Figures(
        part=part,
        results=results_of(part.estimated, part.counts, options),
        tables=cross_results_of(part.estimated, part.counts, crossed, options),
    )


def crosstabs_of(part: Part, crossed: Sequence[Crossed], options: Options) -> tuple[Crosstab, ...]:
    """Return the tables that counters hold: those that the survey declares, and those of its pairs."""
    if part.counts is None:
        return ()
    names = [*crossed, *_pairs(part.manifest)]
    found = (counted_table(part.estimated, part.counts, crossed, pair, options=options) for pair in names)
    return tuple(table for table in found if table is not None)


def _pairs(manifest: Manifest) -> list[Crossed]:
    """Return the parts of every pair whose table is not too large to be tested."""
    pairs = [question.type for question in manifest.questions if question.type.parts]
    parts = [pair.parts for pair in pairs if len(pair.cells) <= MOST_CELLS]
    return [(first.id, second.id) for first, second in parts]


def _counts(manifest: Manifest, grouped: GroupedCounts, labels: Sequence[str]) -> SurveyCounts | None:
    try:
        return shown_counts(manifest, grouped, labels)
    except GroupWithheld:
        return None
