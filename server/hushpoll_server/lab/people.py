"""Invented people of an invented city: what the attacks are tried on.

The rule here: nobody exists. All figures follow from a seed, and the laws they are drawn from are written down, so
that a measured share can be compared with the expected one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hushpoll_server.lab.stream import Figures, Places, SeededStream, bits, bits_by, categories, normals, wholes

# Born on any day of 80 years, of either sex, in one of the city's districts.
BIRTHDAYS, SEXES = 29_220, 2
DISTRICTS = (0.16, 0.14, 0.12, 0.11, 0.10, 0.09, 0.08, 0.07, 0.05, 0.04, 0.03, 0.01)
# What people were treated for, from the most to the least frequent: shares in proportion to 1/3, 1/4, 1/5 …
CONDITIONS = (
    "asthma", "diabetes", "depression", "hypertension", "migraine", "arthritis", "hepatitis", "epilepsy", "anaemia",
    "gout", "psoriasis", "HIV", "glaucoma", "bronchitis", "addiction", "eczema", "hernia", "insomnia", "lupus",
    "malaria", "mumps", "sciatica", "shingles", "tinnitus",
)  # fmt: skip
CONDITION_SHARES = tuple(1 / (place + 3) / sum(1 / (other + 3) for other in range(24)) for place in range(24))
SMOKERS, ILL_IF_SMOKING, ILL_OTHERWISE = 0.25, 0.16, 0.01
MEAN_HEIGHT, HEIGHT_DEVIATION, HEIGHT_RANGE = 168.0, 7.0, (138.0, 198.0)
# Incomes are known in whole hundreds.
TYPICAL_INCOME, MOST_INCOME, INCOME_STEP = 2_600, 10_000, 100
YES = 0.5
FIRST_NAMES = ("Ada", "Bruno", "Clara", "Dario", "Edda", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Kaya", "Leon")
LAST_NAMES = ("Ahlers", "Brandt", "Conti", "Diallo", "Ekholm", "Fabri", "Garcia", "Haas", "Ito", "Jansen", "Kaur")


@dataclass(frozen=True, eq=False)
class City:
    """One column for each thing that is known of all people, one entry for each person.

    `birth` is a day of 80 years, `district` the postcode's place in the list, `answer` the bit that is asked about.
    """

    birth: Places
    sex: Places
    district: Places
    condition: Places
    answer: Places
    smokes: Places
    ill: Places
    height: Figures
    income: Places

    @property
    def people(self) -> int:
        """Return the number of people."""
        return len(self.birth)

    def of(self, chosen: Places) -> City:
        """Return the people at these places."""
        return City(**{name: column[chosen] for name, column in vars(self).items()})


def invent_city(people: int, *, seed: int) -> City:
    """Draw a city; the same seed gives the same people."""
    stream = SeededStream(seed, f"city of {people}")
    smokes = bits(stream, people, SMOKERS)
    risks = np.where(smokes == 1, ILL_IF_SMOKING, ILL_OTHERWISE)
    heights = MEAN_HEIGHT + HEIGHT_DEVIATION * normals(stream, people)
    return City(
        birth=wholes(stream, people, BIRTHDAYS),
        sex=wholes(stream, people, SEXES),
        district=categories(stream, people, DISTRICTS),
        condition=categories(stream, people, CONDITION_SHARES),
        answer=bits(stream, people, YES),
        smokes=smokes,
        ill=bits_by(stream, risks),
        height=np.clip(np.round(heights, 1), *HEIGHT_RANGE),
        income=_incomes(stream, people),
    )


def _incomes(stream: SeededStream, people: int) -> Places:
    incomes = TYPICAL_INCOME * np.exp(normals(stream, people) / 2)
    return np.asarray(np.minimum(MOST_INCOME, incomes.astype(np.int64) // INCOME_STEP * INCOME_STEP))


def name_of(place: int) -> str:
    """Return the invented name of the person at this place."""
    return f"{FIRST_NAMES[place % len(FIRST_NAMES)]} {LAST_NAMES[place // len(FIRST_NAMES) % len(LAST_NAMES)]}"


def expected_unique(people: int) -> float:
    """Return the expected share of people whose birth date, sex and district nobody else has.

    Σ w (1 − w/(days · sexes))^(n − 1) over the districts' shares w.
    """
    shares = np.array(DISTRICTS)
    return float(shares @ (1 - shares / (BIRTHDAYS * SEXES)) ** (people - 1))
