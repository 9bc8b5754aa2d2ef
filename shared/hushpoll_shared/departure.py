"""When a report to a survey with branches leaves the respondent's page.

The rule here: the time at which a report leaves does not depend on the path through the survey. Reports leave at the
points of a grid that starts when the page is opened; its spacing depends on the manifest alone. The page computes the
same (form/departure.js).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from hushpoll_shared.manifest import Manifest
from hushpoll_shared.questions import Question

# Three steps of this length fit into the longest time that a page lets a report wait.
MOST_MINUTES: Final = Fraction(40)


def minutes_between(manifest: Manifest) -> Fraction | None:
    """Return the minutes from one point of the grid to the next; None if reports leave at once."""
    if not any(question.when for question in manifest.questions):
        return None
    # One minute, and a quarter of a minute for each screen: docs/adr/0037 has the figures.
    return min(Fraction(4 + longest_path(manifest), 4), MOST_MINUTES)


def longest_path(manifest: Manifest) -> int:
    """Return the number of screens on the longest possible path."""
    always = (question for question in manifest.questions if not question.when)
    return sum(1 + _screens_after(name, question, manifest) for question in always for name in question.answer_ids)


def _screens_after(name: str, gate: Question, manifest: Manifest) -> int:
    screens = {
        (question.id, question.when.answers): 1 + _screens_after(question.id, question, manifest)
        for question in manifest.questions
        if question.when and question.when.question == name
    }
    # Ticks can open all branches at once; a single answer opens only its own.
    if not gate.type.is_exclusive:
        return sum(screens.values())
    sums = (
        sum(size for (_, answers), size in screens.items() if answer in answers)
        for _, deciding in screens
        for answer in deciding
    )
    return max(sums, default=0)
