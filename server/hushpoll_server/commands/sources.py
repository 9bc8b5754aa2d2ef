"""Where a command takes the reports of a survey from: a file of reports with its manifest, or the instance itself.

Counters are read where they are enough; reports are read one by one, with a progress bar, where they are not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from hushpoll_server.analysis.files import read_manifest, read_reports
from hushpoll_server.analysis.groups import codes_within, reports_within, shown_counts
from hushpoll_server.commands.common import database_option, instance, manifest_option
from hushpoll_server.commands.progress import progress_bar
from hushpoll_server.counting.combinations import Reports, Times
from hushpoll_server.counting.tally import GroupedCounts, number_of_reports, tally_groups
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.questions import Question
from hushpoll_shared.report import Report

if TYPE_CHECKING:
    from hushpoll_server.services import Services

Command = TypeVar("Command", bound=Callable[..., object])

_EITHER = "Give --survey, a published survey's name, or --manifest with --reports."


def source_options(command: Command) -> Command:
    """Add the options that name a survey's reports."""
    for option in (
        database_option,
        click.option("--reports", "reports_path", type=click.Path(dir_okay=False, path_type=Path), help="Its reports."),
        manifest_option,
        click.option("--survey", metavar="NAME", help="A published survey of this instance."),
    ):
        command = option(command)
    return command


group_option = click.option(
    "--group",
    metavar="LABEL",
    multiple=True,
    help="Only the reports of this public group; several labels with commas, or the option again.",
)


def read_labels(group: Sequence[str]) -> tuple[str, ...]:
    """Return the labels that the option names."""
    return tuple(label.strip() for text in group for label in text.split(","))


class Source(ABC):
    """The reports of one survey."""

    manifest: Manifest

    @abstractmethod
    def reports(self) -> Iterator[Report]:
        """Yield all reports."""

    @abstractmethod
    def tabled(self, labels: Sequence[str]) -> Reports:
        """Return the reports with these labels for a table or a regression; refuse a group with too few of them."""

    def within(self, labels: Sequence[str] = ()) -> tuple[Manifest, Reports]:
        """Return the reports of a group with the manifest to read them by, or of everybody without labels."""
        # How large the population of a group is, is not known.
        return replace(self.manifest, population=None) if labels else self.manifest, self.tabled(labels)

    @property
    @abstractmethod
    def grouped(self) -> GroupedCounts:
        """Return the counters by the code of the groups."""


@dataclass
class FileSource(Source):
    """Reports in a file, one per line."""

    manifest: Manifest
    path: Path

    def reports(self) -> Iterator[Report]:
        """Yield the reports of the file."""
        with progress_bar("reports") as advance:
            for report in read_reports(self.path, self.manifest):
                yield report
                advance(1)

    def tabled(self, labels: Sequence[str]) -> Reports:
        """Return the reports of the file, one by one."""
        return reports_within(self.manifest, self.reports(), labels) if labels else self.reports()

    @cached_property
    def grouped(self) -> GroupedCounts:
        """Count the reports of the file."""
        return tally_groups(self.manifest, self.reports())


@dataclass
class InstanceSource(Source):
    """A published survey."""

    manifest: Manifest
    services: Services

    def reports(self) -> Iterator[Report]:
        """Yield the stored reports."""
        survey = self.manifest.survey
        with progress_bar("reports", self.services.collect.number_of_reports(survey)) as advance:
            for report in self.services.collect.stream(survey):
                yield report
                advance(1)

    def tabled(self, labels: Sequence[str]) -> Reports:
        """Return the stored reports, of which only the draws that a table needs are read."""
        n = number_of_reports(self.manifest, shown_counts(self.manifest, self.grouped, labels))
        return _Scanned(self, n, codes_within(self.manifest, labels) if labels else None)

    @cached_property
    def grouped(self) -> GroupedCounts:
        """Read the stored counters."""
        return self.services.collect.grouped_counts(self.manifest.survey)


@dataclass(frozen=True)
class _Scanned:
    """Stored reports that are read with a progress bar."""

    source: InstanceSource
    n: int
    codes: frozenset[str] | None

    def combinations(self, questions: Sequence[Question]) -> Iterator[Times]:
        """Yield the combinations of draws to these questions."""
        collect, survey = self.source.services.collect, self.source.manifest.survey
        with progress_bar("reports", self.n) as advance:
            yield from collect.scan(survey, self.codes, advance).combinations(questions)


@contextmanager
def survey_source(
    survey: str | None, db: str | None, manifest_path: Path | None, reports_path: Path | None
) -> Iterator[Source]:
    """Open the reports that the options name."""
    if survey is not None and manifest_path is None and reports_path is None:
        with instance(db) as services:
            yield InstanceSource(services.surveys.manifest(survey), services)
    elif survey is None and manifest_path is not None and reports_path is not None and db is None:
        yield FileSource(read_manifest(manifest_path), reports_path)
    else:
        raise click.UsageError(_EITHER)
