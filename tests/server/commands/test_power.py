"""hushpoll power: every test of the command, sizes and powers, and wrong calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result

Command = Callable[..., Result]
Ask = Callable[..., Any]

DESIGN = ("--design", "warner", "--odds", "3:1")
DIRECT = ("--design", "kuk", "--p1", "1", "--p0", "0")

CALLS = {
    "share": ("--share", "0.3", "--value", "0.2", *DESIGN),
    "difference": ("--shares", "0.3,0.2", *DESIGN),
    "groups": ("--shares", "0.2,0.3,0.4", *DESIGN),
    "independence": ("--shares", "0.3,0.4", "--odds-ratio", "3", *DESIGN),
    "mean": ("--difference", "-0.5", "--sd", "2", "--min", "0", "--max", "10", "--epsilon", "2"),
    "regression": ("--share", "0.3", "--odds-ratio", "2", "--covariate", "normal", *DESIGN),
    "change": ("--shares", "0.3,0.2", "--correlation", "0.3", *DESIGN),
}


@pytest.mark.parametrize("test", CALLS)
def test_the_size_that_is_found_has_the_power_that_was_wanted(test: str, ask: Ask) -> None:
    found = ask("power", "--test", test, *CALLS[test])
    assert found["power"] >= 0.8
    assert found["total"] == sum(found["n"])
    again = ask("power", "--test", test, *CALLS[test], "--n", found["n"][0])
    assert again == found
    fewer = ask("power", "--test", test, *CALLS[test], "--n", found["n"][0] - 1)
    assert fewer["power"] < 0.8


def test_a_direct_question_takes_the_published_size(ask: Ask, hushpoll: Command) -> None:
    words = ("power", "--test", "difference", "--shares", "0.5,0.6", *DIRECT)
    assert ask(*words)["n"] == [388, 388]
    shown = hushpoll(*words).stdout
    assert "388 in each group, 776 respondents in all, give a power of 0.8007 at alpha 0.05 (normal" in shown


def test_what_was_used_is_said(ask: Ask, hushpoll: Command) -> None:
    words = ("power", "--test", "difference", "--shares", "0.3,0.6", *DESIGN, "--n", "100", "--ratio", "2")
    found = ask(*words)
    assert (found["method"], found["n"]) == ("exact", [100, 200])
    # 2,000 simulated pairs of surveys found the difference 709 times in 1,000 (seed 15).
    assert found["power"] == pytest.approx(0.70184, abs=1e-5)
    assert "100 and 200, 300 respondents in all, give" in hushpoll(*words).stdout


def test_the_likelihood_ratio_takes_fewer_people(ask: Ask) -> None:
    wald, ratio = (
        ask("power", "--test", "regression", *CALLS["regression"], "--statistic", name)["total"]
        for name in ("wald", "likelihood_ratio")
    )
    assert ratio < wald


def test_nothing_to_find_is_said(hushpoll: Command) -> None:
    shown = hushpoll("power", "--test", "difference", "--shares", "0.3,0.3", *DESIGN, "--n", "1000").stdout
    assert "power of 0.0500" in shown
    assert "warning: There is nothing to find" in shown


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("difference", "--shares", "0.3,0.2"), "needs --design"),
        (("difference", *DESIGN), "needs --shares"),
        (("difference", "--shares", "0.3", *DESIGN), "two shares"),
        (("difference", "--shares", "0.3,x", *DESIGN), "--shares"),
        (("difference", "--shares", "0.3,0.2", "--sd", "1", *DESIGN), "has no --sd"),
        (("difference", "--shares", "0.3,0.2", "--n", "9", "--power", "0.8", *DESIGN), "not both"),
        (("difference", "--shares", "0.3,0.2", "--alpha", "0.9", *DESIGN), "alpha"),
        (("difference", "--shares", "0.3,1.2", *DESIGN), "not between 0 and 1"),
        (("mean", "--difference", "1", "--sd", "1", *DESIGN), "no --design"),
        (("mean", "--difference", "1", "--sd", "1", "--epsilon", "1"), "needs --min and --max"),
        (("mean", "--difference", "1", "--sd", "1", "--min", "0", "--max", "1"), "with --epsilon or --odds"),
        (
            (
                "regression",
                "--share",
                "0.3",
                "--odds-ratio",
                "2",
                "--covariate",
                "normal",
                "--covariate-share",
                "0.1",
                *DESIGN,
            ),
            "binary",
        ),
    ],
)
def test_a_wrong_call_is_refused(hushpoll: Command, words: tuple[str, ...], says: str) -> None:
    result = hushpoll("power", "--test", *words)
    assert result.exit_code == 2
    assert says in result.stderr
