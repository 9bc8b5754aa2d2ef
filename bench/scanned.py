"""Tables and regressions that no counter holds, computed from all stored reports in two ways. A separate program.

By columns: the database cuts out the draws that are needed (`collect/scan.py`). One by one: every row is parsed into a
report first, as a program would do with the export. It prints the seconds of each; both must give the same figures.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from bench import survey
from hushpoll_server.analysis.regression import regress_survey
from hushpoll_server.analysis.tables import cross_table
from hushpoll_server.counting.combinations import Reports
from hushpoll_server.services import Services
from hushpoll_server.settings import load_settings
from hushpoll_shared.manifest import Manifest

Figures = dict[str, Any]
# The figures differ by the order of sums.
_SAME = 1e-6

TABLES: dict[str, Callable[[Manifest, Reports], Figures]] = {
    "two choices": lambda manifest, reports: cross_table(manifest, reports, ["works", "mood"]).to_json(),
    "an option by a choice": lambda manifest, reports: cross_table(manifest, reports, ["ways:phone", "mood"]).to_json(),
    "mean in private groups": lambda manifest, reports: cross_table(manifest, reports, ["hours", "works"]).to_json(),
    "logistic regression": lambda manifest, reports: regress_survey(
        manifest, reports, "cheated", ["group", "works"]
    ).to_json(),
}


def main() -> None:
    """Compute each in both ways and print the seconds as JSON."""
    services = Services(load_settings())
    manifest = services.surveys.manifest(survey.NAME)
    found = {}
    for name, compute in TABLES.items():
        by_columns, figures = _timed(compute, manifest, services.collect.scan(survey.NAME))
        one_by_one, again = _timed(compute, manifest, services.collect.stream(survey.NAME))
        if not _are_same(figures, again):
            raise SystemExit(f"the two ways of {name} do not agree")
        found[name] = {"by_columns": by_columns, "one_by_one": one_by_one}
    services.close()
    print(json.dumps(found))


def _timed(compute: Callable[[Manifest, Reports], Figures], manifest: Manifest, reports: Reports) -> tuple[float, Any]:
    began = time.perf_counter()
    figures = compute(manifest, reports)
    return time.perf_counter() - began, figures


def _are_same(one: object, other: object) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_are_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_are_same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= _SAME * max(1.0, abs(one))
    return one == other


if __name__ == "__main__":
    main()
