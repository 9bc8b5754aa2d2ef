"""Whose figures a page shows: everybody's, or those of the reports with some public labels.

The rule here: of a group below the survey's smallest size a page says that nothing is shown of it, in one sentence;
that is no error. A label that does not exist is one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from flask import request

from hushpoll_server.analysis.groups import GroupWithheld, codes_within
from hushpoll_server.dashboard import formatting
from hushpoll_server.results.query import read_page_labels
from hushpoll_server.results.service import Reading, ResultsService
from hushpoll_server.web.current import current
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.groups import Dimension
from hushpoll_shared.problems import BAD_QUERY, ProblemError

WITHHELD = "Fewer than {smallest} reports in {names}: nothing is shown of it."


@dataclass(frozen=True, eq=False)
class GroupFilter:
    """The reports that a page is about."""

    reading: Reading

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        """Return the dimensions to choose from."""
        groups = self.reading.manifest.groups
        return groups.dimensions if groups else ()

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels that all reports have."""
        return self.reading.labels

    @property
    def names(self) -> str:
        """Return what people read for the labels."""
        return " and ".join(self.texts[label] for label in self.labels)

    @cached_property
    def texts(self) -> dict[str, str]:
        """Return what people read for every label."""
        return {label.id: label.text for dimension in self.dimensions for label in dimension.labels}

    @cached_property
    def withheld(self) -> str:
        """Return the sentence about a group that is too small; empty if there are enough reports."""
        try:
            self.reading.counts  # noqa: B018 (reading them is what is refused)
        except GroupWithheld:
            assert self.reading.manifest.groups, "only groups are withheld"
            smallest = formatting.whole(self.reading.manifest.groups.smallest)
            return WITHHELD.format(smallest=smallest, names=self.names)
        return ""

    @property
    def whose(self) -> str:
        """Return whose figures these are, with their number."""
        if not self.labels:
            return f"Figures of everybody: n = {formatting.whole(self.reading.reports)}."
        of = f"{formatting.whole(self.reading.reports)} of {formatting.reports(self.reading.everybody)}"
        return f"Figures of {self.names} only: n = {of}."

    def without(self, dimension: str) -> GroupFilter:
        """Return the filter without the label of a dimension, whose groups are all shown."""
        ids = {label for each in self.dimensions if each.id == dimension for label in each.ids}
        return GroupFilter(replace(self.reading, labels=tuple(label for label in self.labels if label not in ids)))


def read_filter(survey: str) -> GroupFilter:
    """Read the counters of the reports with the labels of the query; refuse wrong labels."""
    reading, labels = current(ResultsService).read(survey), read_page_labels(request.args)
    try:
        if labels:
            codes_within(reading.manifest, labels)
    except InvalidValue:
        raise ProblemError(BAD_QUERY) from None
    return GroupFilter(reading.within(labels))
