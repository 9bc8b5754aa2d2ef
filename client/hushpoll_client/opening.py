"""Whether a survey takes reports at this time.

The rule here: a survey that does not is refused before anything is drawn or charged. The server decides in the end: its
researcher may close a survey early, and a device's clock may be wrong, so what is stored is sent whatever the clock.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hushpoll_client.errors import SurveyNotOpen
from hushpoll_shared import problems

if TYPE_CHECKING:
    from hushpoll_shared.manifest import Manifest
    from hushpoll_shared.problems import Problem


def check_open(manifest: Manifest, now: float) -> None:
    """Refuse a survey that has not opened yet or is closed, with the times that its manifest states."""
    moment = datetime.fromtimestamp(now, UTC)
    if manifest.opens and moment < manifest.opens:
        raise _not_open(
            manifest, problems.NOT_OPEN, f"opens only at {manifest.opens:%Y-%m-%d %H:%M} UTC: come back then"
        )
    if manifest.closes and moment >= manifest.closes:
        raise _not_open(manifest, problems.CLOSED, f"closed at {manifest.closes:%Y-%m-%d %H:%M} UTC: skip it")


def _not_open(manifest: Manifest, problem: Problem, reason: str) -> SurveyNotOpen:
    return SurveyNotOpen(
        f"survey {manifest.survey} {reason}, or set the clock of this device if it is wrong",
        survey=manifest.survey,
        problem=problem.type,
        opens=manifest.opens,
        closes=manifest.closes,
    )
