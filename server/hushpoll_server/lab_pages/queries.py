"""What a reader asks the statistical database: up to five queries, the ε of each, and a seed.

The rule here: what is asked is short. What is left out is the page's own, which shows four answers and then the lock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from werkzeug.datastructures import MultiDict

from hushpoll_server.lab_pages.choices import read_seed
from hushpoll_server.results.query import check_options, read_one, read_one_of
from hushpoll_shared.problems import BAD_QUERY, ProblemError

BUDGET: Final = "1"
SPENDS: Final = ("1/20", "1/10", "1/4", "1/2", "1")
SPEND: Final = "1/4"
MOST_QUERIES: Final = 5
LONGEST_TEXT: Final = 1_000
QUERIES: Final = (
    "SELECT COUNT(*) WHERE condition = 'HIV' AND district = 'C'",
    "SELECT AVG(income) WHERE age BETWEEN 18 AND 64",
    "SELECT HISTOGRAM(age) WHERE smokes = 'yes'",
    "SELECT MOST COMMON condition WHERE sex = 'female'",
    "SELECT COUNT(*) WHERE condition = 'HIV' AND district = 'C' AND age != 44",
)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Queries with one ε for each, to a city that the seed determines."""

    seed: int
    spend: str
    queries: tuple[str, ...]

    @property
    def text(self) -> str:
        """Return the queries, one a line."""
        return "\n".join(self.queries)

    @property
    def key(self) -> tuple[object, ...]:
        """Return what determines the figures."""
        return "database", self.seed, self.spend, self.queries

    @property
    def noise_seed(self) -> str:
        """Return the seed of the noise: with the same noise in two queries, their difference would be exact."""
        return f"{self.seed}:{self.spend}:{self.text}"


def read_asked(query: MultiDict[str, str]) -> Asked:
    """Read what a reader asks; what is left out is the page's own."""
    check_options(query, ("seed", "spend", "q"))
    return Asked(
        seed=read_seed(query),
        spend=read_one_of(SPENDS, query, "spend") or SPEND,
        queries=_read_queries(read_one(query, "q")) or QUERIES,
    )


def _read_queries(text: str) -> tuple[str, ...]:
    lines = tuple(filter(None, map(str.strip, text.splitlines())))
    if len(lines) > MOST_QUERIES or len("\n".join(lines)) > LONGEST_TEXT:
        raise ProblemError(BAD_QUERY)
    return lines
