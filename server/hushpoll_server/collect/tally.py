"""Count what reports support: the one place that turns draws into counts.

The writer uses it for the counters, a recount for checking them, and `hushpoll estimate` for a file of reports, so
the three cannot differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from hushpoll_shared.designs import Draw
from hushpoll_shared.manifest import Manifest

# The cell that counts every report to a question.
TOTAL = "n"

Counts = Counter[tuple[str, str]]


def tally(manifest: Manifest, answers: Iterable[Mapping[str, Draw]]) -> Counts:
    """Count, for each question and cell, the reports that support it."""
    # Equal draws support equal cells, so each different draw is looked up once.
    times = Counter(draw for draws in answers for draw in draws.items())
    designs = {question.id: question.design for question in manifest.questions}
    blanks = {question.id: question.design.blank for question in manifest.questions if manifest.ask is not None}
    counts: Counts = Counter()
    for (question, draw), number in times.items():
        # A question that was not asked of this device.
        if draw == blanks.get(question):
            continue
        counts[question, TOTAL] += number
        for cell in designs[question].supported_cells(draw):
            counts[question, cell] += number
    return counts
