"""hushpoll weigh: a CSV file in, the share of a population out, or a sentence that says what to change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result

from hushpoll_server.analysis import SupportDesign, poststratify, rake, raked_share, weighted_share

Command = Callable[..., Result]
Ask = Callable[..., Any]

DESIGN = SupportDesign(0.75, 0.25)
CALL = ("weigh", "--csv", "survey.csv", "--outcome", "cheated", "--design", "warner", "--odds", "3:1")
STRATA = ("--strata", "faculty", "--shares", "arts=0.4,law=3/5")
RAKE = ("--rake", "faculty:arts=0.4,law=0.6; age:young=1/2,old=1/2")


@pytest.fixture
def columns(tmp_path: Path) -> dict[str, list[Any]]:
    """Write a survey with weights and public labels."""
    rng = np.random.default_rng(3)
    columns = {
        "cheated": rng.integers(0, 2, 600).tolist(),
        "w": np.round(rng.lognormal(0, 0.5, 600), 3).tolist(),
        "faculty": rng.choice(["arts", "law"], 600, p=[0.7, 0.3]).tolist(),
        "age": rng.choice(["young", "old"], 600, p=[0.8, 0.2]).tolist(),
    }
    rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    (tmp_path / "survey.csv").write_text("\n".join([",".join(columns), *rows]) + "\n", encoding="utf-8")
    return columns


@pytest.mark.parametrize("population", [None, 5000])
def test_weights_give_the_figures_of_the_library(
    ask: Ask, columns: dict[str, list[Any]], population: int | None
) -> None:
    shown = ask(*CALL, "--weights", "w", *([] if population is None else ["--population", population]))
    result = weighted_share(columns["cheated"], columns["w"], DESIGN, population=population)
    assert shown == {"weighting": "weights", "epsilon": pytest.approx(np.log(3)), **result.to_json()}
    assert {"n", "effective_n", "estimate", "se", "low", "high", "level", "method", "standard_errors"} <= shown.keys()
    assert (shown["n"], shown["standard_errors"], shown["population"]) == (600, "linearized", population)


def test_strata_give_the_figures_of_the_library(ask: Ask, columns: dict[str, list[Any]]) -> None:
    shown = ask(*CALL, *STRATA)
    faculty, y = np.array(columns["faculty"]), np.array(columns["cheated"])
    counts = {name: (int(y[faculty == name].sum()), int((faculty == name).sum())) for name in ("arts", "law")}
    result = poststratify(counts, {"arts": "0.4", "law": "3/5"}, DESIGN).to_json()
    assert shown == {"weighting": "strata", "epsilon": pytest.approx(np.log(3)), **result}
    assert [stratum["name"] for stratum in shown["strata"]] == ["arts", "law"]


@pytest.mark.parametrize("start", [(), ("--weights", "w")])
def test_margins_give_the_figures_of_the_library(
    ask: Ask, columns: dict[str, list[Any]], start: tuple[str, ...]
) -> None:
    shown = ask(*CALL, *RAKE, *start)
    margins = {"faculty": {"arts": "0.4", "law": "0.6"}, "age": {"young": "1/2", "old": "1/2"}}
    rows = {name: columns[name] for name in margins}
    raked = rake(margins, rows, start=columns["w"] if start else None)
    assert shown.pop("raking") == raked.to_json()
    result = raked_share(columns["cheated"], raked, DESIGN).to_json()
    assert shown == {"weighting": "raking", "epsilon": pytest.approx(np.log(3)), **result}


def test_weights_are_trimmed_on_request(ask: Ask, columns: dict[str, list[Any]]) -> None:
    shown = ask(*CALL, *RAKE, "--weights", "w", "--largest-weight", "4")
    assert shown["raking"]["largest_weight"] <= 4 + 1e-6
    assert shown["raking"]["trimmed"] > 0


def test_people_read_a_line_for_each_stratum_and_one_for_the_whole(
    hushpoll: Command, columns: dict[str, list[Any]]
) -> None:
    arts, law, whole = hushpoll(*CALL, *STRATA, "--level", "0.9").stdout.splitlines()
    assert arts.startswith("stratum  arts: ")
    assert "share of the population 60%" in law
    assert whole.startswith("weighted  yes: ")
    assert "90% mover" in whole
    assert "effective n = " in whole


def test_a_design_without_an_epsilon_is_said(hushpoll: Command, columns: dict[str, list[Any]]) -> None:
    shown = hushpoll(*CALL[:5], "--design", "mangat", "--p", "0.7", "--weights", "w").stdout
    assert "no finite epsilon" in shown


@pytest.mark.parametrize(
    "words",
    [
        CALL,
        CALL[:5],
        (*CALL, "--strata", "faculty"),
        (*CALL, "--shares", "arts=1"),
        (*CALL, *STRATA, "--weights", "w"),
        (*CALL, *STRATA, *RAKE),
        (*CALL, "--weights", "cheated"),
        (*CALL, "--strata", "cheated", "--shares", "0=1"),
        (*CALL, "--rake", "faculty"),
        (*CALL, "--rake", "faculty:arts"),
        (*CALL, "--rake", "faculty:arts=1;faculty:law=1"),
        (*CALL, "--rake", ":arts=1"),
        (*CALL, "--strata", "faculty", "--shares", "arts=0.5,arts=0.5"),
        (*CALL, "--weights", "w", "--largest-weight", "3"),
        (*CALL, *RAKE, "--largest-weight", "0.5"),
        (*CALL, *RAKE, "--largest-weight", "nan"),
        (*CALL, "--weights", "w", "--population", "0"),
        (*CALL, "--weights", "w", "--epsilon", "1"),
    ],
)
def test_a_wrong_call_ends_with_2_before_the_file_is_read(hushpoll: Command, words: tuple[str, ...]) -> None:
    assert hushpoll(*words).exit_code == 2


HEAD = "cheated,w,faculty,age\n"


@pytest.mark.parametrize(
    ("options", "text", "sentence"),
    [
        (("--weights", "w"), HEAD + "1,0,arts,old\n", "the weight in row 1 is not a positive finite number"),
        (("--weights", "w"), HEAD + "1,-2,arts,old\n", "the weight in row 1 is not a positive finite number"),
        (("--weights", "w"), HEAD + "1,nan,arts,old\n", "line 2: the cell of column w is not a finite number"),
        (("--weights", "w"), HEAD + "1,,arts,old\n", "line 2: the cell of column w is empty"),
        (("--weights", "w"), HEAD + "2,1,arts,old\n", "line 2: the cell of column cheated is neither 1 nor 0"),
        (("--weights", "x"), HEAD, "has no column x"),
        (STRATA, HEAD + "1,1,science,old\n", "the stratum in row 1 of column faculty has no share"),
        (STRATA, HEAD + "1,1,,old\n", "line 2: the cell of column faculty is empty"),
        (("--strata", "faculty", "--shares", "arts=0.4,law=0.5"), HEAD + "1,1,law,old\n", "add up to 0.9"),
        (("--strata", "faculty", "--shares", "arts=x,law=0.5"), HEAD + "1,1,law,old\n", "arts is not a number"),
        (RAKE, HEAD + "1,1,law,old\n", "no row has arts in faculty"),
        (RAKE, HEAD, "one label for each report"),
        (RAKE, HEAD + "1,1,law,old\n0,1,arts,young\n", "some combinations of labels have no rows"),
        ((*RAKE, "--population", "1"), HEAD + "1,1,law,old\n0,1,arts,young\n1,1,law,young\n", "smaller than n = 3"),
    ],
)
def test_what_a_file_cannot_answer_ends_with_1_and_one_sentence(
    hushpoll: Command, tmp_path: Path, options: tuple[str, ...], text: str, sentence: str
) -> None:
    (tmp_path / "survey.csv").write_text(text, encoding="utf-8")
    result = hushpoll(*CALL, *options, "--json")
    assert (result.exit_code, result.stdout) == (1, "")
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(("options", "text"), [(("--weights", "w"), HEAD), (STRATA, HEAD)])
def test_a_file_without_reports_has_no_figures_but_a_warning(
    ask: Ask, tmp_path: Path, options: tuple[str, ...], text: str
) -> None:
    (tmp_path / "survey.csv").write_text(text, encoding="utf-8")
    shown = ask(*CALL, *options)
    assert (shown["n"], shown["estimate"], shown["se"], shown["low"]) == (0, None, None, None)
    assert shown["warnings"] == ["No reports yet: there is nothing to estimate from."]


def test_an_empty_stratum_is_a_warning_with_the_cure(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "survey.csv").write_text(HEAD + "1,1,arts,old\n0,1,arts,old\n", encoding="utf-8")
    shown = ask(*CALL, *STRATA)
    assert shown["estimate"] is None
    assert any("No reports from law" in sentence for sentence in shown["warnings"])
