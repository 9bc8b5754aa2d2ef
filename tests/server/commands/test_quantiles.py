"""hushpoll quantiles: from counts, from reports, and wrong calls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from tests.vectors.streams import FixedTestStream

from hushpoll_client.survey import Survey
from hushpoll_server.analysis import read_manifest

Command = Callable[..., Result]
Ask = Callable[..., Any]

GRR = ("quantiles", "--design", "grr", "--epsilon", "1")
COUNTS = ("--counts", "50,80,100,60,40")
SURVEY = """\
survey: order
title: Order
consent: Taking part is voluntary.
questions:
  - {id: stress, text: S, type: scale, min: 1, max: 5, privacy: {epsilon: "4"}}
  - {id: hours, text: H, type: number, min: 0, max: 40, privacy: {epsilon: "4"}}
"""


def test_counts_of_a_scale_have_quartiles_and_the_share_at_most_each_point(ask: Ask, hushpoll: Command) -> None:
    result = ask(*GRR, *COUNTS)
    assert result.keys() == {"n", "level", "method", "quantiles", "at", "mean", "deviation", "warnings"}
    assert [(each["share"], each["low"], each["high"]) for each in result["quantiles"]] == [
        (0.25, 2, 3),
        (0.5, 2, 3),
        (0.75, 3, 3),
    ]
    assert {"at", "estimate", "se", "low", "high"} <= result["at"][0].keys()
    shown = hushpoll(*GRR, *COUNTS).stdout
    assert "quantile 0.5:       3  95% inversion 2 to 3  n = 330  interpolated 2.792, 2.289 to 3.039" in shown
    assert "at most 2:  37.63%  se 10.52%  95% wilson 17.61% to 58.61%  n = 330" in shown


def test_points_shares_and_numbers_are_read_exactly(ask: Ask) -> None:
    result = ask(*GRR, *COUNTS, "--points", "-1,0,1.5,7,9", "--shares", "1/3,0.9", "--at", "1.5,-2")
    assert [each["share"] for each in result["quantiles"]] == [1 / 3, 0.9]
    assert [each["at"] for each in result["at"]] == [1.5, -2]
    assert result["quantiles"][0]["estimate"] == 0


def test_no_reports_are_no_error(ask: Ask, hushpoll: Command) -> None:
    assert ask(*GRR, "--counts", "0,0,0")["quantiles"][1]["estimate"] is None
    assert hushpoll(*GRR, "--counts", "0,0,0").stdout.startswith("warning: No reports yet")


def test_reports_of_a_survey_have_quantiles(ask: Ask, hushpoll: Command, tmp_path: Path) -> None:
    (tmp_path / "order.yaml").write_text(SURVEY, encoding="utf-8")
    assert hushpoll("survey", "compile", "order.yaml", "--out", "order.json").exit_code == 0
    device, source = Survey(read_manifest("order.json")), FixedTestStream("order")
    reports = [device.randomize({"stress": 1 + place % 3, "hours": 8}, source=source) for place in range(300)]
    (tmp_path / "reports.ndjson").write_bytes(b"".join(report.encode() + b"\n" for report in reports))
    files = ("quantiles", "--manifest", "order.json", "--reports", "reports.ndjson")
    assert ask(*files, "--question", "stress", "--shares", "0.5")["quantiles"][0]["estimate"] == 2
    assert "`report: distribution`" in ask(*files, "--question", "hours")["warnings"][-1]
    refused = hushpoll(*files, "--question", "nobody")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "name one of stress, hours" in refused.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("quantiles",), "Give a survey's reports with --question, or --design grr"),
        ((*GRR,), "--design grr needs --counts"),
        ((*GRR, *COUNTS, "--odds", "3:1"), "exactly one of"),
        ((*GRR, *COUNTS, "--question", "stress"), "leave out the survey"),
        ((*GRR, *COUNTS, "--points", "1,2"), "one number for each"),
        ((*GRR, *COUNTS, "--points", "1,2,2,3,4"), "do not increase"),
        ((*GRR, *COUNTS, "--shares", "1"), "not between 0 and 1"),
        ((*GRR, *COUNTS, "--at", "x"), "--at needs numbers"),
        ((*GRR, "--counts", "5,-1"), "negative"),
    ],
)
def test_a_wrong_call_ends_with_2_and_says_what_is_right(hushpoll: Command, words: tuple[str, ...], says: str) -> None:
    result = hushpoll(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert says in result.stderr


def test_answers_as_far_apart_as_they_can_be_are_not_called_tampering(ask: Ask) -> None:
    result = ask("quantiles", "--design", "grr", "--epsilon", "1", "--counts", "500,500")
    assert not result["warnings"]
    deviation = result["deviation"]
    assert deviation["low"] < deviation["estimate"] <= deviation["high"]
    assert deviation["se"] > 0
