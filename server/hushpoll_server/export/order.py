"""What an export is asked for: which figures, reports or scripts, and how they are written.

The rule here: what was asked for is checked before anything is read.
"""

from __future__ import annotations

from dataclasses import dataclass

from hushpoll_server.estimate.options import DEFAULT, Options
from hushpoll_server.export.parquet import check_parquet
from hushpoll_server.export.scripts import LANGUAGES
from hushpoll_shared.errors import HushpollError

ESTIMATES, TESTS, REPORTS, DAYS, CODEBOOK, SCRIPT = "estimates", "tests", "reports", "days", "codebook", "script"
# Which formats there are of what.
FORMATS = {
    ESTIMATES: ("csv", "json", "parquet"),
    TESTS: ("csv", "json", "parquet"),
    REPORTS: ("ndjson", "csv", "parquet"),
    DAYS: ("csv", "json", "parquet"),
    CODEBOOK: ("json",),
    SCRIPT: tuple(LANGUAGES),
}
EVERY_FORMAT = ("csv", "json", "parquet", "ndjson", *LANGUAGES)
SHAPES = ("long", "wide")
# What is written if nothing is asked for by name.
_BY_FORMAT = {"ndjson": REPORTS, **dict.fromkeys(LANGUAGES, SCRIPT)}


class OrderRefused(HushpollError):
    """An order for something that there is not."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """What is asked for."""

    what: str
    format: str
    shape: str = "long"
    by: str | None = None
    labels: tuple[str, ...] = ()
    new_ids: bool = False
    options: Options = DEFAULT

    def check(self) -> None:
        """Refuse what cannot be written, with what to do instead."""
        if self.format not in FORMATS[self.what]:
            raise OrderRefused(f"--what {self.what} is written as {', '.join(FORMATS[self.what])}.")
        if self.new_ids and self.what != REPORTS:
            raise OrderRefused("--new-ids goes with reports: --format ndjson or --what reports. No other has ids.")
        if self.shape == "wide" and (self.what != ESTIMATES or self.format == "json"):
            raise OrderRefused("--shape wide goes with estimates as csv or parquet.")
        if self.by is not None and self.what not in (ESTIMATES, TESTS):
            raise OrderRefused("--by goes with estimates and tests: a report has the labels of all its groups.")
        if self.labels and self.what in (CODEBOOK, SCRIPT):
            raise OrderRefused("--group goes with figures and reports: a script says how to choose a group.")
        if self.labels and self.what == DAYS:
            raise OrderRefused("--group goes with figures and reports: days are counted for everybody only.")
        if self.what == SCRIPT and (self.options.coverage != "pointwise" or self.options.method == "wald"):
            raise OrderRefused("A script has pointwise limits, by the methods wilson and exact.")
        if self.options.beta is not None and self.what != ESTIMATES:
            raise OrderRefused("--beta goes with estimates.")
        if self.format == "parquet":
            check_parquet()


def usual_content(format_: str) -> str:
    """Return what is written in a format if nothing is asked for by name."""
    return _BY_FORMAT.get(format_, ESTIMATES)
