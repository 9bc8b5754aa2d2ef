"""What people read of an estimation: every figure of the JSON that says something about the answers."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from click.testing import Result as Called
from tests.server.estimate.estimated import every_design, some_counts

from hushpoll_server.analysis.results import cross_results_of, results_of
from hushpoll_server.commands.figures import print_result, print_table
from hushpoll_server.estimate.manipulation import Band
from hushpoll_server.estimate.numbers.mean_of_some import TOO_FEW_NUMBERS, MeanOfSomeResult
from hushpoll_server.estimate.numbers.means import Mean, MeanResult
from hushpoll_server.estimate.options import Options

Command = Callable[..., Called]
Ask = Callable[..., Any]
Capture = pytest.CaptureFixture[str]

WARNER = ("estimate", "--design", "warner", "--odds", "3:1", "--n", 1000)
GRR = ("estimate", "--design", "grr", "--epsilon", 4, "--counts")
# The design alone would name the last category more often.
IMPOSSIBLE = "500,480,15,1"
MEAN = MeanResult(
    n=40,
    level=0.95,
    method="wilson",
    coverage="pointwise",
    epsilon=1.0,
    population=None,
    mean=Mean(estimate=12.0, se=4.0, low=4.0, high=20.0),
)


def lines_of(called: Called) -> list[str]:
    assert called.exit_code == 0, called.stderr
    return called.stdout.splitlines()


def test_made_up_reports_have_a_line_for_each_figure(hushpoll: Command) -> None:
    # The band of estimation.md at odds of 3:1 and a rate of 0.4.
    assert lines_of(hushpoll(*WARNER, "--yes", 400, "--beta", 0.05)) == [
        "warner  yes:  30.00%  se 3.10%  95% wilson 24.01% to 36.14%  n = 1000",
        "warner  yes, if 5% are made up: 23.68% to 34.21%",
    ]
    assert "warner  yes, if 1% are made up: 28.79% to 30.81%" in lines_of(
        hushpoll(*WARNER, "--yes", 400, "--beta", 0.01)
    )


def test_the_limits_that_a_warning_announces_are_there(hushpoll: Command, ask: Ask) -> None:
    lines = lines_of(hushpoll(*GRR, IMPOSSIBLE))
    limits = ask(*GRR, IMPOSSIBLE)["cells"][3]["constrained"]
    expected = f"grr  4, constrained: {limits['low']:.2%} to {limits['high']:.2%}"
    assert [line for line in lines if "constrained: " in line] == [expected]
    assert any("constrained likelihood-ratio limits" in line for line in lines if "warning" in line)
    assert "warner  yes, constrained: 0.00% to 1.36%" in lines_of(hushpoll(*WARNER, "--yes", 200))


def test_a_share_that_cannot_be_has_its_tidy_value_beside_it(hushpoll: Command) -> None:
    [impossible] = [line for line in lines_of(hushpoll(*WARNER, "--yes", 200)) if "se " in line]
    assert impossible.endswith("n = 1000  tidy 0.00%")
    assert "tidy" not in hushpoll(*WARNER, "--yes", 400).stdout


@pytest.mark.parametrize(
    ("coverage", "words"), [("simultaneous", "95% simultaneous wilson"), ("anytime", "95% anytime mixture")]
)
def test_an_interval_says_what_its_level_holds_for(hushpoll: Command, coverage: str, words: str) -> None:
    assert f"  {words} " in lines_of(hushpoll(*GRR, "500,480,300,200", "--coverage", coverage))[0]


def test_a_mean_has_its_band_and_what_exists_of_its_interval(capsys: Capture) -> None:
    print_result("hours", replace(MEAN, band=Band(0.05, 9.0, 15.5)))
    half = MeanOfSomeResult(
        **{**vars(MEAN), "mean": Mean(estimate=12.0, se=4.0, high=20.0), "warnings": (TOO_FEW_NUMBERS,)},
        cells_method="wilson",
    )
    print_result("some", half)
    print_result("none", replace(half, mean=Mean(estimate=12.0, se=4.0)))
    assert capsys.readouterr().out.splitlines() == [
        "hours  mean:      12  se 4  95% wilson 4 to 20  n = 40",
        "hours  mean, if 5% are made up: 9 to 15.5",
        "some  mean:      12  se 4  95% wilson no limit to 20  n = 40",
        f"some  warning: {TOO_FEW_NUMBERS}",
        "none  mean:      12  se 4  no interval yet  n = 40",
        f"none  warning: {TOO_FEW_NUMBERS}",
    ]


@pytest.mark.parametrize("epsilon", ["1", "8"])
def test_every_band_every_constrained_limit_and_every_cell_of_every_design_is_printed(
    epsilon: str, capsys: Capture
) -> None:
    compiled = every_design(epsilon)
    counts, options = some_counts(compiled, 40, random.Random(5)), Options(beta=0.05)
    results = results_of(compiled.manifest, counts, options)
    tables = cross_results_of(compiled.manifest, counts, compiled.crossed, options)
    for name, result in results.items():
        print_result(name, result)
        assert_all_is_printed(name, result.to_json(), capsys.readouterr().out)
    for table in tables:
        print_table(table)
        shown = capsys.readouterr().out
        assert shown.count("if 5% are made up") == len(table.cells)
        assert ("independence" in shown) == (table.independence is not None)


def assert_all_is_printed(name: str, figures: Any, shown: str) -> None:
    bands = [item for item in items(figures) if "band" in item]
    assert shown.count(f"{name}  ") == len(shown.splitlines())
    assert shown.count(", if 5% are made up: ") == len(bands)
    assert shown.count(", constrained: ") == sum(bool(item.get("constrained")) for item in items(figures))
    for item in items(figures):
        if item["estimate"] is not None:
            assert f"  {item['name']}: " in shown
            assert "asked" not in item or f"n = {item['asked']} of {figures['n']}" in shown


def items(figures: Any) -> Iterator[Any]:
    """Return the mean, the cells, and what a distribution has besides."""
    if "mean" in figures:
        band = {"band": figures["band"]} if "band" in figures else {}
        yield {"name": "mean", "estimate": figures["mean"]["estimate"], **band}
    # Everybody is below the last bin, which has no line of its own.
    yield from (*figures.get("cells", ()), *figures.get("bins", ())[:-1])
    yield from ({**each, "name": f"below {each['below']:g}"} for each in figures.get("cumulative", ()))
    yield from ({**each, "name": f"{each['share']:.0%} below"} for each in figures.get("quantiles", ()))
    if "sd" in figures:
        yield {"name": "standard deviation", **figures["sd"]}
