"""The table of question types in README.md is what `hushpoll plan` computes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from hushpoll_client.cli import main

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
SECTION = README.split("\n## What can be asked\n", 1)[1].split("\n## ", 1)[0]
ROWS = re.findall(r"^\| (`.+) \| .+ \| (\w+) \| ([\d,]+) \| ([\d.]+) \|$", SECTION, re.MULTILINE)
# The first column → how the question is planned; 5 % of a range of 4 and of 100.
PLANS = {
    "`yes_no`": "--type yes_no --margin 0.05",
    "`single_choice`, 5 options": "--type single_choice --options 5 --margin 0.05",
    "`single_choice`, codebook of 100,000": "--type single_choice --options 100000 --margin 0.05",
    "`multi_choice`, 8 options": "--type multi_choice --options 8 --margin 0.05",
    "`scale`, 5 points": "--type scale --options 5 --margin 0.05",
    "`scale`, 5 points, `report: mean`": "--type scale --options 5 --report mean --margin 0.2",
    "`number`, `report: mean`": "--type number --min 0 --max 100 --margin 5",
    "`number`, `report: distribution`": "--type number --min 0 --max 100 --report distribution --margin 5",
    "`pair` of two `yes_no`": "--type pair --options 2,2 --margin 0.05",
}


@pytest.mark.parametrize(("question", "mechanism", "respondents", "ratio"), ROWS, ids=[row[0] for row in ROWS])
def test_a_question_takes_as_many_respondents_as_the_readme_says(
    question: str, mechanism: str, respondents: str, ratio: str
) -> None:
    arguments = ["plan", *PLANS[question].split(), "--epsilon", "1", "--json"]
    plan = json.loads(CliRunner().invoke(main, arguments, catch_exceptions=False).stdout)
    assert (mechanism, respondents) == (plan["mechanism"], f"{plan['n']:,}")
    assert ratio == f"{plan['variance'] / plan['lower_bound']:.2f}"
    assert plan["without_privacy_n"] == 385


def test_every_type_is_in_the_readme() -> None:
    assert [row[0] for row in ROWS] == [*PLANS]
