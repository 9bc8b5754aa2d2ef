"""k-anonymity: coarsen what is known of people until each combination is shared by at least k, and redact the rest.

Every row of the released table keeps its sensitive column. Birth dates become years, decades, generations or nothing,
districts become areas or nothing, sexes may go. All these combinations are tried, so the result is the best of them:
the one that tells rows apart best (the discernibility of Bayardo and Agrawal) with no more redacted rows than allowed.

References: P. Samarati, L. Sweeney (1998), SRI technical report; L. Sweeney (2002), Int. J. Uncertainty, Fuzziness and
Knowledge-Based Systems 10; R. J. Bayardo, R. Agrawal (2005), ICDE.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from hushpoll_server.lab.people import BIRTHDAYS, DISTRICTS, City
from hushpoll_server.lab.stream import Places
from hushpoll_shared.errors import InvalidValue

DEFAULT_K = 5
# At most one row in fifty is redacted.
MOST_REDACTED = 0.02
REDACTED = -1

# How many days one value of a coarsened birth date covers, and how many districts one area has.
_BIRTH_DAYS = {"day": 1, "year": 366, "decade": 3_660, "generation": 10_980, "none": BIRTHDAYS + 1}
_BIRTH_WORDS = {"day": "date"}
_AREA_DISTRICTS = {"district": 1, "area": 3, "half": 6, "none": len(DISTRICTS)}
_SEXES = {"kept": 1, "none": 2}


@dataclass(frozen=True)
class Coarsening:
    """How much of each column is released."""

    birth: str
    district: str
    sex: str

    @property
    def described(self) -> str:
        """Return what is released, in words."""
        names = {"birth": self.birth, "district": self.district, "sex": "sex" if self.sex == "kept" else "none"}
        if self.birth != "none":
            names["birth"] = f"birth {_BIRTH_WORDS.get(self.birth, self.birth)}"
        return ", ".join(name for name in names.values() if name != "none") or "nothing"

    def keys(self, city: City) -> Places:
        """Return one number for each person, equal for people who look the same."""
        birth = city.birth // _BIRTH_DAYS[self.birth]
        area = city.district // _AREA_DISTRICTS[self.district]
        return (birth * len(DISTRICTS) + area) * 2 + city.sex // _SEXES[self.sex]


@dataclass(frozen=True, eq=False)
class Release:
    """A released table: for each person the class that they cannot be told apart in, or REDACTED."""

    coarsening: Coarsening
    classes: Places
    k: int

    @property
    def redacted(self) -> int:
        """Return the number of rows that are not released."""
        return int((self.classes == REDACTED).sum())

    @property
    def sizes(self) -> Places:
        """Return the number of people in each class."""
        return np.bincount(self.classes[self.classes != REDACTED]).astype(np.int64)


def coarsen(city: City, *, k: int = DEFAULT_K, most_redacted: float = MOST_REDACTED) -> Release:
    """Return the release of a table that tells people apart best, with at least k in each class."""
    if not 1 < k <= city.people:
        raise InvalidValue("k must be at least 2 and at most the number of people")
    releases = [release_by(each, city, k=k) for each in _coarsenings()]
    allowed = [release for release in releases if release.redacted <= most_redacted * city.people]
    return min(allowed, key=lambda release: _discernibility(release, city.people))


def release_by(coarsening: Coarsening, city: City, *, k: int) -> Release:
    """Return the release by one coarsening, with the rows of small classes redacted."""
    _, own, sizes = np.unique(coarsening.keys(city), return_inverse=True, return_counts=True)
    large = sizes >= k
    numbers = np.where(large, np.cumsum(large) - 1, REDACTED)
    return Release(coarsening, numbers[own].astype(np.int64), k)


def _coarsenings() -> Iterator[Coarsening]:
    for birth, district, sex in product(_BIRTH_DAYS, _AREA_DISTRICTS, _SEXES):
        yield Coarsening(birth, district, sex)


def _discernibility(release: Release, people: int) -> int:
    # Each row costs the number of rows that it cannot be told apart from; a redacted one, all of them.
    return int((release.sizes**2).sum()) + release.redacted * people
