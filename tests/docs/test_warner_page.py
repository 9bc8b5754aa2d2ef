"""The tables of docs/mechanisms/warner.md, worked out again."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from tests.samples.designs import warner

from hushpoll_server.estimate.intervals import normal_quantile
from hushpoll_server.estimate.shares import estimate_yes_no
from hushpoll_server.estimate.support import SupportDesign
from hushpoll_shared.mechanisms import Subset

PAGE = (Path(__file__).parents[2] / "docs" / "mechanisms" / "warner.md").read_text(encoding="utf-8")
HALF_WIDTH = 0.05


def table(heading: str) -> list[list[str]]:
    """Return the cells of the table whose first line starts so, without its head."""
    lines = PAGE[PAGE.index(f"\n| {heading}") :].splitlines()[3:]
    rows = lines[: lines.index("")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def design_of(text: str) -> Subset:
    return warner(odds="3:1") if text == "ln 3" else warner(epsilon=text)


def test_the_thresholds_are_those_of_the_code() -> None:
    rows = table("stated | threshold t")
    assert len(rows) == 6
    for stated, threshold, epsilon in rows:
        name, value = stated.replace("ε =", "epsilon").split()
        design = warner(**{name: value})
        assert (threshold.split(" ")[0], epsilon) == (str(design.threshold), str(design.epsilon))


@pytest.mark.parametrize("row", table("ε | p | r"), ids=lambda row: row[0])
def test_the_table_of_respondents_follows_from_the_design(row: list[str]) -> None:
    stated, p, r, privacy, total, times, n = row
    design = design_of(stated)
    support = SupportDesign(design.p, design.q)
    variance = support.privacy_variance(0.5)
    assert variance == pytest.approx(1 / (4 * math.sinh(float(design.epsilon) / 2) ** 2))
    assert (p, r) == (f"{support.p:.10f}", f"{support.gap:.10f}")
    assert (privacy, total) == (f"{variance:.8g}", f"{variance + 0.25:.8g}")
    assert times == f"{(variance + 0.25) / 0.25:.2f}"
    wanted = normal_quantile(0.95) ** 2 / (4 * support.gap**2 * HALF_WIDTH**2)
    assert int(n) == math.ceil(wanted)


@pytest.mark.parametrize(("row", "population"), [*zip(table("target | se"), [None, 12_000, 1000], strict=True)])
def test_the_worked_example_is_what_the_code_gives(row: list[str], population: int | None) -> None:
    design = warner(odds="3:1")
    support = SupportDesign(design.p, design.q)
    _, se, *intervals = row
    for method, written in zip(("wilson", "exact"), intervals, strict=True):
        result = estimate_yes_no(
            400, 1000, support, epsilon=float(design.epsilon), method=method, population=population
        )
        [cell] = result.cells
        assert f"{cell.se:.6f}" == f"0{se}"
        assert f"{cell.low:.6f} to {cell.high:.6f}".replace("0.", ".") == written
