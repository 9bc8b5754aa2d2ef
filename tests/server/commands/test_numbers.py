"""Numbers on the command line: what is none, or does not fit, is a wrong call and never a traceback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import click
import pytest
from click.testing import Result
from tests.server.commands.test_help import COMMANDS

from hushpoll_server.commands.numbers import LARGEST_COUNT

Command = Callable[..., Result]
Ask = Callable[..., Any]

NO_NUMBERS = ("nan", "-nan", "inf", "-inf", "Infinity", "1e400", "-1e400")
TOO_LARGE = (str(2**63), str(2**64), str(10**40), str(-(2**63) - 1))
NASTY = (
    *NO_NUMBERS,
    *TOO_LARGE,
    *("9" * 5000, str(LARGEST_COUNT), "1e308", "5e-324", "1e-400", "-0", "0", "0.0", "-1", "1", "2", "1_0", "0x10"),
    *("", " ", ",", "1,", ",1", "1,,2", "1;2", "1, 2", "2,5", "½", "١٢", "∞"),
    *("1/0", "1/3", "0:0", "3:1", "1e3", "true"),
)
WARNER = ("estimate", "--design", "warner")
# Calls that are right; each of their values is replaced by each nasty one in turn.
CALLS: list[tuple[str, ...]] = [
    (*WARNER, "--odds", "3:1", "--yes", "40", "--n", "100", "--population", "900", "--level", "0.9", "--beta", "0.05"),
    (*WARNER, "--p", "3/4", "--yes", "40", "--n", "100", "--method", "exact"),
    (*WARNER, "--truth", "1/2", "--yes", "40", "--n", "100", "--coverage", "anytime"),
    ("estimate", "--design", "grr", "--epsilon", "1", "--counts", "40,30,20"),
    ("estimate", "--design", "matrix", "--matrix", "1/2,1/2;1/4,3/4", "--counts", "40,30"),
    ("estimate", "--design", "unrelated", "--p", "0.7,0.3", "--yes", "40,30", "--n", "90,90"),
    ("estimate", "--design", "cheating", "--truth", "3/4,1/2", "--yes-share", "1,1", "--yes", "4,3", "--n", "9,9"),
    ("plan", "--type", "yes_no", "--epsilon", "1", "--margin", "0.05", "--share", "0.3", "--population", "90000"),
    ("plan", "--type", "yes_no", "--odds", "3:1", "--difference", "0.1", "--power", "0.9", "--level", "0.99"),
    ("plan", "--type", "yes_no", "--n", "3000", "--margin", "0.05"),
    ("plan", "--type", "single_choice", "--options", "4", "--epsilon", "1", "--n", "3000"),
    ("plan", "--type", "multi_choice", "--options", "8", "--max-picks", "2", "--epsilon", "1", "--n", "3000"),
    ("plan", "--type", "scale", "--min", "1", "--max", "5", "--epsilon", "1", "--n", "3000"),
    ("plan", "--type", "pair", "--options", "2,3", "--epsilon", "1", "--n", "3000"),
    ("plan", "--type", "number", "--min", "0", "--max", "9", "--mechanism", "laplace", "--epsilon", "1", "--n", "900"),
]


def options_of(kind: type[click.ParamType[Any]]) -> Iterator[tuple[str, click.Option]]:
    """Return every option of every command that is read as such a number."""
    for name, command in COMMANDS.items():
        for option in command.params:
            if isinstance(option, click.Option) and isinstance(option.type, kind):
                yield f"{name} {option.opts[0]}", option


FRACTIONS, COUNTS = (dict(options_of(type(kind))) for kind in (click.FLOAT, click.INT))


@pytest.mark.parametrize("name", FRACTIONS)
def test_no_option_takes_what_is_not_a_finite_number(name: str) -> None:
    for value in NO_NUMBERS:
        with pytest.raises(click.UsageError):
            FRACTIONS[name].process_value(click.Context(click.Command("hushpoll")), value)


@pytest.mark.parametrize("name", COUNTS)
def test_no_option_takes_a_count_that_does_not_fit_into_63_bits(name: str) -> None:
    for value in TOO_LARGE:
        with pytest.raises(click.UsageError):
            COUNTS[name].process_value(click.Context(click.Command("hushpoll")), value)


@pytest.mark.parametrize("call", CALLS, ids=lambda call: " ".join(call[:5]))
def test_a_nasty_value_never_ends_in_a_traceback(hushpoll: Command, call: tuple[str, ...]) -> None:
    places = [place for place, word in enumerate(call) if place > 3 and not word.startswith("--")]
    for place, value in product(places, NASTY):
        words = (*call[:place], value, *call[place + 1 :])
        # An exception without a message fails the test, and so does NaN in JSON.
        result = hushpoll(*words, "--json")
        assert result.exit_code in (0, 1, 2), words
        assert (result.exit_code == 0) == bool(result.stdout), words
        if result.exit_code:
            assert len(result.stderr.splitlines()[-1]) > 10, words


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("plan", "--type", "yes_no", "--epsilon", 1, "--margin", "nan"), "nan is not a finite number"),
        (("plan", "--type", "yes_no", "--epsilon", 1, "--margin", "inf"), "inf is not a finite number"),
        (("plan", "--type", "yes_no", "--epsilon", 1, "--margin", 2), "all answers lie within 1: give a smaller"),
        (("plan", "--type", "number", "--epsilon", 1, "--difference", 3), "all answers lie within 2: give a smaller"),
        (("plan", "--type", "yes_no", "--epsilon", 1, "--margin", 0.05, "--share", "nan"), "nan is not a finite"),
        (("plan", "--type", "yes_no", "--epsilon", 1, "--difference", 0.1, "--power", "nan"), "nan is not a finite"),
        (("plan", "--type", "yes_no", "--epsilon", 1, "--n", 10**15 + 1), "1<=x<=1000000000000000"),
        ((*WARNER, "--odds", "3:1", "--yes", 1, "--n", 2, "--beta", "nan"), "nan is not a finite number"),
        ((*WARNER, "--odds", "3:1", "--yes", 1, "--n", 2**63), "not in the range 0<=x<=9223372036854775807"),
    ],
)
def test_a_number_that_cannot_be_is_a_wrong_call_with_one_clear_sentence(
    hushpoll: Command, words: tuple[object, ...], says: str
) -> None:
    result = hushpoll(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert says in result.stderr.splitlines()[-1]


@pytest.mark.parametrize("method", ["wilson", "exact", "wald"])
def test_the_largest_counts_that_fit_are_estimated(ask: Ask, method: str) -> None:
    half, most = LARGEST_COUNT // 2, LARGEST_COUNT
    [cell] = ask(*WARNER, "--odds", "3:1", "--yes", half, "--n", most, "--method", method)["cells"]
    assert cell["estimate"] == pytest.approx(0.5)
    assert cell["low"] <= cell["estimate"] <= cell["high"]
    [all_yes] = ask(*WARNER, "--odds", "3:1", "--yes", most, "--n", most, "--method", method)["cells"]
    assert all_yes["low"] <= all_yes["estimate"] <= all_yes["high"]


@pytest.mark.parametrize(
    ("counts", "says"),
    [
        ("", "--counts must be whole numbers with commas between them"),
        ("380,,270", "--counts must be whole numbers with commas between them"),
        ("380,270,", "--counts must be whole numbers with commas between them"),
        ("380,270.5", "--counts must be whole numbers with commas between them"),
        ("380,-1", "is negative"),
        (f"{LARGEST_COUNT},1", "--counts add up to more than"),
        (f"-{2**64},1", "--counts add up to more than"),
        ("9" * 5000, "--counts must be whole numbers"),
        ("7", "2 to 2048 categories"),
        (",".join(["7"] * 5000), "2 to 2048 categories"),
    ],
)
def test_counts_that_cannot_be_are_refused(hushpoll: Command, counts: str, says: str) -> None:
    result = hushpoll("estimate", "--design", "grr", "--epsilon", 1, "--counts", counts)
    assert (result.exit_code, result.stdout) == (2, "")
    assert says in result.stderr


def test_blanks_between_counts_do_no_harm(ask: Ask) -> None:
    grr = ("estimate", "--design", "grr", "--epsilon", 1, "--counts")
    assert ask(*grr, " 380, 270 ,200") == ask(*grr, "380,270,200")
    assert len(ask(*grr, ",".join(["7"] * 2048))["cells"]) == 2048
