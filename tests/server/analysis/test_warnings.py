"""Warnings about a survey's reports as a whole: on the dashboard, by the API, by the command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient
from tests.samples.designs import warner
from tests.samples.surveys import KEY, make_report, two_questions

from hushpoll_client.cli import main
from hushpoll_server.collect.equal_reports import EqualReportsFinder
from hushpoll_server.estimate.options import Options
from hushpoll_server.operate.purge import purge
from hushpoll_server.services import Services
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.question_types import YesNo
from hushpoll_shared.questions import Question

# The odds at which a thousand equal reports among five thousand move a share from 20 % to 63 %.
P, QUESTIONS = "0.635", 2
SAID = "occurs 1,"
EMAIL = "ada@example.org"


def survey_of(questions: int = QUESTIONS, **changes: object) -> Manifest:
    asked = tuple(Question(f"q{place}", "?", YesNo(), warner(p=P)) for place in range(questions))
    return two_questions(questions=asked, **changes)


def honest(manifest: Manifest, reports: int, seed: int = 20261116) -> list[bytes]:
    """Return reports of people of whom a fifth would answer yes to each question."""
    chance = Random(seed)

    def draw() -> int:
        says_yes, keeps = chance.random() < 0.2, chance.random() < float(P)
        return int(says_yes == keeps)

    return [make_report(manifest, *(draw() for _ in manifest.questions)).encode() for _ in range(reports)]


def stuffed(manifest: Manifest, reports: int) -> list[bytes]:
    return [make_report(manifest, *(1 for _ in manifest.questions)).encode() for _ in range(reports)]


def publish(services: Services, manifest: Manifest, bodies: list[bytes]) -> None:
    services.surveys.publish(manifest, KEY)
    services.collect.take(manifest.survey, bodies)


def warnings_of(services: Services) -> tuple[str, ...]:
    return services.results.warnings(services.results.read("campus"))


def warnings_by_api(client: FlaskClient, services: Services) -> list[str]:
    services.researchers.add(EMAIL)
    headers = {"Authorization": f"Bearer {services.researchers.new_api_token(EMAIL)}"}
    answer = client.get("/api/v1/surveys/campus/estimates", headers=headers).get_json()
    warnings: list[str] = answer.get("warnings", [])
    return warnings


def test_a_thousand_invented_equal_reports_among_five_thousand_are_said_everywhere(
    client: FlaskClient, services: Services, tmp_path: Path
) -> None:
    """The attack: 1,000 reports moved an estimate from 20 % to 63 % without a warning."""
    manifest = survey_of()
    bodies = honest(manifest, 4_000) + stuffed(manifest, 1_000)
    publish(services, manifest, bodies)
    results = services.results
    before = results.results(results.read("campus"), Options())["q0"].to_json()["cells"]
    assert isinstance(before, list)
    assert 0.6 < before[0]["estimate"] < 0.7
    [warning] = warnings_by_api(client, services)
    assert SAID in warning
    client.post(f"/sign-in/{services.researchers.new_link(EMAIL)}")
    assert SAID in client.get("/surveys/campus").text
    envelope, reports = tmp_path / "m.json", tmp_path / "r.ndjson"
    envelope.write_bytes(services.surveys.get("campus").envelope)
    reports.write_bytes(b"\n".join(bodies))
    words = ["estimate", "--manifest", str(envelope), "--reports", str(reports)]
    assert SAID in CliRunner().invoke(main, words).stdout
    assert json.loads(CliRunner().invoke(main, [*words, "--json"]).stdout)["warnings"] == [warning]


@pytest.mark.parametrize("questions", [1, 2, 6])
def test_of_an_honest_survey_nothing_is_said(client: FlaskClient, services: Services, questions: int) -> None:
    manifest = survey_of(questions)
    publish(services, manifest, honest(manifest, 5_000))
    assert warnings_by_api(client, services) == []


def test_more_reports_than_people_are_said_once_for_the_survey(client: FlaskClient, services: Services) -> None:
    manifest = survey_of(population=100)
    publish(services, manifest, honest(manifest, 101))
    [warning] = warnings_by_api(client, services)
    assert warning.startswith("101 reports came from a declared population of 100")


def test_rows_are_not_looked_through_for_every_page(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = survey_of()
    publish(services, manifest, honest(manifest, 1_000))
    scans: list[str] = []
    scan: Callable[..., object] = EqualReportsFinder._scan

    def counted(self: object, survey: str, reports: int) -> object:
        scans.append(survey)
        return scan(self, survey, reports)

    monkeypatch.setattr(EqualReportsFinder, "_scan", counted)
    for _ in range(5):
        warnings_of(services)
        services.collect.take("campus", honest(manifest, 4, seed=len(scans)))
    assert len(scans) == 1
    services.collect.take("campus", honest(manifest, 20, seed=7))
    warnings_of(services)
    assert len(scans) == 2


def test_after_a_purge_only_the_reports_that_are_left_are_judged(services: Services) -> None:
    manifest = survey_of()
    publish(services, manifest, honest(manifest, 500))
    purge(services.store, manifest, services.clock(), ended=False, progress=lambda _: None)
    assert warnings_of(services) == ()
    services.collect.take("campus", stuffed(manifest, 400))
    [warning] = warnings_of(services)
    assert "occurs 400 times among the 400 that" in warning
