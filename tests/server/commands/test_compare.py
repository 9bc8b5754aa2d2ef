"""hushpoll compare and hushpoll crosstab: the names of the contract, what people read, and wrong calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result

Command = Callable[..., Result]
Ask = Callable[..., Any]

COMPARE = ("compare", "--design", "warner", "--odds", "3:1")
CROSSTAB = ("crosstab", "--design", "warner", "--odds", "3:1")


def test_two_groups_have_the_published_difference(ask: Ask, hushpoll: Command) -> None:
    result = ask(*COMPARE, "--yes", "400,350", "--n", "1000,1000")
    [gap] = result["differences"]
    assert {"first", "second", "estimate", "se", "low", "high", "p_value"} <= gap.keys()
    assert (
        f"{gap['estimate']:.3f} {gap['low']:.4f} {gap['high']:.4f} {gap['p_value']:.4f}" == "0.100 0.0151 0.1844 0.0209"
    )
    assert [group["name"] for group in result["groups"]] == ["1", "2"]
    shown = hushpoll(*COMPARE, "--yes", "400,350", "--n", "1000,1000", "--groups", "arts,law").stdout
    assert "difference  arts − law:  10.00%  se 4.32%  95% newcombe 1.51% to 18.44%  p = 0.0209" in shown


def test_an_empty_group_is_no_error(ask: Ask) -> None:
    result = ask(*COMPARE, "--yes", "400,0", "--n", "1000,0")
    assert result["groups"][1]["estimate"] is None
    assert (result["differences"], result["overall"]) == ([], None)


def test_a_table_is_printed_row_by_row(ask: Ask, hushpoll: Command) -> None:
    result = ask(*CROSSTAB, "--counts", "300,200;200,300")
    assert [cell["estimate"] for cell in result["cells"]] == pytest.approx([0.45, 0.05, 0.05, 0.45])
    assert [(cell["row"], cell["column"]) for cell in result["cells"]][:2] == [("yes", "yes"), ("yes", "no")]
    assert result["independence"] == pytest.approx({"statistic": 40, "df": 1, "p_value": 2.54e-10}, rel=1e-3)
    assert result["odds_ratio"]["estimate"] == pytest.approx(81)
    shown = hushpoll(*CROSSTAB, "--counts", "300,200;200,300").stdout
    assert "independence  χ² = 40, df = 1" in shown
    assert "odds ratio  the odds of column “yes”" in shown


def test_k_answers_are_crossed_by_grr(ask: Ask) -> None:
    result = ask("crosstab", "--design", "grr", "--epsilon", "2", "--counts", "300,200,100;200,300,50")
    assert len(result["cells"]) == 6
    assert result["odds_ratio"] is None
    assert result["warnings"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((*COMPARE, "--yes", "1,2", "--n", "3"), "one figure for each group"),
        ((*COMPARE, "--yes", "1,x", "--n", "3,3"), "--yes must be whole numbers"),
        ((*COMPARE, "--yes", "1", "--n", "3"), "1 groups cannot be compared"),
        ((*COMPARE, "--yes", "4,1", "--n", "3,3"), "not between 0 and n = 3"),
        ((*COMPARE, "--yes", "1,1", "--n", "3,3", "--groups", "a,a"), "same name"),
        ((*COMPARE, "--p", "1/4", "--yes", "1,1", "--n", "3,3"), "needs exactly one of"),
        ((*CROSSTAB, "--counts", "1,2;3"), "rows of the same length"),
        ((*CROSSTAB, "--counts", "1,2"), "two or more rows"),
        ((*CROSSTAB, "--counts", "1,2,3;4,5,6"), "two rows and two columns"),
        ((*CROSSTAB, "--counts", "1,2;3,-4"), "negative"),
        ((*CROSSTAB, "--counts", f"{2**62},{2**62};1,1"), "add up to more"),
    ],
)
def test_a_wrong_call_ends_with_2_and_says_what_is_right(hushpoll: Command, words: tuple[str, ...], says: str) -> None:
    result = hushpoll(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert says in result.stderr
