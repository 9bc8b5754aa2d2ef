"""The scan reads what a table needs from the stored reports: the same draws as the reports themselves have."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from sqlmodel import update
from tests.samples.surveys import KEY, make_report, two_questions
from tests.server.dashboard.grouped_surveys import publish_everything

from hushpoll_client.survey import Survey
from hushpoll_server.collect import scan as scan_module
from hushpoll_server.collect.models import ReportRow
from hushpoll_server.collect.scan import ReportsPurged
from hushpoll_server.counting.combinations import Times, combinations_of
from hushpoll_server.operate.purge import purge
from hushpoll_server.services import Services
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared.problems import WRONG_ANSWERS, ProblemError

Codes = frozenset[str] | None


def read(services: Services, names: tuple[str, ...], *, survey: str = "campus", codes: Codes = None) -> Times:
    """Return the combinations of all parts together."""
    questions = {question.id: question for question in services.surveys.manifest(survey).questions}
    parts = services.collect.scan(survey, codes).combinations([questions[name] for name in names])
    return sum(parts, Counter())


@pytest.mark.parametrize("codes", [None, frozenset({"00"})])
def test_every_question_is_read_as_it_is_in_the_reports_alone_and_with_any_other(
    services: Services, monkeypatch: pytest.MonkeyPatch, codes: Codes
) -> None:
    manifest = publish_everything(services, 25)
    monkeypatch.setattr(scan_module, "REPORTS_AT_A_TIME", 8)
    reports = [each for each in services.collect.reports("everything") if codes is None or each.groups in codes]
    assert reports
    names = [question.id for question in manifest.questions]
    for chosen in [*combinations(names, 1), *combinations(names, 2), tuple(reversed(names))]:
        questions = [question for name in chosen for question in manifest.questions if question.id == name]
        [expected] = combinations_of(reports, questions)
        assert read(services, chosen, survey="everything", codes=codes) == expected, chosen


def test_a_question_that_was_not_asked_is_blank(services: Services) -> None:
    manifest = two_questions(ask=1)
    services.surveys.publish(manifest, KEY)
    answers = {"cheated": True, "helped": False}
    services.collect.take("campus", [Survey(manifest).randomize(answers).encode() for _ in range(60)])
    blank = manifest.questions[0].design.blank
    # Missed once in 2^59: each device answers one of the two.
    assert 0 < read(services, ("cheated",))["", blank] < 60


def test_whoever_wants_to_know_is_told_how_many_were_read(
    services: Services, survey: PublishedSurvey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan_module, "REPORTS_AT_A_TIME", 4)
    services.collect.take("campus", [make_report(survey.manifest, 1, number % 2).encode() for number in range(10)])
    told: list[int] = []
    scan = services.collect.scan("campus", progress=told.append)
    assert sum(part.total() for part in scan.combinations(survey.manifest.questions)) == 10
    assert told == [4, 4, 2]


@pytest.mark.parametrize("draws", ['["2","0"]', '["00","0"]', '[ "0","0"]', '["0"]', "", '["0","-"]'])
def test_what_is_no_draw_is_refused_however_it_came_into_the_table(
    services: Services, survey: PublishedSurvey, draws: str
) -> None:
    services.collect.take("campus", [make_report(survey.manifest, 1, 0).encode()])
    with services.store.transaction() as session:
        session.exec(update(ReportRow).values(draws=draws))
    with pytest.raises(ProblemError) as caught:
        read(services, ("cheated", "helped"))
    assert caught.value.problem is WRONG_ANSWERS


def test_reports_that_were_purged_are_not_half_read(services: Services, survey: PublishedSurvey) -> None:
    services.collect.take("campus", [make_report(survey.manifest, 1, 0).encode()])
    purge(services.store, survey.manifest, services.clock(), ended=False, progress=lambda _: None)
    services.collect.take("campus", [make_report(survey.manifest, 1, 1).encode()])
    with pytest.raises(ReportsPurged, match="the draws of 1 reports to campus were purged"):
        read(services, ("cheated",))
