"""The cross tables of questions that were asked apart, as the dashboard shows them.

The rule here, as for a question: the unbiased figures are there from the first report on; only the sentences about them
wait until there are enough reports.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from hushpoll_server.dashboard.crosstable import CrossView, crossed_view
from hushpoll_server.dashboard.panel import METHOD_NAMES, TOO_EARLY_BELOW
from hushpoll_server.estimate.tables.cross_results import CrossResult
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.questions import Question


@dataclass(frozen=True)
class CrossPanel:
    """Two questions with the figures of their cross table."""

    first: Question
    second: Question
    result: CrossResult

    @property
    def id(self) -> str:
        """Return the id of the panel in the page; no question can have it."""
        return f"{self.first.id}.{self.second.id}"

    @property
    def title(self) -> str:
        """Return the texts of both questions."""
        return f"{self.first.text} × {self.second.text}"

    @cached_property
    def cross(self) -> CrossView | None:
        """Return the table, if there are reports and it is small enough to read."""
        return crossed_view(self.first, self.second, self.result)

    @property
    def early(self) -> bool:
        """Return whether there are too few reports for sentences about the table."""
        return self.result.n < TOO_EARLY_BELOW

    @property
    def method(self) -> str:
        """Return the name of the intervals' method."""
        name = METHOD_NAMES[self.result.method]
        return f"{name} (betting)" if self.result.method == "exact" else name

    @property
    def epsilon(self) -> Epsilon:
        """Return what one respondent spends on both questions."""
        return self.first.design.epsilon + self.second.design.epsilon


def make_cross_panels(manifest: Manifest, tables: Sequence[CrossResult]) -> list[CrossPanel]:
    """Return a panel for each table, with its two questions."""
    questions = {question.id: question for question in manifest.questions}
    return [CrossPanel(questions[table.names[0]], questions[table.names[1]], table) for table in tables]
