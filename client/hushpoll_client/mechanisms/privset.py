"""PrivSet on the device."""

from __future__ import annotations

from hushpoll_shared.mechanisms import PrivSet, wire
from hushpoll_shared.randomness import ByteSource, bernoulli, choose, uniform


def draw(design: PrivSet, source: ByteSource, ticks: tuple[int, ...]) -> str:
    """Draw a set that contains some of the answer with probability threshold / 2^64."""
    keep, rank = bernoulli(source, design.threshold), uniform(source, design.inside)
    # How many of the answer are in a set that contains any: the sets are numbered, those with fewer first.
    hits = 1 + sum(rank >= number for number in design.overlaps)
    # The answer in random order, then some of the others: a set begins near the end of the answer, or behind it.
    order = choose(source, design.most, design.most)
    order += [design.most + other for other in choose(source, design.options, design.picks)]
    start = design.most - keep * hits
    places = _answer_first(design, ticks)
    return wire.write_set([places[place] for place in order[start : start + design.picks]], design.size)


def _answer_first(design: PrivSet, ticks: tuple[int, ...]) -> list[int]:
    """Return all options and blanks, the answer first: what is ticked, and the last blanks, which fill it up."""
    marks = (*ticks, *(int(blank >= sum(ticks)) for blank in range(design.most)))
    return sorted(range(design.size), key=lambda place: -marks[place])
