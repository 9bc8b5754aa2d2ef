"""The reports of public groups: which counters belong to a group, and whether there are enough to show.

The rule here: of a group with fewer reports than the survey's smallest, nothing is shown. That is a courtesy to the
group, not what protects answers: the randomizing does, whoever adds or subtracts counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hushpoll_server.counting.tally import GroupedCounts, SurveyCounts, counts_of, number_of_reports
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_shared.groups import Dimension, Groups
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.report import Report

TOO_FEW = "there are fewer than {smallest:,} reports in {name}, so nothing is shown of it: collect more"


class GroupWithheld(EstimateError):
    """A group with too few reports to show anything of it."""


def groups_of(manifest: Manifest) -> Groups:
    """Return the groups of a survey, or refuse one that has none."""
    if manifest.groups is None:
        raise EstimateError("the survey declares no groups: ask for the figures of all reports")
    return manifest.groups


def dimension_of(manifest: Manifest, name: str) -> Dimension:
    """Return a dimension by its name."""
    dimensions = {dimension.id: dimension for dimension in groups_of(manifest).dimensions}
    if name not in dimensions:
        raise EstimateError(f"there is no dimension {name!r} of groups: name one of {', '.join(dimensions)}")
    return dimensions[name]


def check_shown(manifest: Manifest, n: int, labels: Sequence[str]) -> None:
    """Refuse a group with fewer reports than the survey's smallest."""
    smallest = groups_of(manifest).smallest
    if n < smallest:
        raise GroupWithheld(TOO_FEW.format(name=", ".join(labels), smallest=smallest))


def reports_within(manifest: Manifest, reports: Iterable[Report], labels: Iterable[str]) -> list[Report]:
    """Return the reports that have all these labels; refuse a group with too few of them."""
    codes, wanted = codes_within(manifest, labels), tuple(labels)
    found = [report for report in reports if report.groups in codes]
    check_shown(manifest, len(found), wanted)
    return found


def codes_within(manifest: Manifest, labels: Iterable[str]) -> frozenset[str]:
    """Return the codes of reports that have all these labels."""
    groups, wanted = groups_of(manifest), tuple(labels)
    # Labels that exclude each other, and unknown ones, are refused.
    groups.code(wanted)
    return frozenset(code for code in groups.codes if set(wanted) <= set(groups.labels_of(code).values()))


def counts_within(manifest: Manifest, grouped: GroupedCounts, labels: Iterable[str]) -> SurveyCounts:
    """Return the counters of the reports that have all these labels, however few there are."""
    codes = codes_within(manifest, labels)
    return counts_of(counts for code, counts in grouped.items() if code in codes)


def shown_counts(manifest: Manifest, grouped: GroupedCounts, labels: Iterable[str]) -> SurveyCounts:
    """Return the counters of a group; refuse one with too few reports. Without labels it is everybody."""
    wanted = tuple(labels)
    if not wanted:
        return counts_of(grouped.values())
    counts = counts_within(manifest, grouped, wanted)
    check_shown(manifest, number_of_reports(manifest, counts), wanted)
    return counts
