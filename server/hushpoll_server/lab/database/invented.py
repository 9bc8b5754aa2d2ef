"""The invented city as a table: a database to try, in Python and on a page.

The rule here: nobody exists, so the noise may come from a seed. Bounds, bins and categories are those of the laws by
which the people are drawn; none is taken from the people.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from hushpoll_server.lab.database.schema import Schema
from hushpoll_server.lab.database.service import Database
from hushpoll_server.lab.people import (
    CONDITIONS,
    DISTRICTS,
    HEIGHT_RANGE,
    INCOME_STEP,
    MOST_INCOME,
    City,
    invent_city,
)
from hushpoll_server.lab.stream import DEFAULT_SEED
from hushpoll_shared.randomness import ByteSource

PEOPLE: Final = 5_000
SEXES: Final = ("female", "male")
DISTRICT_NAMES: Final = tuple("ABCDEFGHIJKL"[: len(DISTRICTS)])
NO_YES: Final = ("no", "yes")
# Four years have 1,461 days.
YEARS, DAYS = 4, 1_461
SCHEMA: Final = Schema.of(
    bounds={
        "age": "0:80",
        "height": ":".join(f"{bound:g}" for bound in HEIGHT_RANGE),
        "income": f"0:{MOST_INCOME}",
    },
    step={"age": "1", "height": "0.1", "income": str(INCOME_STEP)},
    bins={"age": "0,18,35,50,65,80", "income": f"0,1000,2000,3000,5000,{MOST_INCOME}"},
    categories={
        "sex": ",".join(SEXES),
        "district": ",".join(DISTRICT_NAMES),
        "smokes": ",".join(NO_YES),
        "condition": ",".join(CONDITIONS),
    },
)


@contextmanager
def open_city(
    *, epsilon: object, seed: int = DEFAULT_SEED, people: int = PEOPLE, source: ByteSource | None = None
) -> Iterator[Database]:
    """Open a database of invented people with a ledger of its own; both are gone afterwards."""
    with TemporaryDirectory(prefix="hushpoll-") as name:
        folder = Path(name)
        path = _write(folder / "city.csv", invent_city(people, seed=seed))
        with Database.open(path, SCHEMA, epsilon=epsilon, ledger=folder / "ledger.sqlite", source=source) as database:
            yield database


def _write(path: Path, city: City) -> Path:
    columns = {
        "age": city.birth * YEARS // DAYS,
        "sex": [SEXES[place] for place in city.sex],
        "district": [DISTRICT_NAMES[place] for place in city.district],
        "height": city.height,
        "income": city.income,
        "smokes": [NO_YES[bit] for bit in city.smokes],
        "condition": [CONDITIONS[place] for place in city.condition],
    }
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([list(columns), *zip(*columns.values(), strict=True)])
    return path
