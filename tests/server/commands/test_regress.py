"""hushpoll regress: a CSV file in, coefficients out, or a sentence that says what to change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result
from tests.server.estimate.regressions import simulated

from hushpoll_server.analysis import SupportDesign, linear_regression, logistic_regression, wald_test

Command = Callable[..., Result]
Ask = Callable[..., Any]

DESIGN = SupportDesign(0.75, 0.25)
CALL = ("regress", "--csv", "survey.csv", "--outcome", "cheated", "--covariates", "age,arts")
WARNER = ("--design", "warner", "--odds", "3:1")


@pytest.fixture
def columns(tmp_path: Path) -> dict[str, list[float]]:
    """Write a survey in which the trait depends on age, not on the faculty."""
    rng = np.random.default_rng(5)
    y, x, _ = simulated(rng, 2000, DESIGN)
    age, arts = np.round(40 + 10 * x).tolist(), rng.integers(0, 2, 2000).tolist()
    rows = [f"{number},{int(yes)},{a:g},{b}" for number, (yes, a, b) in enumerate(zip(y, age, arts, strict=True))]
    (tmp_path / "survey.csv").write_text("\ufeffid,cheated, age,arts\n" + "\n".join(rows) + "\n\n", encoding="utf-8")
    return {"cheated": y.astype(float).tolist(), "age": age, "arts": arts}


def test_the_keys_of_the_contract_hold_the_figures_of_the_library(ask: Ask, columns: dict[str, list[float]]) -> None:
    shown = ask(*CALL, *WARNER)
    fit = logistic_regression(columns.pop("cheated"), columns, DESIGN)
    assert shown["n"] == 2000
    assert [each["name"] for each in shown["coefficients"]] == ["intercept", "age", "arts"]
    assert shown["coefficients"] == [each.to_json() for each in fit.coefficients]
    assert (shown["log_likelihood"], shown["standard_errors"]) == (fit.log_likelihood, "expected")
    age = shown["coefficients"][1]
    assert age["low"] < 0.1 < age["high"]
    assert [each["name"] for each in shown["effects"]] == ["age", "arts"]


@pytest.mark.parametrize("kind", ["observed", "outer_product"])
def test_other_standard_errors_are_named_and_differ(ask: Ask, columns: dict[str, list[float]], kind: str) -> None:
    expected, other = ask(*CALL, *WARNER), ask(*CALL, *WARNER, "--standard-errors", kind)
    assert other["standard_errors"] == kind
    for one, two in zip(expected["coefficients"], other["coefficients"], strict=True):
        assert one["estimate"] == two["estimate"]
        assert one["se"] != two["se"] == pytest.approx(one["se"], rel=0.3)


@pytest.mark.parametrize(
    "design",
    [
        ("warner", "--p", "3/4"),
        ("warner", "--truth", "0.5"),
        ("kuk", "--p1", "0.75", "--p0", "1/4"),
        ("forced", "--truth", "1/2", "--yes-share", "1/2"),
    ],
)
def test_every_spelling_of_a_design_gives_the_same_figures(
    ask: Ask, columns: dict[str, list[float]], design: tuple[str, ...]
) -> None:
    assert ask(*CALL, "--design", *design) == ask(*CALL, *WARNER)


def test_predicted_shares_name_their_place_and_scale(ask: Ask, columns: dict[str, list[float]]) -> None:
    young, old = ask(*CALL, *WARNER, "--at", "age=30,arts=0", "--at", "arts=0,age=50", "--scale", "share")[
        "predictions"
    ]
    assert (young["at"], young["scale"]) == ({"age": 30, "arts": 0}, "share")
    assert 0 < young["estimate"] < old["estimate"] < 1


def test_a_text_where_a_number_belongs_is_a_wrong_call(hushpoll: Command, columns: dict[str, list[float]]) -> None:
    result = hushpoll(*CALL, *WARNER, "--at", "age=old,arts=0")
    assert (result.exit_code, "a number or one of its labels" in result.stderr) == (2, True)


@pytest.fixture
def faculties(tmp_path: Path) -> dict[str, list[Any]]:
    """Write a survey in which law differs from the other faculties."""
    rng = np.random.default_rng(6)
    faculty = rng.choice(["arts", "law", "physics, applied"], 3000)
    age = rng.normal(40, 10, 3000).round()
    answers = rng.random(3000) < np.where(faculty == "law", 0.6, 0.3)
    y = rng.random(3000) < np.where(answers, DESIGN.p, DESIGN.q)
    rows = [f'{int(yes)},{a:g},"{b}"' for yes, a, b in zip(y, age, faculty, strict=True)]
    (tmp_path / "survey.csv").write_text("cheated,age,arts\n" + "\n".join(rows), encoding="utf-8")
    return {"cheated": y.tolist(), "age": age.tolist(), "arts": faculty.tolist()}


def test_a_column_of_text_is_compared_with_its_reference(ask: Ask, faculties: dict[str, list[Any]]) -> None:
    y = faculties.pop("cheated")
    shown = ask(*CALL, *WARNER, "--reference", "arts=law", "--at", '"arts=physics, applied",age=40')
    fit = logistic_regression(y, faculties, DESIGN, references={"arts": "law"})
    assert shown["coefficients"] == [each.to_json() for each in fit.coefficients]
    assert [each["name"] for each in shown["coefficients"]][2:] == ["arts=arts", "arts=physics, applied"]
    assert shown["references"] == {"arts": "law"}
    assert shown["joint_tests"]["arts"] == wald_test(fit, ["arts"]).to_json()
    assert [each["at"]["arts"] for each in shown["adjusted_shares"]["arts"]] == ["arts", "law", "physics, applied"]
    assert shown["predictions"][0]["at"] == {"arts": "physics, applied", "age": 40}
    linear = ask(*CALL, *WARNER, "--model", "linear")
    assert (linear["references"], linear["joint_tests"]["arts"]["degrees"]) == ({"arts": "arts"}, 2)


def test_people_read_what_a_label_is_compared_with(hushpoll: Command, faculties: dict[str, list[Any]]) -> None:
    shown = hushpoll(*CALL, *WARNER).stdout
    assert "\nall labels of arts alike (reference arts): χ² = " in shown
    assert "\nshare, arts law against arts: " in shown
    assert "\nshare if all had arts = law: " in shown


def test_numbers_are_labels_if_a_reference_says_so(ask: Ask, columns: dict[str, list[float]]) -> None:
    shown = ask(*CALL, *WARNER, "--reference", "arts=1")
    assert [each["name"] for each in shown["coefficients"]][2:] == ["arts=0"]
    flipped = ask(*CALL, *WARNER)["coefficients"][2]
    assert shown["coefficients"][2]["estimate"] == pytest.approx(-flipped["estimate"], abs=1e-6)


def test_a_linear_model_takes_a_design_or_numbers(ask: Ask, columns: dict[str, list[float]]) -> None:
    y = columns.pop("cheated")
    with_design, without = ask(*CALL, *WARNER, "--model", "linear"), ask(*CALL, "--model", "linear")
    assert with_design["coefficients"] == [
        each.to_json() for each in linear_regression(y, columns, DESIGN).coefficients
    ]
    assert without["coefficients"] == [each.to_json() for each in linear_regression(y, columns).coefficients]
    assert (without["standard_errors"], without["log_likelihood"]) == ("hc3", None)


def test_people_read_one_line_for_each_coefficient(hushpoll: Command, columns: dict[str, list[float]]) -> None:
    lines = hushpoll(*CALL, *WARNER, "--at", "age=30,arts=0", "--level", "0.9").stdout.splitlines()
    assert [line.split(":")[0] for line in lines[:3]] == ["intercept", "age", "arts"]
    assert "  90% " in lines[0]
    assert "standard errors: expected" in "\n".join(lines)
    assert "share at age = 30, arts = 0: " in "\n".join(lines)


@pytest.mark.parametrize(
    "words",
    [
        CALL,
        (*CALL, "--epsilon", "1", "--model", "linear"),
        (*CALL, "--design", "warner"),
        (*CALL, *WARNER, "--epsilon", "1"),
        (*CALL, "--design", "warner", "--p", "1/2"),
        (*CALL, "--design", "kuk", "--p1", "0.5", "--p0", "0.5"),
        (*CALL, "--design", "kuk", "--p1", "0.5"),
        (*CALL, *WARNER, "--standard-errors", "hc1"),
        (*CALL, *WARNER, "--at", "age=30"),
        (*CALL, *WARNER, "--at", "age=,arts=0"),
        (*CALL, *WARNER, "--reference", "age"),
        (*CALL, *WARNER, "--reference", "law=1"),
        (*CALL, *WARNER, "--reference", "age=1", "--reference", "age=2"),
        (*CALL, *WARNER, "--model", "linear", "--at", "age=30,arts=0"),
        (*CALL[:-1], "age,age", *WARNER),
        (*CALL[:-1], "age,cheated", *WARNER),
        (*CALL[:-1], "age,,arts", *WARNER),
    ],
)
def test_a_wrong_call_ends_with_2_before_the_file_is_read(hushpoll: Command, words: tuple[str, ...]) -> None:
    assert hushpoll(*words).exit_code == 2


HEAD = "cheated,age,arts\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "no first line"),
        ("cheated,years\n1,2\n", "has no column age, arts: name one of those that it has: cheated, years"),
        ("cheated;age;arts\n1;2;0\n", "those that it has: cheated;age;arts"),
        ("cheated,age,age,arts\n", "two columns of the same name"),
        (HEAD, "0 rows for 3 coefficients"),
        (HEAD + "1,2,0\n", "1 rows for 3 coefficients"),
        (HEAD + "1,2,0\n0,nan,1\n", "line 3: the cell of column age is not a finite number"),
        (HEAD + "1,2,0\n0,many,1\n", "line 3: the cell of column age is not a finite number"),
        (HEAD + "1,2,0\n0,,1\n", "line 3: the cell of column age is empty"),
        (HEAD + "maybe,2,0\n", "line 2: the cell of column cheated is neither 1 nor 0"),
        (HEAD + "1,2,law\n0,3,4\n", "line 3: the cell of column arts is a number among labels"),
        (HEAD + "1,2,law\n0,3,law\n" * 9, "arts is constant"),
        (HEAD + "".join(f"{i % 2},{i % 7},x{i}\n" for i in range(200)), "200 different labels, more than 50"),
        (HEAD + "1,2\n", "line 2: there are 2 cells for 3 columns"),
        (HEAD + "1,2,0\n1,3,1\n" * 9, "all 18 outcomes are the same"),
        (HEAD + "1,2,0\n0,2,1\n" * 9, "age is constant"),
        (HEAD + "1,2,4\n0,3,6\n" * 9, "age, arts are collinear"),
        (HEAD + "1,2,0\n0,3,1\n1,4,2\n0,5,0\n" + "1,6,1\n" * 9, "separation"),
    ],
)
def test_what_a_file_cannot_answer_ends_with_1_and_one_sentence(
    hushpoll: Command, tmp_path: Path, text: str, sentence: str
) -> None:
    (tmp_path / "survey.csv").write_text(text, encoding="utf-8")
    result = hushpoll(*CALL, *WARNER, "--json")
    assert (result.exit_code, result.stdout) == (1, "")
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b'cheated,age,arts\n"' + b"x" * 200_000 + b"\n"])
def test_a_file_that_is_no_csv_is_a_sentence(hushpoll: Command, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "survey.csv").write_bytes(content)
    result = hushpoll(*CALL, *WARNER)
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)


def test_a_file_that_is_not_there_is_a_sentence(hushpoll: Command) -> None:
    result = hushpoll(*CALL, *WARNER)
    assert (result.exit_code, result.stderr) == (1, "survey.csv: No such file or directory\n")
