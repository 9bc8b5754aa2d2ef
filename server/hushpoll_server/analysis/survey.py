"""A survey from its reports to its figures, without a server: what `hushpoll estimate` prints and a notebook reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from hushpoll_server.analysis.groups import reports_within
from hushpoll_server.analysis.results import Results, cross_results_of, results_of
from hushpoll_server.analysis.warnings import warnings_of
from hushpoll_server.counting.crossed import Crossed, check_crossed
from hushpoll_server.counting.equal_reports import EqualReports
from hushpoll_server.counting.tally import tally
from hushpoll_server.estimate.options import DEFAULT, Options
from hushpoll_server.estimate.tables.cross_results import CrossResult
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.report import Report


@dataclass(frozen=True)
class Analysis:
    """The figures of a survey: a result for each question, the cross tables, warnings about the survey as a whole."""

    results: Results
    tables: tuple[CrossResult, ...] = ()
    warnings: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """Return what the API and `hushpoll estimate --json` write."""
        questions = {question: result.to_json() for question, result in self.results.items()}
        crossed = {"cross_tables": [table.to_json() for table in self.tables]} if self.tables else {}
        return {"questions": questions, **crossed, **({"warnings": list(self.warnings)} if self.warnings else {})}


def analyse(
    manifest: Manifest,
    reports: Iterable[Report],
    *,
    crossed: Sequence[Crossed] = (),
    labels: Sequence[str] = (),
    options: Options = DEFAULT,
) -> Analysis:
    """Estimate every question of a survey from its reports, and the cross tables of pairs of questions.

    With labels, only the reports of that public group count; how large its population is, is not known.
    """
    if labels:
        reports, manifest = reports_within(manifest, reports, labels), replace(manifest, population=None)
    check_crossed(crossed, {question.id: question.type for question in manifest.questions}, ask=manifest.ask)
    draws = [report.draws for report in reports]
    counts = tally(manifest, draws, crossed)
    return Analysis(
        results_of(manifest, counts, options),
        cross_results_of(manifest, counts, crossed, options),
        warnings_of(manifest, len(draws), EqualReports.among(draws)),
    )
