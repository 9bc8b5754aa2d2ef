"""Publishing, finding and closing surveys, on each engine."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import text
from tests.samples.designs import warner
from tests.samples.surveys import KEY, two_questions

from hushpoll_server.services import Services
from hushpoll_server.surveys.service import NameTaken, PublishedSurvey, SurveyService, phase
from hushpoll_shared.errors import ManifestRefused
from hushpoll_shared.problems import UNKNOWN_SURVEY, ProblemError
from hushpoll_shared.question_types import YesNo
from hushpoll_shared.questions import Question
from hushpoll_shared.signing import SigningKey, verify

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def at_once(calls: list[Callable[[], Any]]) -> list[Any]:
    """Run the calls in threads that start together; return what each returned or raised."""
    results: list[Any] = [None] * len(calls)
    start = threading.Barrier(len(calls))

    def run(number: int, call: Callable[[], Any]) -> None:
        start.wait()
        try:
            results[number] = call()
        except Exception as error:  # noqa: BLE001 (whatever it is, the test judges it)
            results[number] = error

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def rows(services: Services) -> list[Any]:
    with services.store.reading() as session:
        return list(session.connection().execute(text("SELECT * FROM survey ORDER BY name")))


def test_a_published_survey_is_found_with_the_signed_bytes(services: Services) -> None:
    published = services.surveys.publish(two_questions(), KEY)
    found = services.surveys.get("campus")
    assert found == published
    assert verify(found.envelope, KEY.public) == two_questions()
    assert not found.closed


def test_publishing_the_same_survey_again_changes_nothing(services: Services) -> None:
    services.surveys.publish(two_questions(), KEY)
    before = rows(services)
    again = services.surveys.publish(two_questions(), SigningKey.generate())
    assert rows(services) == before
    assert again.key == KEY.public


def test_publishing_again_does_not_open_a_closed_survey(services: Services) -> None:
    services.surveys.publish(two_questions(), KEY)
    services.surveys.close("campus")
    assert services.surveys.publish(two_questions(), KEY).closed


def test_another_survey_under_the_same_name_is_refused_and_the_first_one_stays(services: Services) -> None:
    services.surveys.publish(two_questions(), KEY)
    before = rows(services)
    with pytest.raises(NameTaken, match="choose another name"):
        services.surveys.publish(two_questions(title="Another"), KEY)
    assert rows(services) == before


def test_cross_tables_are_published_with_the_survey_and_never_change(services: Services) -> None:
    pair = ("helped", "cheated")
    services.surveys.publish(two_questions(), KEY, [pair])
    # Another process has nothing in memory.
    assert (
        SurveyService(services.store, services.clock).crossed("campus") == services.surveys.crossed("campus") == (pair,)
    )
    services.surveys.publish(two_questions(), KEY, [pair])
    for other in ((), (("cheated", "helped"),)):
        with pytest.raises(NameTaken, match="is published with other cross tables"):
            services.surveys.publish(two_questions(), KEY, other)
    assert SurveyService(services.store, services.clock).crossed("campus") == (pair,)


def test_the_minimum_of_reports_cannot_be_lowered_after_publication(services: Services) -> None:
    services.surveys.publish(two_questions(), KEY, minimum_reports=200)
    assert services.surveys.get("campus").minimum_reports == 200
    with pytest.raises(NameTaken, match="is published with minimum_reports: 200"):
        services.surveys.publish(two_questions(), KEY)
    assert services.surveys.get("campus").minimum_reports == 200


def test_cross_tables_stand_in_the_order_of_the_questions(services: Services) -> None:
    questions = tuple(Question(name, "x", YesNo(), warner(odds="3:1")) for name in ("z", "m", "a"))
    services.surveys.publish(two_questions(questions=questions), KEY, [("a", "z"), ("z", "a"), ("m", "a"), ("z", "m")])
    assert services.surveys.crossed("campus") == (("z", "m"), ("z", "a"), ("m", "a"), ("a", "z"))
    assert services.surveys.crossed("campus") is services.surveys.crossed("campus")


def test_eight_that_publish_the_same_survey_at_once_all_succeed(services: Services) -> None:
    # A service of its own for each: no memory is shared, as between processes.
    makers = [SurveyService(services.store, services.clock) for _ in range(8)]
    results = at_once([partial(maker.publish, two_questions(), KEY) for maker in makers])
    assert {type(result) for result in results} == {PublishedSurvey}
    assert len(rows(services)) == 1


def test_of_eight_different_surveys_under_one_name_exactly_one_is_published(services: Services) -> None:
    makers = [(SurveyService(services.store, services.clock), two_questions(title=f"Survey {i}")) for i in range(8)]
    results = at_once([partial(maker.publish, manifest, KEY) for maker, manifest in makers])
    published = [result for result in results if isinstance(result, PublishedSurvey)]
    assert len(published) == 1
    assert sum(isinstance(result, NameTaken) for result in results) == 7
    assert services.surveys.get("campus").manifest == published[0].manifest


def test_a_survey_that_clients_would_refuse_is_not_stored(services: Services) -> None:
    design = warner(odds="3:1")
    questions = tuple(Question(f"q{i}", "ä" * 10_000, YesNo(), design) for i in range(200))
    with pytest.raises(ManifestRefused, match="too large"):
        services.surveys.publish(two_questions(questions=questions), KEY)
    assert rows(services) == []


def test_surveys_are_listed_by_name(services: Services) -> None:
    for name in ("zebra", "ant", "mole"):
        services.surveys.publish(two_questions(survey=name), KEY)
    assert [survey.name for survey in services.surveys.list()] == ["ant", "mole", "zebra"]


def test_closing_is_for_good_and_may_be_repeated(services: Services) -> None:
    services.surveys.publish(two_questions(), KEY)
    services.surveys.close("campus")
    services.surveys.close("campus")
    assert services.surveys.get("campus").closed
    assert services.surveys.phase(services.surveys.get("campus")) == "closed"


def test_an_unknown_or_impossible_name_is_an_unknown_survey(services: Services) -> None:
    for name in ("nobody", "", "A", "a\0b", "\ud800", "'; DROP TABLE survey; --", "a" * 65, "%"):
        for call in (services.surveys.get, services.surveys.close, services.surveys.manifest):
            with pytest.raises(ProblemError) as caught:
                call(name)
            assert caught.value.problem is UNKNOWN_SURVEY


def test_another_process_sees_a_survey_close(services: Services) -> None:
    services.surveys.publish(two_questions(), KEY)
    other = SurveyService(services.store, services.clock)
    assert not other.get("campus").closed
    services.surveys.close("campus")
    assert other.get("campus").closed


@pytest.mark.parametrize(
    ("opens", "closes", "expected"),
    [
        (None, None, "open"),
        (NOON, None, "open"),
        (NOON + HOUR, None, "not-open"),
        (None, NOON, "closed"),
        (None, NOON + HOUR, "open"),
        (NOON - HOUR, NOON + HOUR, "open"),
        (NOON - 2 * HOUR, NOON - HOUR, "closed"),
    ],
)
def test_a_survey_opens_at_its_first_second_and_closes_before_its_last(
    opens: datetime | None, closes: datetime | None, expected: str
) -> None:
    manifest = two_questions(opens=opens, closes=closes)
    assert phase(manifest, NOON, closed=False) == expected
    assert phase(manifest, NOON, closed=True) == "closed"
