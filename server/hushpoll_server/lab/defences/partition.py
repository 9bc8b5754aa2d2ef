"""k-anonymity by a greedy partition: split the people in two again and again, while both halves have at least k.

Each class is then described by its own range of birth dates, districts and sexes, and has fewer than 2k people
wherever a split was possible: the finest tables that k-anonymity is used for. Nothing is redacted, because nobody is
left over.

References: K. LeFevre, D. J. DeWitt, R. Ramakrishnan (2006), Mondrian multidimensional k-anonymity, ICDE.
"""

from __future__ import annotations

import numpy as np

from hushpoll_server.lab.people import BIRTHDAYS, DISTRICTS, SEXES, City
from hushpoll_server.lab.stream import Figures, Places
from hushpoll_shared.errors import InvalidValue


def partition(city: City, *, k: int) -> Places:
    """Return the class of each person."""
    if not 1 < k <= city.people:
        raise InvalidValue("k must be at least 2 and at most the number of people")
    # From 0 to 1, so that the widest column can be found.
    known = np.column_stack((city.birth / BIRTHDAYS, city.district / len(DISTRICTS), city.sex / SEXES))
    classes = np.empty(city.people, np.int64)
    waiting, done = [np.arange(city.people)], 0
    while waiting:
        rows = waiting.pop()
        if halves := _split(known[rows], k):
            waiting.extend(rows[half] for half in halves)
            continue
        classes[rows] = done
        done += 1
    return classes


def _split(known: Figures, k: int) -> list[Places] | None:
    """Return the halves by the widest column whose median leaves at least k on both sides; None if there is none."""
    for column in np.argsort(known.min(axis=0) - known.max(axis=0)):
        values = known[:, column]
        middle = np.median(values)
        for side in (values < middle, values <= middle):
            if k <= side.sum() <= len(values) - k:
                return [np.flatnonzero(side), np.flatnonzero(~side)]
    return None
