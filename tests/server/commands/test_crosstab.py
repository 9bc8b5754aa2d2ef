"""hushpoll crosstab from reports: two and three questions, numbers, what people read, and wrong calls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from tests.vectors.streams import FixedTestStream

from hushpoll_client.survey import Survey
from hushpoll_server.compile.definition import compile_survey
from hushpoll_shared.signing import SigningKey, sign

Command = Callable[..., Result]
Ask = Callable[..., Any]

SURVEY = """\
survey: campus
title: Campus
consent: Taking part is voluntary.
respondents: 1000
reason: A test.
questions:
  - {id: cheated, text: Cheated?, type: yes_no, privacy: {epsilon: "4"}}
  - {id: helped, text: Helped?, type: yes_no, privacy: {epsilon: "4"}}
  - {id: ways, text: How?, type: multi_choice, options: [phone, notes], privacy: {epsilon: "4"}}
  - {id: hours, text: Hours?, type: number, min: 0, max: 40, report: mean, privacy: {epsilon: "4"}}
"""
COUNTS = ("crosstab", "--design", "warner", "--odds", "3:1", "--counts", "300,200;200,300")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """Write a manifest and 600 reports: half of the people cheated, helped, and study 10 hours; the others 30."""
    folder = tmp_path_factory.mktemp("crosstab")
    manifest = compile_survey(SURVEY, "campus.yaml").manifest
    (folder / "M.json").write_bytes(sign(manifest, SigningKey.generate()))
    survey, source = Survey(manifest), FixedTestStream("crosstab")
    people = (
        {"cheated": even, "helped": even or i % 4 == 1, "ways": ["phone"] if even else [], "hours": 10 if even else 30}
        for i in range(600)
        for even in (i % 2 == 0,)
    )
    lines = [survey.randomize(each, source=source).encode() for each in people]
    (folder / "R.ndjson").write_bytes(b"\n".join(lines))
    return "crosstab", "--manifest", str(folder / "M.json"), "--reports", str(folder / "R.ndjson")


def test_two_questions_have_the_keys_of_the_contract_and_everything_else(ask: Ask, files: tuple[str, ...]) -> None:
    table = ask(*files, "--questions", "cheated,helped")
    assert {"n", "cells", "independence", "odds_ratio"} <= table.keys()
    assert {"row", "column", "estimate", "se", "low", "high"} == table["cells"][0].keys()
    assert (table["first"], table["second"], table["n"]) == ("cheated", "helped", 600)
    assert (len(table["covariances"]), len(table["rows"]), len(table["columns"])) == (4, 2, 2)
    [gap] = table["differences"]
    assert {"first", "second", "estimate", "se", "low", "high", "p_value"} <= gap.keys()
    assert gap["low"] < 0.5 < gap["high"]
    among = {(each["row"], each["column"]): each for each in table["row_percentages"]}
    assert among["no", "yes"]["low"] < 0.5 < among["no", "yes"]["high"]
    assert table["odds_ratios"] == [] or "compares" in table["odds_ratios"][0]


def test_people_read_the_same(hushpoll: Command, files: tuple[str, ...]) -> None:
    shown = hushpoll(*files, "--questions", "cheated,helped").stdout
    assert "crosstab  no × no:" in shown
    assert "row  yes among no:" in shown
    assert "difference  no among no − among yes:" in shown
    assert "independence  χ² = " in shown


def test_a_number_has_its_mean_in_each_group(ask: Ask, hushpoll: Command, files: tuple[str, ...]) -> None:
    table = ask(*files, "--questions", "cheated,hours")
    no, yes = table["means"]
    assert no["low"] < 30 < no["high"]
    assert yes["low"] < 10 < yes["high"]
    assert (table["groups_of"], table["mean_of"]) == ("cheated", "hours")
    assert table["differences"][0]["p_value"] < 1e-6
    shown = hushpoll(*files, "--questions", "cheated,hours").stdout
    assert "mean  no:" in shown
    assert "all equal  χ²" in shown


def test_three_questions_are_compared_within_the_third(ask: Ask, hushpoll: Command, files: tuple[str, ...]) -> None:
    table = ask(*files, "--questions", "cheated,helped,ways:phone")
    assert table["questions"] == ["cheated", "helped", "ways:phone"]
    assert [each["answer"] for each in table["within"]] == ["ticked", "not ticked"]
    assert len(table["cells"]) == 8
    assert "within ways:phone = ticked" in hushpoll(*files, "--questions", "cheated,helped,ways:phone").stdout


def test_counts_have_row_percentages_too(ask: Ask) -> None:
    table = ask(*COUNTS, "--adjust", "benjamini-hochberg")
    assert [each["estimate"] for each in table["row_percentages"]] == pytest.approx([0.9, 0.1, 0.1, 0.9])
    assert table["adjustment"] == "benjamini-hochberg"
    assert "first" not in table


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--questions", "cheated,helped", "--counts", "1,2;3,4"), "Give a survey's reports with --questions"),
        ((), "Give a survey's reports with --questions"),
    ],
)
def test_two_forms_at_once_are_a_wrong_call(
    hushpoll: Command, files: tuple[str, ...], words: tuple[str, ...], says: str
) -> None:
    result = hushpoll(*files, *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert says in result.stderr


def test_a_table_that_cannot_be_made_ends_with_1_and_the_cure(
    hushpoll: Command, files: tuple[str, ...], tmp_path: Path
) -> None:
    result = hushpoll(*files, "--questions", "cheated,ways")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "name one of its options, such as 'ways:phone'" in result.stderr
    result = hushpoll(*files[:-1], str(tmp_path / "none"), "--questions", "cheated,helped")
    assert result.exit_code == 1
