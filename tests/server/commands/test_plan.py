"""hushpoll plan: two of epsilon, respondents and margin in, the third out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result

Command = Callable[..., Result]
Ask = Callable[..., Any]

YES_NO = ("plan", "--type", "yes_no")
GIVEN = "1,799 respondents with epsilon 1 give ±5 points"
TOLD = "Your device sends your real answer 73 times in 100, the other one 27 times."
CONTRACT = {"epsilon", "n", "margin", "mechanism", "variance", "lower_bound", "without_privacy_n"}


@pytest.mark.parametrize(
    ("privacy", "n"),
    [
        (("--epsilon", "4"), 414),
        (("--epsilon", "3"), 469),
        (("--epsilon", "2"), 663),
        (("--odds", "3:1"), 1537),
        (("--epsilon", "1"), 1799),
        (("--epsilon", "1/2"), 6405),
        (("--epsilon", "0.25"), 24842),
    ],
)
def test_five_points_take_as_many_respondents_as_the_table_says(ask: Ask, privacy: tuple[str, str], n: int) -> None:
    plan = ask(*YES_NO, *privacy, "--margin", 0.05)
    assert plan.keys() >= CONTRACT
    assert plan["told"].startswith("Your device sends your real answer ")
    assert (plan["n"], plan["margin"], plan["without_privacy_n"], plan["mechanism"]) == (n, 0.05, 385, "warner")


def test_each_of_the_three_is_solved_for(ask: Ask) -> None:
    assert ask(*YES_NO, "--epsilon", 1, "--n", 1799)["margin"] == pytest.approx(0.05, abs=1e-5)
    assert ask(*YES_NO, "--margin", 0.05, "--n", 1799)["epsilon"] == 1
    assert ask(*YES_NO, "--margin", 0.05, "--epsilon", 1)["n"] == 1799


def test_the_margin_that_was_printed_takes_the_same_respondents(ask: Ask) -> None:
    words = ("plan", "--type", "single_choice", "--options", 16, "--epsilon", 2)
    assert ask(*words, "--margin", ask(*words, "--n", 777)["margin"])["n"] == 777


@pytest.mark.parametrize(
    ("words", "mechanism"),
    [
        (("single_choice", "--options", 16), "subset"),
        (("single_choice", "--options", 5000), "projective"),
        (("multi_choice", "--options", 8), "ball"),
        (("multi_choice", "--options", 30, "--max-picks", 1), "privset"),
        (("scale", "--options", 5), "subset"),
        (("scale", "--min", 0, "--max", 10, "--report", "mean"), "channel"),
        (("number",), "channel"),
        (("number", "--min", "-1.5", "--max", 40, "--mechanism", "laplace"), "laplace"),
        (("number", "--report", "distribution"), "square_wave"),
        (("pair", "--options", "2,3"), "subset"),
    ],
)
def test_every_type_gets_its_best_mechanism_and_its_distance_from_the_bound(
    ask: Ask, words: tuple[object, ...], mechanism: str
) -> None:
    plan = ask("plan", "--type", *words, "--epsilon", 1, "--n", 1000)
    assert plan["mechanism"] == mechanism
    assert plan["variance_over_bound"] >= 1 - 1e-9
    assert plan["margin"] > 0
    assert plan["without_privacy_n"] < 1000


def test_a_guess_of_the_share_takes_fewer_respondents_than_the_worst(ask: Ask) -> None:
    # z²·(0.75 + 0.1·0.9)/0.05² at odds of 3:1
    assert ask(*YES_NO, "--odds", "3:1", "--margin", 0.05, "--share", 0.1)["n"] == 1291


@pytest.mark.parametrize(("epsilon", "n", "asked"), [(3, 1265, 2), (4, 698, 3)])
def test_ticks_are_planned_with_the_design_for_the_share_that_is_guessed(
    ask: Ask, epsilon: int, n: int, asked: int
) -> None:
    # With the design for a share of one half it took 1,408 and 804.
    words = ("plan", "--type", "multi_choice", "--options", 8, "--epsilon", epsilon, "--margin", 0.05, "--share", 0.1)
    plan = ask(*words)
    assert (plan["n"], plan["design"]["asked"]) == (n, asked)


def test_a_limit_of_two_ticks_asks_for_fewer_people_and_not_for_more(ask: Ask) -> None:
    words = ("plan", "--type", "multi_choice", "--options", 8, "--epsilon", 1, "--margin", 0.05)
    # It asked for 15,164 and 19,009.
    assert [ask(*words, *most)["n"] for most in ((), ("--max-picks", 2), ("--max-picks", 3))] == [14391, 12927, 14391]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--share", 0.1), "A survey file gets this design with likely_share: 0.1."),
        (("--max-picks", 2), "A survey file gets this design with likely_share: any."),
        (("--share", "1e-5"), "A survey file gets this design with likely_share: 0.00001."),
        (("--share", 0.5), None),
        (("--max-picks", 2, "--share", 0.25), None),
    ],
)
def test_a_plan_says_what_the_survey_file_must_state(
    hushpoll: Command, words: tuple[object, ...], line: str | None
) -> None:
    shown = hushpoll("plan", "--type", "multi_choice", "--options", 8, "--epsilon", 4, "--n", 900, *words).stdout
    assert [each for each in shown.splitlines() if "survey file" in each] == ([line] if line else [])


def test_a_plan_says_so_if_a_survey_file_gets_another_design(hushpoll: Command) -> None:
    words = ("--options", 16, "--max-picks", 3, "--epsilon", 2, "--margin", 0.1, "--population", 3000)
    shown = hushpoll("plan", "--type", "multi_choice", *words).stdout
    assert "A survey file cannot ask for just this design; with likely_share: any it gets one that gives ±10." in shown


def test_a_higher_level_takes_more_respondents(ask: Ask) -> None:
    assert ask(*YES_NO, "--odds", "3:1", "--margin", 0.05, "--level", 0.99)["n"] == 2654


def test_a_population_does_not_shrink_the_part_of_the_randomizing(ask: Ask, hushpoll: Command) -> None:
    # (V + S)/((h/z)² + S/N) with V = 3/4, S = 1/4, N = 2000
    assert ask(*YES_NO, "--odds", "3:1", "--margin", 0.05, "--population", 2000)["n"] == 1290
    refused = hushpoll(*YES_NO, "--odds", "3:1", "--margin", 0.05, "--population", 1000)
    assert refused.exit_code == 1
    assert "even if all 1,000 people answer, the randomizing leaves ±0.0537: raise epsilon" in refused.stderr


def test_a_difference_takes_the_place_of_the_margin(ask: Ask) -> None:
    plan = ask(*YES_NO, "--epsilon", 1, "--difference", 0.1, "--power", 0.9)
    assert plan["power"] >= 0.9
    assert ask(*YES_NO, "--n", plan["n"], "--difference", 0.1, "--power", 0.9)["epsilon"] <= 1
    assert ask(*YES_NO, "--epsilon", 1, "--difference", 0.1)["n"] < plan["n"]


def test_people_read_what_they_get_and_what_respondents_are_told(hushpoll: Command) -> None:
    assert hushpoll(*YES_NO, "--epsilon", 1, "--margin", 0.05).stdout.splitlines() == [
        f"{GIVEN} (95 % interval at the worst share, 0.5). Without privacy 385 would do.",
        f"Respondents have strong protection and are told: “{TOLD}”",
        "Mechanism: warner. None with this epsilon has a smaller variance.",
        "",
        "With 1,799 respondents:",
        "  epsilon  sure in 100  margin",
        "     0.25           56  ±18.6 points",
        "      0.5           62  ±9.43 points",
        "        1           73  ±5 points",
        "        2           88  ±3.03 points",
        "        4           98  ±2.4 points",
        "(How sure one report can make somebody who wavered between two answers.)",
    ]


def test_people_read_that_few_reports_have_a_wider_interval(hushpoll: Command, ask: Ask) -> None:
    words = ("plan", "--type", "single_choice", "--options", 5, "--epsilon", 4, "--share", 0.1, "--n")
    expected = ask(*words, 100)["expected_margin"]
    line = (
        f"With so few reports the interval that hushpoll estimate shows is wider: about ±{100 * expected:.3g} points."
    )
    assert hushpoll(*words, 100).stdout.splitlines()[1] == line
    assert "With so few" not in hushpoll(*words, 20000).stdout
    assert (
        ask("plan", "--type", "number", "--mechanism", "laplace", "--epsilon", 1, "--n", 9)["expected_margin"] is None
    )


def test_people_read_of_means_of_shares_and_of_power_what_belongs_to_them(hushpoll: Command) -> None:
    mean = hushpoll("plan", "--type", "number", "--mechanism", "laplace", "--epsilon", 1, "--n", 900).stdout
    assert "(95 % interval, whatever the answers are)" in mean
    assert "times the lower bound for this epsilon." in mean
    assert "points" not in mean
    share = hushpoll(*YES_NO, "--epsilon", 1, "--difference", 0.1, "--share", 0.2).stdout
    assert "at a share of 0.2)" in share
    assert "They find a difference of 0.1 from a share of 0.2 80 times in 100." in share


def test_too_few_respondents_are_refused_with_the_cure(hushpoll: Command) -> None:
    refused = hushpoll(*YES_NO, "--n", 100, "--margin", 0.05)
    assert refused.exit_code == 1
    assert refused.stderr.startswith("a margin of ±0.05 takes 385 respondents even without privacy, more than 100: ")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--epsilon", "1"], "Give exactly two of"),
        (["--epsilon", "1", "--n", "5", "--margin", "0.1"], "Give exactly two of"),
        (["--epsilon", "1", "--odds", "3:1", "--n", "5"], "exactly one of epsilon, odds"),
        (["--epsilon", "0", "--n", "5"], "epsilon must be at least"),
        (["--epsilon", "one", "--n", "5"], "epsilon must be a positive number"),
        (["--epsilon", "1", "--margin", "0.1", "--difference", "0.1"], "one of --margin and --difference"),
        (["--epsilon", "1", "--margin", "0.1", "--power", "0.9"], "--power goes with --difference"),
        (["--epsilon", "1", "--difference", "0.6"], "--difference leads above a share of 1"),
        (["--epsilon", "1", "--n", "5", "--population", "4"], "smaller than n = 5"),
        (["--epsilon", "1", "--n", "5", "--options", "4"], "yes_no has two options"),
        (["--epsilon", "1", "--n", "5", "--mechanism", "laplace"], "--mechanism laplace is for means"),
    ],
)
def test_a_wrong_call_ends_with_2(hushpoll: Command, words: list[str], says: str) -> None:
    refused = hushpoll(*YES_NO, *words)
    assert refused.exit_code == 2
    assert says in refused.stderr


def test_a_share_does_not_go_with_a_mean(hushpoll: Command) -> None:
    refused = hushpoll("plan", "--type", "number", "--epsilon", 1, "--n", 10, "--share", 0.5)
    assert refused.exit_code == 2
    assert "--share does not go with a mean" in refused.stderr
