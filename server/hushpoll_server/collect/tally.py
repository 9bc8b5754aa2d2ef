"""Count what reports support: the one place that turns draws into counts.

The writer uses it for the counters, a recount for checking them, and `hushpoll estimate` for a file of reports, so
the three cannot differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from hushpoll_server.bulk.aggregate import tally_hex
from hushpoll_shared.designs import Design, Draw, Padded, Subset
from hushpoll_shared.manifest import Manifest

# The cell that counts every report to a question.
TOTAL = "n"
# From so many different sets on they are counted together, bit by bit.
_MANY = 200

Counts = Counter[tuple[str, str]]


def tally(manifest: Manifest, answers: Iterable[Mapping[str, Draw]]) -> Counts:
    """Count, for each question and cell, the reports that support it."""
    # Equal draws support equal cells, so each different draw is looked up once.
    times = {question.id: Counter[Draw]() for question in manifest.questions}
    for draws in answers:
        for name, draw in draws.items():
            times[name][draw] += 1
    counts: Counts = Counter()
    for question in manifest.questions:
        found = times[question.id]
        # A question that was not asked of a device is blank in its report.
        if manifest.ask is not None:
            found.pop(question.design.blank, None)
        if found:
            counts[question.id, TOTAL] = found.total()
            counts.update({(question.id, cell): number for cell, number in _cells(question.design, found)})
    return counts


def number_of_reports(manifest: Manifest, counts: Counts) -> int:
    """Tell how many reports there are: each counts for every question, or for the `ask` of them that it answers."""
    answered = sum(counts[question.id, TOTAL] for question in manifest.questions)
    return answered // (manifest.ask or len(manifest.questions))


def _cells(design: Design, times: Counter[Draw]) -> Iterator[tuple[str, int]]:
    inner = design.inner if isinstance(design, Padded) else design
    if isinstance(inner, Subset) and inner.picks > 1 and len(times) > _MANY:
        numbers = tally_hex((str(draw) for draw in times.elements()), inner.size)
        return ((str(cell), int(number)) for cell, number in enumerate(numbers) if number)
    cells: Counter[str] = Counter()
    for draw, number in times.items():
        for cell in design.supported_cells(draw):
            cells[cell] += number
    return iter(cells.items())
