"""Statistics of a published survey, or of its exported reports: the same figures to the digit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.samples.surveys import KEY, two_questions
from tests.vectors.groups import AGE, FACULTY

from hushpoll_client import Survey
from hushpoll_client.cli import main
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_shared.groups import Groups
from hushpoll_shared.signing import sign


@pytest.fixture
def files(tmp_path: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Publish a survey with reports in an instance; return the options for the same reports as files."""
    monkeypatch.setenv("HUSHPOLL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HUSHPOLL_DB", sqlite_url)
    manifest = two_questions(groups=Groups((FACULTY, AGE), 5))
    services = Services(Settings(home=tmp_path / "home", db=sqlite_url))
    services.surveys.publish(manifest, KEY)
    drawn = Survey(manifest)
    for number, groups in ((300, ("arts", "young")), (300, ("engineering", "old")), (4, ("arts", "middle"))):
        services.collect.take(
            "campus",
            [
                drawn.randomize({"cheated": place % 3 == 0, "helped": place % 2 == 0}, groups=groups).encode()
                for place in range(number)
            ],
        )
    reports = b"".join(report.encode() + b"\n" for report in services.collect.reports("campus"))
    services.close()
    (tmp_path / "M.json").write_bytes(sign(manifest, KEY))
    (tmp_path / "R.ndjson").write_bytes(reports)
    return ["--manifest", str(tmp_path / "M.json"), "--reports", str(tmp_path / "R.ndjson")]


def run(*arguments: str) -> Any:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    return result.output


CALLS = [
    ["estimate"],
    ["estimate", "--group", "arts", "--group", "young", "--cross", "cheated,helped"],
    ["compare", "--question", "cheated", "--by", "faculty"],
    ["compare", "--question", "cheated", "--by", "age", "--adjust", "benjamini-hochberg"],
    ["crosstab", "--questions", "cheated,helped"],
    ["crosstab", "--questions", "cheated,helped", "--group", "arts"],
    ["regress", "--outcome", "cheated", "--covariates", "faculty", "--at", "faculty=arts"],
    ["regress", "--outcome", "cheated", "--covariates", "faculty,helped", "--model", "linear"],
    ["weigh", "--outcome", "cheated", "--strata", "faculty", "--shares", "arts=0.4,engineering=0.6"],
    ["weigh", "--outcome", "cheated:no", "--rake", "faculty:arts=0.4,engineering=0.6;age:young=0.4,old=0.6"],
]


@pytest.mark.parametrize("call", CALLS, ids=" ".join)
def test_a_published_survey_and_its_exported_reports_give_the_same_figures(files: list[str], call: list[str]) -> None:
    published = run(*call, "--survey", "campus", "--json")
    assert published == run(*call, *files, "--json")
    assert json.loads(published)
    # For people, too.
    assert run(*call, "--survey", "campus").strip()


def test_estimates_of_a_group_are_those_of_its_reports(files: list[str]) -> None:
    arts = json.loads(run("estimate", *files, "--group", "arts", "--json"))
    assert arts["questions"]["cheated"]["n"] == 304
    result = CliRunner().invoke(main, ["estimate", *files, "--group", "middle"])
    assert result.exit_code == 1
    assert "there are fewer than 5 reports in middle" in result.output


def test_labels_may_be_given_together_or_one_by_one(files: list[str]) -> None:
    calls = (["--group", "arts,young"], ["--group", " arts , young"], ["--group", "arts", "--group", "young"])
    outputs = {run("estimate", *files, *call, "--json") for call in calls}
    assert len(outputs) == 1
    assert json.loads(outputs.pop())["questions"]["cheated"]["n"] == 300


def test_a_group_below_the_smallest_size_is_in_no_regression_and_in_no_weighting(files: list[str]) -> None:
    fit = json.loads(run("regress", *files, "--outcome", "cheated", "--covariates", "age", "--json"))
    assert [each["name"] for each in fit["coefficients"]] == ["intercept", "age=young"]
    assert "Fewer than 5 reports in middle" in fit["warnings"][-1]
    assert fit["n"] == 600
    shares = "young=0.4,middle=0.2,old=0.4"
    weighed = json.loads(run("weigh", *files, "--outcome", "cheated", "--strata", "age", "--shares", shares, "--json"))
    assert weighed["estimate"] is None
    assert [stratum["estimate"] is None for stratum in weighed["strata"]] == [False, True, False]


def test_strata_of_a_survey_are_those_of_its_counts(files: list[str]) -> None:
    call = ["weigh", *files, "--outcome", "cheated", "--strata", "faculty", "--shares", "arts=0.4,engineering=0.6"]
    weighed = json.loads(run(*call, "--json"))
    groups = json.loads(run("compare", *files, "--question", "cheated", "--by", "faculty", "--json"))["groups"]
    expected = 0.4 * groups[0]["cells"][0]["estimate"] + 0.6 * groups[1]["cells"][0]["estimate"]
    assert weighed["estimate"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "call",
    [
        ["compare", "--question", "cheated"],
        ["compare", "--survey", "campus"],
        ["compare", "--question", "cheated", "--by", "faculty"],
        ["compare", "--survey", "campus", "--design", "warner", "--odds", "3:1", "--yes", "1,2", "--n", "3,4"],
        ["crosstab", "--survey", "campus"],
        ["regress", "--survey", "campus", "--outcome", "cheated"],
        ["regress", "--survey", "campus", "--csv", "x.csv", "--outcome", "a", "--covariates", "b"],
        ["weigh", "--survey", "campus", "--outcome", "cheated"],
        ["weigh", "--survey", "campus", "--outcome", "cheated", "--weights", "w"],
        ["weigh", "--csv", "x.csv", "--outcome", "y", "--weights", "w"],
    ],
    ids=" ".join,
)
def test_a_call_that_mixes_or_lacks_sources_is_wrong(files: list[str], call: list[str]) -> None:
    assert CliRunner().invoke(main, call).exit_code == 2


def test_an_unknown_survey_or_name_is_one_sentence(files: list[str]) -> None:
    for call, sentence in (
        (["compare", "--survey", "other", "--question", "cheated", "--by", "faculty"], "there is no such survey"),
        (["compare", *files, "--question", "other", "--by", "faculty"], "there is no question 'other'"),
        (["compare", *files, "--question", "cheated", "--by", "other"], "there is no dimension 'other'"),
        (["regress", *files, "--outcome", "cheated", "--covariates", "other"], "there is no question 'other'"),
        (["crosstab", *files, "--questions", "cheated,helped", "--group", "law"], "the survey has no such group"),
    ):
        result = CliRunner().invoke(main, call)
        assert (result.exit_code, sentence in result.output) == (1, True), result.output
