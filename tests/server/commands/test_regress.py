"""hushpoll regress: a CSV file in, coefficients out, or a sentence that says what to change."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result
from scipy import special
from tests.server.estimate.regressions import simulated

from hushpoll_server.analysis import (
    MatrixDesign,
    SupportDesign,
    linear_regression,
    linear_regression_on_randomized,
    logistic_regression,
    logistic_regression_on_randomized,
    wald_test,
)

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


@pytest.fixture
def helpers(tmp_path: Path) -> dict[str, Any]:
    """Write a survey in which those who helped cheat more, and both were asked through a design."""
    rng, n = np.random.default_rng(7), 3000
    age, helped = rng.normal(40, 10, n).round(), rng.random(n) < 0.4
    often = MatrixDesign.names_one(("never", "once", "often"), Fraction(9))
    frequency = rng.integers(0, 3, n)
    cheated = rng.random(n) < special.expit(-1 + 1.5 * helped + 0.5 * (frequency == 2))
    reports, draws = (rng.random(n) < np.where(answers, 0.75, 0.25) for answers in (cheated, helped))
    named = [often.answers[rng.choice(3, p=often.matrix[answer])] for answer in frequency]
    rows = [f"{int(a)},{int(b)},{c:g},{d}" for a, b, c, d in zip(reports, draws, age, named, strict=True)]
    (tmp_path / "survey.csv").write_text("cheated,helped,age,frequency\n" + "\n".join(rows), encoding="utf-8")
    return {"cheated": reports, "helped": draws, "age": age, "frequency": named, "often": often}


RANDOMIZED = ("regress", "--csv", "survey.csv", "--outcome", "cheated", "--randomized", "helped:odds=3:1")
OFTEN = "frequency:grr,odds=9:1,answers=never|once|often"


def test_randomized_covariates_have_the_figures_of_the_library(ask: Ask, helpers: dict[str, Any]) -> None:
    words = (*RANDOMIZED, "--randomized", OFTEN, "--covariates", "age", "--depends-on", "nothing", *WARNER)
    shown = ask(*words, "--at", "age=30,helped=yes,frequency=often")
    fit = logistic_regression_on_randomized(
        helpers["cheated"],
        {"age": helpers["age"]},
        {"helped": (helpers["helped"], DESIGN), "frequency": (helpers["frequency"], helpers["often"])},
        DESIGN,
        depends_on=(),
    )
    names = [each["name"] for each in shown["coefficients"]]
    assert names == ["intercept", "age", "helped=yes", "frequency=once", "frequency=often"]
    estimates = [each["estimate"] for each in shown["coefficients"]]
    assert estimates == pytest.approx(fit.estimates, abs=1e-6)
    assert shown["references"] == {"helped": "no", "frequency": "never"}
    assert (shown["standard_errors"], shown["assumed"]) == ("observed", fit.assumed)
    assert shown["predictions"][0]["at"] == {"age": 30, "helped": "yes", "frequency": "often"}
    assert [each["name"] for each in shown["effects"]] == names[1:]
    assert shown["log_likelihood"] == pytest.approx(fit.log_likelihood)


def test_randomized_covariates_go_with_a_linear_model_and_with_a_known_outcome(
    ask: Ask, hushpoll: Command, helpers: dict[str, Any]
) -> None:
    linear = ask(*RANDOMIZED, "--model", "linear", *WARNER)
    fit = linear_regression_on_randomized(helpers["cheated"], {}, {"helped": (helpers["helped"], DESIGN)}, DESIGN)
    assert linear["coefficients"] == [each.to_json() for each in fit.coefficients]
    assert (linear["standard_errors"], linear["assumed"]) == ("sandwich", fit.assumed)
    known = ask(*RANDOMIZED, "--design", "direct", "--reference", "helped=yes")
    assert (known["p"], known["references"]) == (None, {"helped": "yes"})
    lines = hushpoll(*RANDOMIZED, *WARNER).stdout
    assert "\nanswers to helped: no " in lines
    assert "\nassumed: answers to helped were randomized separately\n" in lines


@pytest.mark.parametrize(
    "words",
    [
        ("regress", "--csv", "survey.csv", "--outcome", "cheated", *WARNER),
        (*RANDOMIZED[:-1], "helped", *WARNER),
        (*RANDOMIZED[:-1], "helped:", *WARNER),
        (*RANDOMIZED[:-1], ":odds=3:1", *WARNER),
        (*RANDOMIZED[:-1], "helped:odds=", *WARNER),
        (*RANDOMIZED[:-1], "helped:odds=3:1,odds=3:1", *WARNER),
        (*RANDOMIZED[:-1], "helped:dice,odds=3:1", *WARNER),
        (*RANDOMIZED[:-1], "helped:forced,truth=3/4", *WARNER),
        (*RANDOMIZED[:-1], "helped:grr,odds=3:1", *WARNER),
        (*RANDOMIZED[:-1], "helped:grr,answers=a|b", *WARNER),
        (*RANDOMIZED[:-1], "helped:grr,odds=3:1,answers=a|a", *WARNER),
        (*RANDOMIZED[:-1], "cheated:odds=3:1", *WARNER),
        (*RANDOMIZED, "--randomized", "helped:odds=3:1", *WARNER),
        (*RANDOMIZED, "--covariates", "helped", *WARNER),
        (*RANDOMIZED, *WARNER, "--standard-errors", "expected"),
        (*RANDOMIZED, *WARNER, "--model", "linear", "--standard-errors", "hc3"),
        (*RANDOMIZED, *WARNER, "--model", "linear", "--depends-on", "nothing"),
        (*RANDOMIZED, *WARNER, "--depends-on", "age"),
        (*RANDOMIZED, "--design", "direct", "--p", "1/2"),
        (*CALL, *WARNER, "--depends-on", "age"),
        (*CALL, *WARNER, "--standard-errors", "sandwich"),
    ],
)
def test_a_wrong_call_of_randomized_covariates_ends_with_2(hushpoll: Command, words: tuple[str, ...]) -> None:
    assert hushpoll(*words).exit_code == 2


def test_a_draw_that_no_design_gives_is_a_sentence(hushpoll: Command, tmp_path: Path) -> None:
    rows = "".join(f"{place % 2},{place % 2},sometimes\n" for place in range(30))
    (tmp_path / "survey.csv").write_text("cheated,helped,frequency\n" + rows, encoding="utf-8")
    result = hushpoll(*RANDOMIZED[:-1], OFTEN, *WARNER)
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "the draw of frequency in row 1 is none that its design can give" in result.stderr


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
