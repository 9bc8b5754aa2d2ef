"""What the pages that compare, cross and regress have in common: what was asked for, and the page around the figures.

The rule here: a name that does not exist is a bad query; a right name of something that has no figures gives a page
that says why, in the sentence of the analysis.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from flask import Response, render_template, request

from hushpoll_server.collect.scan import ReportsPurged
from hushpoll_server.dashboard import formatting
from hushpoll_server.dashboard.chart import STROKES
from hushpoll_server.dashboard.early import Early, read_early
from hushpoll_server.dashboard.group_filter import GroupFilter, read_filter
from hushpoll_server.dashboard.panel import TOO_EARLY_BELOW
from hushpoll_server.dashboard.panels import shown_levels
from hushpoll_server.dashboard.scan_page import shown
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.groups.multiple_tests import ADJUSTMENTS
from hushpoll_server.estimate.options import Options
from hushpoll_server.export.figures import Part
from hushpoll_server.results.query import LEVELS, read_one_of, read_page_options
from hushpoll_server.results.scans import Scan, ScanStopped
from hushpoll_server.results.service import Reading
from hushpoll_server.surveys.service import PublishedSurvey, SurveyService
from hushpoll_server.web import headers
from hushpoll_server.web.current import current
from hushpoll_shared.manifest import Manifest

ADJUSTMENT_NAMES = {
    "holm": "Holm (chance of any false alarm)",
    "benjamini-hochberg": "Benjamini–Hochberg (share of false alarms)",
}
COVERAGES = {"pointwise": "each interval by itself", "simultaneous": "all intervals jointly"}
assert set(ADJUSTMENT_NAMES) == set(ADJUSTMENTS), "every adjustment has a name"

Found = TypeVar("Found")


@dataclass(frozen=True, kw_only=True)
class Exploration:
    """What a page was asked for, whatever it shows."""

    survey: PublishedSurvey
    whose: GroupFilter
    options: Options
    adjustment: str
    early: Early

    @property
    def manifest(self) -> Manifest:
        """Return the survey's manifest."""
        return self.survey.manifest

    @property
    def reading(self) -> Reading:
        """Return the counters that the figures come from."""
        return self.whose.reading

    @property
    def part(self) -> Part:
        """Return the reports that the figures are of, as an export names them."""
        return Part(manifest=self.manifest, labels=self.whose.labels, counts=None)

    @property
    def legend(self) -> tuple[str, ...]:
        """Return what the marks of a chart mean, for a file of its own."""
        drawn = ", ".join(formatting.level_name(level) for level in shown_levels(self.options))
        level = formatting.level_name(self.options.level)
        return (
            self.whose.whose,
            f"Dot: estimate. ±: its {level} margin of error. Arrow: beyond the axis.",
            f"Bars from thick to thin: {drawn} confidence intervals ({COVERAGES[self.options.coverage]}).",
            f"Manifest {self.manifest.id}",
        )

    @property
    def query(self) -> dict[str, object]:
        """Return the options that the address of a file repeats."""
        chosen = {"level": self.options.level, "coverage": self.options.coverage, "adjust": self.adjustment}
        return {**chosen, "group": self.whose.labels}

    def show(
        self,
        page: str,
        *,
        begin: Callable[[], Scan[Any] | None],
        find: Callable[[], Mapping[str, object]],
        **context: object,
    ) -> str | Response:
        """Return the page with what it finds, which may have to be computed from all reports first."""

        def render(*, is_running: bool) -> str:
            return self._render(page, is_running=is_running, **context, **({} if is_running else find()))

        return shown(_begun(begin), render)

    def _render(self, page: str, **context: object) -> str:
        return render_template(
            f"dashboard/{page}_page.html",
            page=page,
            survey=self.survey,
            phase=current(SurveyService).phase(self.survey),
            whose=self.whose,
            choice=self.options,
            adjustment=self.adjustment,
            early=self.early,
            adjustments=ADJUSTMENT_NAMES,
            coverages=COVERAGES,
            levels=sorted({*LEVELS, self.options.level}),
            shown_levels=shown_levels(self.options),
            strokes=STROKES,
            too_early_below=TOO_EARLY_BELOW,
            figures=formatting,
            **context,
        )


def read_exploration(name: str) -> Exploration:
    """Read what every one of these pages takes: level, coverage, adjustment and groups."""
    headers.use(headers.RESEARCHER_PAGE_WITH_SCRIPT)
    options, survey, whose = read_page_options(request.args), current(SurveyService).get(name), read_filter(name)
    return Exploration(
        survey=survey,
        whose=whose,
        # A method or a share of made-up reports is chosen for the estimates of single questions only.
        options=Options(level=options.level, coverage=options.coverage),
        adjustment=read_one_of(ADJUSTMENTS, request.args, "adjust") or "holm",
        early=read_early(request.args, survey, whose.reading),
    )


def _begun(begin: Callable[[], Scan[Any] | None]) -> Scan[Any] | None:
    try:
        return begin()
    except EstimateError:
        # What was asked for has no figures: the page says why.
        return None


def or_reason(compute: Callable[[], Found]) -> tuple[Found | None, str]:
    """Return what is computed, or why it does not exist, as a sentence without its beginning."""
    try:
        return compute(), ""
    except (EstimateError, ReportsPurged, ScanStopped) as error:
        return None, f"{error}."
