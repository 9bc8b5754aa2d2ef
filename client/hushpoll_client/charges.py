"""What a report is charged for: the questions that it answers, and each remembered answer once.

The rule here: only a report that fits its verified manifest, and that this device drew, is charged and sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hushpoll_client.errors import ReportRefused
from hushpoll_client.state import Entry
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.problems import ProblemError

if TYPE_CHECKING:
    from hushpoll_shared.manifest import Manifest
    from hushpoll_shared.questions import Question
    from hushpoll_shared.report import Report


def entry_of(report: Report, manifest: Manifest, key: str) -> Entry:
    """Return what the state stores of a report; its epsilon is that of the questions that are not repeated."""
    from hushpoll_shared.report import decode

    body = report.encode()
    try:
        decode(body, manifest)
    except ProblemError:
        message = "the report does not fit its manifest: let survey.randomize make it"
        raise ReportRefused(message, survey=report.survey) from None
    if report.memos.keys() != manifest.repeated.keys():
        message = "the report was not drawn by this device: let survey.randomize make it"
        raise ReportRefused(message, survey=report.survey)
    fresh = (question for question in _asked(manifest, report) if question.id not in manifest.repeated)
    cost = sum((question.design.epsilon for question in fresh), start=Epsilon(0))
    return Entry(key, report.survey, report.manifest, cost, report.id, body)


def memos_of(report: Report, manifest: Manifest) -> dict[str, Epsilon]:
    """Return what each repeated answer of a report costs if it was not charged before, by its tag."""
    asked = _asked(manifest, report)
    return {report.memos[each.id]: each.design.epsilon for each in asked if each.id in report.memos}


def _asked(manifest: Manifest, report: Report) -> list[Question]:
    """Return the questions that a report answers."""
    if manifest.ask is None:
        return list(manifest.questions)
    return [question for question in manifest.questions if report.draws[question.id] != question.design.blank]
