"""hushpoll waves: from counts, from linked reports, and wrong calls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Command = Callable[..., Result]
Ask = Callable[..., Any]

WARNER = ("waves", "--design", "warner", "--odds", "3:1")
REPEATED = ("waves", "--design", "repeated", "--epsilon", "1", "--permanent", "2")
FOUR = ("--yes", "400,420,450,470", "--n", "1000,1000,1000,1000")


def test_two_waves_have_the_published_difference(ask: Ask, hushpoll: Command) -> None:
    result = ask(*WARNER, "--yes", "350,400", "--n", "1000,1000", "--overlap", "0")
    [change] = result["changes"]
    assert {"first", "second", "estimate", "se", "low", "high", "p_value"} <= change.keys()
    assert f"{change['estimate']:.3f} {change['low']:.4f} {change['high']:.4f}" == "0.100 0.0151 0.1844"
    assert result["trend"] is None
    shown = hushpoll(*WARNER, "--yes", "350,400", "--n", "1000,1000", "--names", "spring,autumn").stdout
    assert "change  spring → autumn:  10.00%  se 4.32%  95% newcombe 1.51% to 18.44%  p = 0.0209" in shown


def test_a_panel_has_narrower_changes_and_a_trend_with_its_band(ask: Ask, hushpoll: Command) -> None:
    times = ("--times", "2021,2022,2023,2025")
    apart, panel = (ask(*REPEATED, *FOUR, *times, *more) for more in ((), ("--overlap", "1", "--changed", "0.2")))
    widths = [result["changes"][0]["high"] - result["changes"][0]["low"] for result in (apart, panel)]
    assert widths[1] < 0.9 * widths[0]
    assert [point["time"] for point in panel["trend"]["points"]] == [2021, 2022, 2023, 2025]
    assert {"slope", "points", "straight"} == panel["trend"].keys()
    shown = hushpoll(*REPEATED, *FOUR, *times).stdout
    assert "trend  for each unit of time:   3.83%" in shown
    assert "no change  χ² = 11.8, df = 3, p = 0.0081" in shown
    assert "The overlap of the waves is not stated" in shown


def test_one_of_several_answers_has_the_design_of_all(ask: Ask) -> None:
    two, four = (ask(*REPEATED, *FOUR, "--answers", answers)["waves"][0] for answers in ("2", "4"))
    assert two["p"] + two["q"] == pytest.approx(1)
    assert four["p"] + 3 * four["q"] == pytest.approx(1)


def test_linked_reports_are_read_from_columns(ask: Ask, tmp_path: Path) -> None:
    lines = [
        "id,spring,autumn",
        *(f"{place},{place % 2},{'' if place < 10 else int(place % 3 > 0)}" for place in range(200)),
    ]
    (tmp_path / "linked.csv").write_text("\n".join(lines), encoding="utf-8")
    result = ask(*REPEATED, "--csv", "linked.csv", "--columns", "spring,autumn")
    assert [(wave["name"], wave["n"]) for wave in result["waves"]] == [("spring", 200), ("autumn", 190)]
    assert result["covariances"]["low"] == result["covariances"]["high"]


def test_a_wave_without_reports_is_no_error(ask: Ask) -> None:
    result = ask(*WARNER, "--yes", "400,0", "--n", "1000,0")
    assert (result["changes"], result["waves"][1]["estimate"]) == ([], None)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((*WARNER,), "Give --yes and --n"),
        ((*WARNER, "--yes", "1,2", "--n", "3"), "one figure for each wave"),
        ((*WARNER, "--yes", "1", "--n", "3"), "1 waves cannot be followed"),
        ((*WARNER, "--yes", "4,1", "--n", "3,3"), "not between 0 and n = 3"),
        ((*WARNER, *FOUR, "--times", "1,2"), "one number for each wave"),
        ((*WARNER, *FOUR, "--times", "1,2,x,4"), "--times must be numbers"),
        ((*WARNER, *FOUR, "--times", "1,3,2,4"), "do not increase"),
        ((*WARNER, *FOUR, "--overlap", "2"), "not in the range"),
        ((*WARNER, *FOUR, "--overlap", "nan"), "not a finite number"),
        ((*WARNER, *FOUR, "--changed", "0.1"), "without the overlap"),
        ((*WARNER, *FOUR, "--permanent", "2"), "go with --design repeated"),
        (("waves", "--design", "repeated", "--epsilon", "1", *FOUR), "needs --permanent"),
        (
            ("waves", "--design", "repeated", "--epsilon", "3", "--permanent", "2", *FOUR),
            "above the epsilon of one wave",
        ),
        ((*WARNER, "--csv", "x.csv"), "--csv needs --columns"),
        ((*WARNER, *FOUR, "--columns", "a,b"), "Give --yes and --n"),
    ],
)
def test_a_wrong_call_ends_with_2_and_says_what_is_right(hushpoll: Command, words: tuple[str, ...], says: str) -> None:
    result = hushpoll(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert says in result.stderr
