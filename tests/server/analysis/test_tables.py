"""Tables from reports: every kind of question crossed, against counts and against the whole matrix of a design."""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from tests.vectors.streams import FixedTestStream

from hushpoll_client.survey import Survey
from hushpoll_server.analysis.survey import analyse
from hushpoll_server.analysis.tables import Table, cross_table
from hushpoll_server.compile.definition import compile_survey
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.groups.group_means import GroupMeans
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.tables.crosstab import Crosstab
from hushpoll_server.estimate.tables.three_way import ThreeWay
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.report import Report

SURVEY = """\
survey: campus
title: Campus
consent: Taking part is voluntary.
respondents: 3000
reason: A test.
{more}questions:
  - {{id: cheated, text: Cheated?, type: yes_no, privacy: {{epsilon: "3"}}}}
  - {{id: home, text: Where?, type: single_choice, options: [hall, flat, family], privacy: {{epsilon: "3"}}}}
  - {{id: ways, text: How?, type: multi_choice, options: [phone, notes, essay], privacy: {{epsilon: "4"}}}}
  - {{id: hours, text: Hours?, type: number, min: 0, max: 40, report: mean, privacy: {{epsilon: "4"}}}}
  - {{id: stress, text: Stress?, type: scale, min: 1, max: 5, report: mean, decline: true, privacy: {{epsilon: "4"}}}}
  - {{id: debt, text: Debt?, type: number, min: 0, max: 9, report: distribution, privacy: {{epsilon: "4"}}}}
  - {{id: works, text: Job?, type: yes_no}}
  - {{id: owes, text: Debts?, type: single_choice, options: [none, some, much]}}
  - {{id: joined, pair: [works, owes], privacy: {{epsilon: "4"}}}}
"""
N = 2400


def people(n: int) -> list[dict[str, Any]]:
    """Return answers with associations that are known: cheaters study less, live in halls and have a phone."""
    cheats, homes = [True, False, False], ["hall", "flat", "hall", "family"]
    everybody = []
    for number in range(n):
        cheated, home = cheats[number % 3], homes[number % 4]
        works = number % 5 < (3 if cheated else 1)
        everybody.append(
            {
                "cheated": cheated,
                "home": home,
                "ways": ["phone", "notes"] if cheated or number % 7 == 0 else ["notes"],
                "hours": 10 if cheated else 20 + number % 11,
                "stress": None if number % 10 == 0 else 4 if cheated else 2,
                "debt": 2 if cheated else 6,
                "works": works,
                "owes": ["none", "some", "much"][number % 3 if works else 0],
            }
        )
    return everybody


@lru_cache
def survey(more: str = "") -> tuple[Manifest, tuple[Report, ...]]:
    manifest = compile_survey(SURVEY.format(more=more), "campus.yaml").manifest
    client, source = Survey(manifest), FixedTestStream(f"tables{more}")
    return manifest, tuple(client.randomize(each, source=source) for each in people(N))


def table(*questions: str, **options: object) -> Table:
    manifest, reports = survey()
    return cross_table(manifest, iter(reports), questions, options=Options(**options))  # type: ignore[arg-type]


def two_way(*questions: str, **options: object) -> Crosstab:
    found = table(*questions, **options)
    assert isinstance(found, Crosstab)
    return found


def means(*questions: str) -> GroupMeans:
    found = table(*questions)
    assert isinstance(found, GroupMeans)
    return found


def within_errors(estimate: float | None, se: float | None, truth: float) -> bool:
    """Return whether an estimate is within 4 errors of the truth: missed once in 16,000; the reports are fixed."""
    return estimate is not None and se is not None and abs(estimate - truth) < 4 * se


def test_two_questions_have_the_figures_of_their_joint_counters_to_the_digit() -> None:
    manifest, reports = survey()
    [expected] = analyse(manifest, reports, crossed=[("cheated", "home")]).tables
    found = two_way("cheated", "home")
    pairs = zip(found.cells, expected.cells, strict=True)
    assert all((cell.estimate, cell.low, cell.high) == (other.estimate, other.low, other.high) for cell, other in pairs)
    assert found.independence == expected.independence
    assert (found.names, found.method, found.n) == (("cheated", "home"), "gaffke", N)
    assert len(found.odds_ratios) == 2
    assert len(found.groups.percentages if found.groups else ()) == 6


def test_the_margin_of_three_questions_is_the_table_of_two() -> None:
    # Two independent ways to the same figures: products of indicators, and counts of support.
    three = table("cheated", "home", "works")
    assert isinstance(three, ThreeWay)
    assert three.table is not None
    two = two_way("cheated", "home")
    assert two.estimates is not None
    assert two.covariances is not None
    margin = three.table.margin(0, 1)
    assert margin.shares == pytest.approx(two.estimates, abs=1e-12)
    assert margin.covariances == pytest.approx(two.covariances, abs=1e-14)
    everybody = people(N)
    for (cheated, home, works), figure in three.cells.items():
        held = [each["cheated"] is (cheated == "yes") and each["home"] == home for each in everybody]
        truth = np.mean([one and each["works"] is (works == "yes") for one, each in zip(held, everybody, strict=True)])
        assert within_errors(figure.estimate, figure.se, float(truth))


def test_a_part_of_a_pair_is_crossed_by_the_matrix_of_the_pair() -> None:
    found = two_way("works", "cheated")
    # The whole table of the pair and the question comes from joint counts; then it is summed over owes.
    whole = two_way("joined", "cheated")
    assert whole.estimates is not None
    assert found.estimates is not None
    assert found.covariances is not None
    assert found.estimates == pytest.approx(whole.estimates.reshape(2, 3, 2).sum(axis=1), abs=1e-12)
    weights = np.kron(np.kron(np.eye(2), np.ones((1, 3))), np.eye(2))
    assert found.covariances == pytest.approx(weights @ whole.covariances @ weights.T, abs=1e-14)
    for cell, (works, cheated) in zip(found.cells, product((False, True), repeat=2), strict=True):
        truth = np.mean([each["works"] is works and each["cheated"] is cheated for each in people(N)])
        assert within_errors(cell.estimate, cell.se, float(truth))
    assert found.independence is not None
    assert found.independence.p_value < 1e-6


def test_the_two_parts_of_a_pair_have_the_table_of_the_pair_in_either_order() -> None:
    manifest, reports = survey()
    pair = analyse(manifest, reports).results["joined"]
    found, turned = two_way("works", "owes"), two_way("owes", "works")
    assert [cell.estimate for cell in found.cells] == [cell.estimate for cell in pair.cells]  # type: ignore[union-attr]
    assert found.estimates is not None
    assert turned.estimates == pytest.approx(found.estimates.T)
    assert [cell.low for cell in turned.cells][1] == found.cells[3].low
    # A third question puts one of the parts on either side of it.
    three = table("owes", "cheated", "works")
    assert isinstance(three, ThreeWay)
    assert three.table is not None
    assert three.table.margin(2, 0).shares == pytest.approx(found.estimates, abs=1e-12)


def test_an_option_is_crossed_with_a_question_among_those_who_were_asked_it() -> None:
    found = two_way("cheated", "ways:phone")
    assert found.columns == ("ticked", "not ticked")
    assert 0 < found.n <= N
    truth = {"yes": 800 / N, "no": sum(number % 3 > 0 and number % 7 == 0 for number in range(N)) / N}
    for row, share in truth.items():
        [cell] = [each for each in found.cells if (each.row, each.column) == (row, "ticked")]
        assert within_errors(cell.estimate, cell.se, share)


@pytest.mark.parametrize(("number", "inside"), [("hours", (10, None)), ("stress", (4, 2)), ("debt", (2, 6))])
def test_a_number_has_its_mean_in_each_group(number: str, inside: tuple[int, int | None]) -> None:
    found = means("cheated", number)
    everybody = [each for each in people(N) if each[number] is not None]
    for group, cheated in zip(found.groups, (False, True), strict=True):
        truth = np.mean([float(each[number]) for each in everybody if each["cheated"] is cheated])
        assert within_errors(group.mean.estimate, group.mean.se, float(truth))
        assert inside[not cheated] in (None, pytest.approx(truth))
    assert found.differences[0].p_value is not None
    assert found.differences[0].p_value < 1e-6
    assert found == means(number, "cheated")


def test_a_number_has_its_mean_in_the_groups_of_two_questions() -> None:
    found = means("cheated", "works", "hours")
    assert [group.group for group in found.groups] == ["no × no", "no × yes", "yes × no", "yes × yes"]
    assert sum(group.share.estimate or 0 for group in found.groups) == pytest.approx(1)


@pytest.mark.parametrize(
    ("questions", "says"),
    [
        (("cheated",), "name two or three"),
        (("cheated", "nothing"), "there is no question"),
        (("cheated", "cheated"), "named twice"),
        (("cheated", "ways"), "'ways:phone'"),
        (("cheated", "ways:beer"), "no option"),
        (("cheated:yes", "home"), "no option"),
        (("ways:phone", "ways:notes"), "randomized together"),
        (("works", "joined"), "randomized together"),
        (("hours", "stress"), "one number"),
    ],
)
def test_what_has_no_table_is_refused_with_the_cure(questions: tuple[str, ...], says: str) -> None:
    with pytest.raises(EstimateError, match=says):
        table(*questions)


def test_a_table_that_nobody_can_fill_is_refused() -> None:
    options = ", ".join(f"o{number}" for number in range(40))
    text = (
        SURVEY.format(more="")
        .replace("[hall, flat, family]", f"[{options}]")
        .replace("max: 5, report: mean", "max: 30")
    )
    manifest = compile_survey(text, "campus.yaml").manifest
    with pytest.raises(EstimateError, match=r"this table has 1,240 cells, more than 1,000"):
        cross_table(manifest, [], ["home", "stress"])


def test_without_reports_every_figure_is_none() -> None:
    manifest, _ = survey()
    for questions in (("cheated", "home"), ("works", "owes"), ("works", "cheated"), ("cheated", "home", "works")):
        found = cross_table(manifest, [], questions).to_json()
        assert found["n"] == 0
        assert {cell["estimate"] for cell in found["cells"]} == {None}  # type: ignore[attr-defined]
        assert "No reports yet" in found["warnings"][0]  # type: ignore[index]
    assert cross_table(manifest, [], ["cheated", "hours"]).to_json()["n"] == 0


@pytest.mark.parametrize("number", [1, 2])
def test_one_or_two_reports_are_no_error(number: int) -> None:
    manifest, reports = survey()
    names = ("cheated", "home", "ways:phone", "hours", "stress", "works", "owes")
    for questions in product(names, repeat=2):
        if questions[0] != questions[1] and set(questions) != {"hours", "stress"}:
            found = cross_table(manifest, reports[:number], questions)
            json.dumps(found.to_json(), allow_nan=False)


def test_questions_that_few_devices_were_asked_use_the_reports_that_answer_all() -> None:
    manifest, reports = survey("ask: 3\n")
    found = cross_table(manifest, reports, ["cheated", "home"])
    assert isinstance(found, Crosstab)
    blank = {question.id: question.design.blank for question in manifest.questions}
    both = sum(all(report.draws[name] != blank[name] for name in ("cheated", "home")) for report in reports)
    assert found.n == both < N
    assert any(f"{both:,} of {N:,} reports answer all" in warning for warning in found.warnings)
    for cell in found.cells:
        truth = np.mean([each["cheated"] is (cell.row == "yes") and each["home"] == cell.column for each in people(N)])
        assert within_errors(cell.estimate, cell.se, float(truth))
    with pytest.raises(EstimateError, match="raise ask"):
        cross_table(survey("ask: 1\n")[0], [], ["cheated", "home"])
