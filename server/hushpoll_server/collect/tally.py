"""Count what reports support: the one place that turns draws into counts.

The writer uses it for the counters, a recount for checking them, and `hushpoll estimate` for a file of reports, so
the three cannot differ. Of two questions that are crossed it also counts, for each pair of cells, the reports that
support both; with the counts of each question alone that is all that their cross table needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.bulk.aggregate import supports_of_hex, tally_hex
from hushpoll_shared.designs import Design, Draw, Padded, Subset, Warner
from hushpoll_shared.manifest import Manifest

# The cell that counts every report to a question.
TOTAL = "n"
# Between the two names of a joint counter: no id of a question and no name of a cell has this letter.
AND = ","
# From so many different sets on they are counted together, bit by bit.
_MANY = 200
# Different pairs of draws that are counted at a time.
_PAIRS_AT_A_TIME = 2**14

Counts = Counter[tuple[str, str]]
# Two questions, asked apart, whose cross table is wanted.
Crossed = tuple[str, str]


def tally(manifest: Manifest, answers: Iterable[Mapping[str, Draw]], crossed: Sequence[Crossed] = ()) -> Counts:
    """Count, for each question and cell, the reports that support it; and for crossed ones each pair of cells."""
    reports, counts = list(answers), Counts()
    for question in manifest.questions:
        # Equal draws support equal cells, so each different draw is looked up once.
        found = Counter([draws[question.id] for draws in reports])
        # A question that was not asked of a device is blank in its report.
        if manifest.ask is not None:
            found.pop(question.design.blank, None)
        if found:
            counts[question.id, TOTAL] = found.total()
            for cell, number in _cells(question.design, found):
                counts[question.id, cell] = number
    designs = {question.id: question.design for question in manifest.questions}
    for first, second in crossed:
        pairs = Counter([(draws[first], draws[second]) for draws in reports])
        for cell, number in _joint_cells(designs[first], designs[second], pairs):
            counts[joint_name(first, second), cell] = number
    return counts


def joint_name(first: str, second: str) -> str:
    """Name what a joint counter counts: two questions, or a cell of each."""
    return f"{first}{AND}{second}"


def number_of_reports(manifest: Manifest, counts: Counts) -> int:
    """Tell how many reports there are: each counts for every question, or for the `ask` of them that it answers."""
    answered = sum(counts[question.id, TOTAL] for question in manifest.questions)
    return answered // (manifest.ask or len(manifest.questions))


def cells_of(design: Design) -> tuple[str, ...]:
    """List the cells that draws of a design for one true answer can support, in the order of their codes."""
    return ("yes",) if isinstance(design, Warner) else tuple(map(str, range(design.size)))  # type: ignore[attr-defined]


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


def _joint_cells(first: Design, second: Design, pairs: Counter[tuple[Draw, Draw]]) -> Iterator[tuple[str, int]]:
    rows, columns = cells_of(first), cells_of(second)
    found, rest = np.zeros((len(rows), len(columns))), iter(pairs.items())
    while part := list(islice(rest, _PAIRS_AT_A_TIME)):
        one, other, times = zip(*((*draws, number) for draws, number in part), strict=True)
        # Σ over the reports of [first draw supports i]·[second draw supports j]: whole numbers, far below 2^53
        found += (_supports(first, one).T * np.array(times, float)) @ _supports(second, other)
    for i, j in np.argwhere(found).tolist():
        yield joint_name(rows[i], columns[j]), int(found[i, j])


def _supports(design: Design, draws: Sequence[Draw]) -> NDArray[np.float64]:
    """Give a row for each draw, with 1 in the places of the cells that it supports."""
    if isinstance(design, Warner):
        return np.array(draws, float)[:, np.newaxis]
    return supports_of_hex(map(str, draws), len(cells_of(design))).astype(float)
