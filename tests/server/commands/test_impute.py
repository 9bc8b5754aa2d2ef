"""hushpoll impute: one long table of completed data sets, the combined shares, and wrong calls."""

from __future__ import annotations

import csv
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from tests.vectors.streams import FixedTestStream

from hushpoll_client.survey import Survey
from hushpoll_server.analysis.files import read_manifest

Command = Callable[..., Result]
Ask = Callable[..., Any]


@pytest.fixture
def words(manifest_file: Path, tmp_path: Path) -> tuple[object, ...]:
    """Write 200 reports; return the call that imputes the first question twice."""
    survey, source = Survey(read_manifest(manifest_file)), FixedTestStream("impute")
    answers = [{"cheated": place % 5 < 2, "helped": place % 2 == 0} for place in range(200)]
    lines = (survey.randomize(answer, source=source).encode() + b"\n" for answer in answers)
    (tmp_path / "reports.ndjson").write_bytes(b"".join(lines))
    files = ("--manifest", manifest_file, "--reports", tmp_path / "reports.ndjson")
    return ("impute", *files, "--questions", "cheated,helped", "--m", 3, "--seed", 1)


def test_the_file_is_one_long_table(words: tuple[object, ...], hushpoll: Command, tmp_path: Path) -> None:
    result = hushpoll(*words, "--out", tmp_path / "all.csv")
    assert result.exit_code == 0, result.stderr
    with (tmp_path / "all.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["imputation", "respondent", "cheated", "helped"]
    assert [len([row for row in rows if row["imputation"] == number]) for number in "123"] == [200] * 3
    assert {row["cheated"] for row in rows} == {"no", "yes"}
    assert "3 data sets of 200 respondents" in result.stdout
    assert "no row is anybody's real answer" in result.stdout


def test_the_combined_shares_are_printed_as_json(words: tuple[object, ...], ask: Ask, tmp_path: Path) -> None:
    found = ask(*words, "--out", tmp_path / "all.csv")
    assert (found["m"], found["n"], found["seed"], found["questions"]) == (3, 200, 1, ["cheated", "helped"])
    yes, no = (found["shares"]["cheated"][name] for name in ("yes", "no"))
    assert yes["estimate"] + no["estimate"] == pytest.approx(1)
    assert {"estimate", "se", "low", "high", "degrees", "within", "between", "missing_information"} <= yes.keys()


def test_parquet_says_which_extra_it_needs(
    words: tuple[object, ...], hushpoll: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = hushpoll(*words, "--out", tmp_path / "all.parquet")
    assert result.exit_code == 1
    assert result.stderr == "parquet needs pyarrow: install the extra with pip install 'hushpoll[parquet]'\n"


def test_parquet_has_the_same_rows(words: tuple[object, ...], hushpoll: Command, tmp_path: Path) -> None:
    parquet = importlib.import_module("pyarrow.parquet")
    assert hushpoll(*words, "--out", tmp_path / "all.parquet").exit_code == 0
    assert parquet.read_table(tmp_path / "all.parquet").num_rows == 600


@pytest.mark.parametrize(
    ("changes", "code", "says"),
    [
        (("--out", "all.txt"), 2, ".csv or .parquet"),
        (("--out", "all.csv", "--m", "1"), 2, "--m"),
        (("--out", "all.csv", "--questions", "other"), 1, "cheated, helped"),
        (("--out", "all.csv", "--questions", "imputation"), 1, "name of a column"),
        (("--out", "all.csv", "--prior", "0"), 2, "--prior"),
    ],
)
def test_a_wrong_call_is_refused(
    changes: tuple[str, ...], code: int, says: str, words: tuple[object, ...], hushpoll: Command
) -> None:
    result = hushpoll(*words, *changes)
    assert result.exit_code == code
    assert says in result.stderr
