"""Reports with public groups: stored with their code, counted for it in the same transaction, and counted once."""

from __future__ import annotations

import pytest
from tests.samples.surveys import KEY, two_questions
from tests.server.collect.recount import recount
from tests.vectors.groups import AGE, FACULTY

from hushpoll_client import Survey
from hushpoll_server.analysis.groups import GroupWithheld, counts_within
from hushpoll_server.collect.batch import Stored
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.operate.reconcile import check, repair
from hushpoll_server.services import Services
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.groups import Groups
from hushpoll_shared.problems import CONFLICT, NOT_A_REPORT, WRONG_GROUPS


@pytest.fixture
def survey(services: Services) -> PublishedSurvey:
    manifest = two_questions(groups=Groups((FACULTY, AGE), 3))
    return services.surveys.publish(manifest, KEY, [("cheated", "helped")])


def bodies(survey: PublishedSurvey, *groups: str, number: int = 1) -> list[bytes]:
    drawn = Survey(survey.manifest)
    return [drawn.randomize({"cheated": True, "helped": False}, groups=groups).encode() for _ in range(number)]


@pytest.fixture
def filled(services: Services, survey: PublishedSurvey) -> Services:
    reports = [*bodies(survey, "arts", number=4), *bodies(survey, "arts", "old", number=2), *bodies(survey, "young")]
    assert set(services.collect.take("campus", [*reports, *bodies(survey)])) == {Stored.ACCEPTED}
    return services


def test_a_report_is_counted_for_the_code_of_its_groups_and_all_codes_add_up(filled: Services) -> None:
    grouped = filled.collect.grouped_counts("campus")
    assert {code: counts["cheated"]["n"] for code, counts in grouped.items()} == {
        "00-1": 4, "0002": 2, "-100": 1, "-1-1": 1,
    }  # fmt: skip
    assert filled.collect.counts("campus") == recount(filled, "campus")
    assert filled.collect.number_of_reports("campus") == 8
    assert sum(grouped["00-1"]["cheated,helped"].values()) == 4


def test_counters_agree_with_the_rows_group_by_group(filled: Services, survey: PublishedSurvey) -> None:
    rules = filled.surveys.rules("campus")
    assert check(filled.store, rules).is_right
    with filled.store.transaction() as session:
        session.connection().exec_driver_sql("UPDATE counter SET groups = '01-1' WHERE groups = '0002'")
    wrong = check(filled.store, rules)
    assert not wrong.is_right
    assert {difference.groups for difference in wrong.differences} == {"01-1", "0002"}
    assert {"groups": "01-1"}.items() <= next(
        each.to_json() for each in wrong.differences if each.groups == "01-1"
    ).items()
    repair(filled.store, rules)
    assert check(filled.store, rules).is_right


def test_a_row_with_a_code_that_the_survey_does_not_have_is_unreadable(filled: Services) -> None:
    with filled.store.transaction() as session:
        session.connection().exec_driver_sql("UPDATE report SET groups = '0909' WHERE groups = '0002'")
    assert check(filled.store, filled.surveys.rules("campus")).unreadable == 2


def test_the_same_id_with_another_group_is_a_conflict(services: Services, survey: PublishedSurvey) -> None:
    [body] = bodies(survey, "arts")
    other = body.replace(b'"groups":"00-1"', b'"groups":"01-1"')
    assert services.collect.take("campus", [body, body, other]) == [Stored.ACCEPTED, Stored.DUPLICATE, CONFLICT]
    [stored] = services.collect.reports("campus")
    assert stored.encode() == body


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        (b'"groups":"00-1"', b'"groups":"0099"', WRONG_GROUPS),
        (b'"groups":"00-1"', b'"groups":"00--"', WRONG_GROUPS),
        (b'"groups":"00-1",', b"", NOT_A_REPORT),
    ],
)
def test_a_report_with_wrong_groups_is_refused_and_nothing_is_stored(
    services: Services, survey: PublishedSurvey, before: bytes, after: bytes, problem: object
) -> None:
    [body] = bodies(survey, "arts")
    assert services.collect.take("campus", [body.replace(before, after)]) == [problem]
    assert services.collect.counts("campus") == {}


def test_figures_of_a_group_come_from_its_reports_in_every_combination(filled: Services) -> None:
    reading = filled.results.read("campus")
    assert reading.within(["arts"]).reports == 6
    assert reading.reports == 8
    assert counts_within(reading.manifest, reading.grouped, ["arts", "old"])["cheated"]["n"] == 2


def test_of_a_group_below_the_smallest_size_nothing_is_shown(filled: Services) -> None:
    reading = filled.results.read("campus")
    for label in ("old", "young", "engineering"):
        with pytest.raises(GroupWithheld, match=f"there are fewer than 3 reports in {label}"):
            reading.within([label]).reports  # noqa: B018 (it is computed when it is asked for)


def test_unknown_labels_and_surveys_without_groups_are_refused(filled: Services) -> None:
    with pytest.raises(InvalidValue, match="the survey has no such group"):
        filled.results.read("campus").within(["law"]).reports  # noqa: B018
    filled.surveys.publish(two_questions(survey="plain"), KEY)
    with pytest.raises(EstimateError, match="the survey declares no groups"):
        filled.results.read("plain").within(["arts"]).reports  # noqa: B018
