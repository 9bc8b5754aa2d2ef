"""Count what reports support: the one place that turns draws into counts.

The writer uses it for the counters, a recount for checking them, and `hushpoll estimate` for a file of reports, so
the three cannot differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from hushpoll_shared.manifest import Manifest

# The cell that counts every report to a question.
TOTAL = "n"

Counts = Counter[tuple[str, str]]


def tally(manifest: Manifest, answers: Iterable[Mapping[str, int]]) -> Counts:
    """Count, for each question and cell, the reports that support it."""
    counts: Counts = Counter()
    for draws in answers:
        for question in manifest.questions:
            counts[question.id, TOTAL] += 1
            for cell in question.design.supported_cells(draws[question.id]):
                counts[question.id, cell] += 1
    return counts
