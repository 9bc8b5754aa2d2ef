"""The notebook of the lab runs as it stands, with the figures of the commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hushpoll_server.lab.attacks import ATTACKS
from hushpoll_server.lab.attacks.attack import Setting

NOTEBOOK = Path(__file__).parents[2] / "docs" / "examples" / "lab.ipynb"


def test_it_walks_through_every_attack_and_the_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    names: dict[str, Any] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            exec(compile("".join(cell["source"]), str(NOTEBOOK), "exec"), names)
    printed = capsys.readouterr().out
    assert list(names["results"]) == list(ATTACKS)
    for name in ("averaging", "own-reports"):
        assert names["results"][name].to_json() == ATTACKS[name].run(Setting()).to_json()
    assert all(verdict.sentence in printed for result in names["results"].values() for verdict in result.verdicts)
    assert [each.n for each in names["comparisons"]] == [1_000, 100_000]
    # At ε = 0.5 a report is worth nothing to whoever knows that most say no; at ε = 10 it is the answer.
    right = [names[each].parameters["right"] for each in ("strong", "weak")]
    assert right == pytest.approx([0.7, 1.0], abs=0.05)
