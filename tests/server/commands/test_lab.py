"""hushpoll lab: runs, tables, files, seeds, and wrong calls."""

from __future__ import annotations

import csv
from collections.abc import Callable
from math import comb
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from hushpoll_server.lab.attacks import ATTACKS

Command = Callable[..., Result]
Ask = Callable[..., Any]


def test_an_attack_prints_its_tables_and_a_verdict_for_each_defence(hushpoll: Command) -> None:
    shown = hushpoll("lab", "attack", "averaging", "--n", "1000").stdout
    assert "Averaging: the same question again and again" in shown
    assert "0.9657" in shown
    assert "names removed: fails. " in shown
    assert "local randomization: holds. " in shown


def test_json_has_the_same_figures_with_full_precision(ask: Ask) -> None:
    found = ask("lab", "attack", "averaging", "--n", "1000", "--seed", "3")
    assert found["parameters"]["seed"] == 3
    [eleven] = [row for row in found["tables"][1]["rows"] if row["times"] == 11]
    assert eleven["draws_theory"] == pytest.approx(sum(comb(11, k) * 3**k for k in range(6, 12)) / 4**11)
    assert found["picture"]["series"]


def test_all_runs_every_attack(ask: Ask) -> None:
    assert [result["name"] for result in ask("lab", "attack", "all")] == list(ATTACKS)


def test_figures_and_the_picture_go_to_files(hushpoll: Command, tmp_path: Path) -> None:
    table, picture = tmp_path / "figures.csv", tmp_path / "picture.svg"
    hushpoll("lab", "attack", "other-side", "--csv", str(table), "--svg", str(picture))
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert {row["table"] for row in rows} == {"posterior", "odds", "width"}
    assert picture.read_text(encoding="utf-8").startswith("<svg ")


def test_the_comparison_names_who_must_be_trusted(hushpoll: Command, ask: Ask, tmp_path: Path) -> None:
    shown = hushpoll("lab", "compare", "--epsilon", "1", "--n", "1000", "--csv", str(tmp_path / "c.csv")).stdout
    assert "nobody: only one's own device" in shown
    assert (tmp_path / "c.csv").exists()
    assert [row["name"] for row in ask("lab", "compare")["designs"]["rows"]][-1] == "local randomization"


def test_wrong_calls_are_refused_with_the_cure(hushpoll: Command) -> None:
    for words, sentence in (
        (("attack", "all", "--n", "5"), "--n and --svg are for one attack"),
        (("attack", "linkage", "--n", "5"), "from 2,000 to 100,000"),
        (("attack", "linkage", "--epsilon", "-1"), "epsilon"),
        (("attack", "linkage", "--epsilon", "30"), "epsilons from 0.05 to 20"),
        (("compare", "--n", "5"), "from 100 to 1,000,000"),
        (("compare", "--delta", "1e-13"), "delta must be at least"),
    ):
        result = hushpoll("lab", *words)
        assert result.exit_code == 2, words
        assert sentence in result.stderr, words
