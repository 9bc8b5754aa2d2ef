"""The researcher's pages and the API call, through the real app."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from flask import Flask
from flask.testing import FlaskClient
from tests.samples.designs import warner
from tests.samples.surveys import KEY, make_report, two_questions
from tests.server.researchers.sign_in import EMAIL, sign_in
from tests.vectors.streams import FixedTestStream
from tests.vectors.surveys import surveys

from hushpoll_client.cli import main
from hushpoll_client.survey import Survey
from hushpoll_server.analysis.results import Results
from hushpoll_server.collect import counters
from hushpoll_server.collect.batch import Stored
from hushpoll_server.counting.tally import SurveyCounts
from hushpoll_server.estimate.options import Options
from hushpoll_server.mechanisms.mechanism import TOTAL
from hushpoll_server.services import Services
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import BAD_QUERY, NOT_JSON, SIGN_IN_NEEDED, UNKNOWN_SURVEY, WRONG_MANIFEST
from hushpoll_shared.question_types import YesNo
from hushpoll_shared.questions import Question

ESTIMATES = "/api/v1/surveys/campus/estimates"
HOSTILE = "<script>alert(\"x\")</script> & 'quotes'"


@pytest.fixture
def researcher(client: FlaskClient, services: Services) -> FlaskClient:
    """Sign in."""
    return sign_in(client, services)


@pytest.fixture(scope="module")
def answered() -> dict[str, tuple[Manifest, list[bytes]]]:
    """Let devices answer a survey of every type, one that asks some of its questions, and a wave of a panel."""
    return {
        name: (manifest, [_randomize(manifest, answers[number % 2], f"{name}-{number}") for number in range(60)])
        for name, (manifest, answers) in surveys().items()
    }


def _randomize(manifest: Manifest, answers: dict[str, Any], seed: str) -> bytes:
    return Survey(manifest).randomize(answers, source=FixedTestStream(seed)).encode()


def collect(services: Services, answered: dict[str, tuple[Manifest, list[bytes]]], name: str) -> Manifest:
    """Publish one of these surveys and store its reports."""
    manifest, bodies = answered[name]
    services.surveys.publish(manifest, KEY)
    assert set(services.collect.take(manifest.survey, bodies)) == {Stored.ACCEPTED}
    return manifest


@pytest.fixture
def token(services: Services) -> dict[str, str]:
    """Return the header of a researcher's program."""
    services.researchers.add(EMAIL)
    return {"Authorization": f"Bearer {services.researchers.new_api_token(EMAIL)}"}


def send(services: Services, manifest: Manifest, *, yes: int, no: int) -> None:
    """Send reports that say yes, or no, to every question."""
    width = len(manifest.questions)
    draws = [(1,) * width] * yes + [(0,) * width] * no
    services.collect.take(manifest.survey, [make_report(manifest, *each).encode() for each in draws])


def estimates(services: Services, survey: str, options: Options) -> Results:
    return services.results.results(services.results.read(survey), options)


def text_of(page: str) -> str:
    return unescape(page).replace("\N{NO-BREAK SPACE}", " ").replace("\N{MINUS SIGN}", "-")


def test_the_list_tells_phase_and_number_of_reports(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey, clock: Any
) -> None:
    later = two_questions(survey="later", title="Later", opens=clock.now + timedelta(days=1))
    services.surveys.publish(later, KEY)
    services.surveys.publish(two_questions(survey="over", title="Over"), KEY)
    services.surveys.close("over")
    send(services, survey.manifest, yes=2, no=1)
    rows = text_of(researcher.get("/surveys").text).split("<li ")[1:]
    told = {name: row for row in rows for name in ("campus", "later", "over") if f"<code>{name}</code>" in row}
    assert ">open<" in told["campus"]
    assert "3 reports" in told["campus"]
    assert 'href="/surveys/campus"' in told["campus"]
    assert ">not open yet<" in told["later"]
    assert ">closed<" in told["over"]


def test_the_list_reads_one_counter_for_each_question_and_no_other(
    researcher: FlaskClient,
    services: Services,
    answered: dict[str, tuple[Manifest, list[bytes]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    manifest, read, reads = collect(services, answered, "everything"), counters._read, []

    def watched(*args: Any) -> SurveyCounts:
        reads.append(read(*args))
        return reads[-1]

    monkeypatch.setattr(counters, "_read", watched)
    assert "60 reports" in text_of(researcher.get("/surveys").text)
    assert reads == [{question.id: {TOTAL: 60} for question in manifest.questions}]


def test_an_empty_list_says_how_to_publish(researcher: FlaskClient) -> None:
    assert "hushpoll survey publish FILE" in researcher.get("/surveys").text


def test_a_survey_without_reports_says_so(researcher: FlaskClient, survey: PublishedSurvey) -> None:
    page = researcher.get("/surveys/campus").text
    assert "No reports yet" in page
    assert "±" not in page.split("How to read this")[0]
    assert 'href="/s/campus"' in page
    assert 'href="/s/campus/privacy"' in page
    assert survey.manifest.id in page


def test_below_thirty_reports_it_is_too_early_and_the_table_is_there_if_it_is_asked_for(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    send(services, survey.manifest, yes=12, no=17)
    page = researcher.get("/surveys/campus").text
    assert page.count("Too early") == 2
    assert "<table>" not in page
    page = researcher.get("/surveys/campus?early=1").text
    assert "Too early" in page
    assert 'class="chart"' not in page
    assert page.count("<table>") == 2
    send(services, survey.manifest, yes=0, no=1)
    page = researcher.get("/surveys/campus").text
    assert "Too early" not in page
    assert page.count('class="chart"') == 2


def test_the_dashboard_prints_the_services_figures(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    send(services, survey.manifest, yes=80, no=120)
    page = text_of(researcher.get("/surveys/campus?coverage=pointwise").text)
    # Wilson by hand: λ in (0.33460, 0.46917), so f in (0.1692, 0.4383), half of which is 0.1346
    assert "<strong>30 % ± 13</strong>" in page
    assert "95 % interval 17 % to 44 %" in page
    assert "n = 200" in page
    assert "Wilson, chosen by the counts, level 95 %" in page
    assert "ε = 1.099 (strong protection), odds 3:1, by randomized response." in page
    assert "Respondents read: “Your device sends your real answer 75 times in 100" in page
    assert "Looking costs no privacy" in page


def test_level_and_method_are_chosen_by_the_address(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    send(services, survey.manifest, yes=80, no=120)
    page = text_of(researcher.get("/surveys/campus?level=0.99&method=exact&coverage=pointwise").text)
    assert "exact (Clopper–Pearson), level 99 %" in page
    assert '<option value="0.99" selected>' in page
    assert '<option value="exact" selected>' in page
    # The widest interval of the chart is the chosen one.
    assert "rank-3" in page
    assert "/surveys/campus/chart.svg?level=0.99&method=exact&coverage=pointwise" in page


def test_impossible_counts_are_shown_unclipped_with_a_warning(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    send(services, survey.manifest, yes=10, no=190)
    page = text_of(researcher.get("/surveys/campus").text)
    assert "<strong>-40 % ± " in page
    assert "outside what the design can produce" in page
    assert "chart-arrow strays" in page


@pytest.mark.parametrize(
    "query",
    [
        "level=0",
        "level=1",
        "level=nan",
        "level=x",
        "level=-0.5",
        "level=1e-16",
        "level=0.9999999999999999",
        "method=magic",
        "level=.5&level=.8",
        "coverage=x",
        "beta=1",
    ],
)
def test_a_query_that_means_nothing_is_a_problem(
    researcher: FlaskClient, token: dict[str, str], survey: PublishedSurvey, query: str
) -> None:
    assert researcher.get(f"/surveys/campus?{query}").status_code == BAD_QUERY.status
    answer = researcher.get(f"{ESTIMATES}?{query}", headers=token)
    assert (answer.status_code, json.loads(answer.text)["type"]) == (BAD_QUERY.status, BAD_QUERY.type)


def test_an_unknown_survey_is_a_problem(researcher: FlaskClient, token: dict[str, str]) -> None:
    assert researcher.get("/surveys/nowhere").status_code == 404
    assert researcher.get("/surveys/nowhere/chart.svg").status_code == 404
    answer = researcher.get("/api/v1/surveys/nowhere/estimates", headers=token)
    assert json.loads(answer.text)["type"] == UNKNOWN_SURVEY.type


def test_texts_of_a_survey_are_texts_on_every_page(researcher: FlaskClient, services: Services) -> None:
    question = Question("q", HOSTILE, YesNo(), warner(odds="3:1"))
    manifest = two_questions(title=HOSTILE, questions=(question,))
    services.surveys.publish(manifest, KEY)
    send(services, manifest, yes=20, no=20)
    for path in ("/surveys", "/surveys/campus"):
        page = researcher.get(path).text
        assert "<script>" not in page
        assert HOSTILE in unescape(page)
    ElementTree.fromstring(researcher.get("/surveys/campus/chart.svg").text)


def test_the_page_has_no_inline_script_and_no_inline_style(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    send(services, survey.manifest, yes=20, no=20)
    answer = researcher.get("/surveys/campus")
    assert "form-action 'self'" in answer.headers["Content-Security-Policy"]
    assert not re.search(r"<script(?! type=\"module\" src=)| style=| on\w+=", answer.text)


def test_the_chart_is_a_file_with_all_that_an_export_must_say(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    send(services, survey.manifest, yes=80, no=120)
    answer = researcher.get("/surveys/campus/chart.svg?level=0.8&coverage=pointwise")
    words = " ".join(ElementTree.fromstring(answer.text).itertext())
    assert answer.mimetype == "image/svg+xml"
    assert answer.headers["Content-Disposition"] == "attachment; filename=campus.svg"
    for fact in (
        survey.manifest.id,
        "200 reports",
        "Wilson",
        "(n = 200, ε = 1.099)",
        "80\N{NO-BREAK SPACE}% margin of error",
    ):
        assert fact in words


def test_the_api_gives_full_precision_in_the_manifests_order(
    client: FlaskClient, token: dict[str, str], services: Services
) -> None:
    names = ("zebra", "apple")
    questions = tuple(Question(name, "Is it so?", YesNo(), warner(odds="3:1")) for name in names)
    manifest = two_questions(questions=questions)
    services.surveys.publish(manifest, KEY)
    send(services, manifest, yes=80, no=120)
    answer = client.get(f"{ESTIMATES}?level=0.9&method=wald", headers=token)
    expected = estimates(services, "campus", Options(level=0.9, method="wald"))
    assert json.loads(answer.text)["questions"] == {name: result.to_json() for name, result in expected.items()}
    assert tuple(json.loads(answer.text)["questions"]) == names
    assert answer.mimetype == "application/json"


def test_every_type_has_its_own_picture_and_table(
    researcher: FlaskClient, services: Services, answered: dict[str, tuple[Manifest, list[bytes]]]
) -> None:
    manifest = collect(services, answered, "everything")
    page = text_of(researcher.get("/surveys/everything?beta=0.05").text)
    assert page.count('class="chart"') == len(manifest.questions)
    cards = {question.id: page.split(f'id="question-{question.id}"')[1].split("</section>")[0]
             for question in manifest.questions}  # fmt: skip
    # The words of options, labels and extras, not their ids.
    assert ">Tram – «gelb»</th>" in cards["way"]
    assert ">prefer not to say</th>" in cards["way"]
    assert ">4 – much</th>" in cards["stress"]
    assert "The 50 largest of 2,100 estimates; the chart shows the first 12" in cards["code"]
    assert ">Asked<" in cards["ways"]
    assert "estimated mean" in cards["hours"]
    assert "a picture, as smooth as the reports allow, without limits" in cards["height"]
    assert ">Median</th>" in cards["height"]
    assert ">Standard deviation</th>" in cards["height"]
    assert "chart-steps" in cards["height"]
    assert "Rows: Do you? Columns: Which?" in cards["both"]
    assert "associat" in cards["both"]
    assert all("5 % made up" in card or "5 % of the reports are made up" in card for card in cards.values())
    assert len(page) < 300_000
    ElementTree.fromstring(researcher.get("/surveys/everything/chart.svg?beta=0.05").text)


def test_a_survey_that_asks_some_questions_tells_the_reports_to_each(
    researcher: FlaskClient, services: Services, answered: dict[str, tuple[Manifest, list[bytes]]]
) -> None:
    manifest = collect(services, answered, "some")
    page = text_of(researcher.get("/surveys/some?early=1").text)
    assert "60 reports." in page
    assert "Each device answers 1 of the 3 questions" in page
    counts = [each.to_json()["n"] for each in estimates(services, "some", Options()).values()]
    assert len(counts) == len(manifest.questions)
    assert sum(map(int, map(str, counts))) == 60
    assert all(f"n = {count} of 60" in page for count in counts)
    assert "60 reports" in text_of(researcher.get("/surveys").text)


def test_a_wave_of_a_panel_says_what_waves_share(
    researcher: FlaskClient, services: Services, answered: dict[str, tuple[Manifest, list[bytes]]]
) -> None:
    collect(services, answered, "panel")
    page = text_of(researcher.get("/surveys/wave-2").text)
    assert "averaging waves does not average out the randomizing" in page


@pytest.mark.parametrize(
    ("coverage", "method", "words"),
    [
        ("pointwise", "exact", "exact (Clopper–Pearson), level 95 % for one interval at a fixed time"),
        ("simultaneous", "", "Wilson, chosen by the counts, level 95 % for all answers of a question"),
        ("anytime", "wald", "anytime-valid mixture, level 95 % for continuous monitoring"),
    ],
)
def test_what_the_level_holds_for_is_chosen_and_said(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey, coverage: str, method: str, words: str
) -> None:
    send(services, survey.manifest, yes=400, no=600)
    page = text_of(researcher.get(f"/surveys/campus?coverage={coverage}&method={method}").text)
    assert words in page
    # What an open survey has without a choice is sent as no choice.
    assert f'value="{coverage if coverage != "anytime" else ""}" checked' in page


def test_the_api_takes_the_options_of_the_command_line(
    client: FlaskClient,
    token: dict[str, str],
    services: Services,
    answered: dict[str, tuple[Manifest, list[bytes]]],
    tmp_path: Path,
) -> None:
    collect(services, answered, "everything")
    manifest, reports = tmp_path / "m.json", tmp_path / "r.ndjson"
    manifest.write_bytes(services.surveys.get("everything").envelope)
    reports.write_bytes(b"\n".join(answered["everything"][1]))
    for options in ({"coverage": "anytime", "beta": "0.05"}, {"level": "0.9", "method": "wald"}):
        answer = client.get("/api/v1/surveys/everything/estimates", query_string=options, headers=token)
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        files = ["--manifest", str(manifest), "--reports", str(reports)]
        printed = CliRunner().invoke(main, ["estimate", *files, *words, "--json"], catch_exceptions=False)
        assert json.loads(answer.text) == json.loads(printed.stdout)


def test_a_method_for_every_look_is_a_problem_for_programs(
    client: FlaskClient, token: dict[str, str], survey: PublishedSurvey
) -> None:
    answer = client.get(f"{ESTIMATES}?coverage=anytime&method=wald", headers=token)
    assert json.loads(answer.text)["type"] == BAD_QUERY.type


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer ", "Bearer x", "Basic YTpi", "bearer\tx"])
def test_the_api_needs_a_token(client: FlaskClient, survey: PublishedSurvey, header: str | None) -> None:
    answer = client.get(ESTIMATES, headers={} if header is None else {"Authorization": header})
    assert (answer.status_code, answer.json) == (401, SIGN_IN_NEEDED.to_json())


def test_a_session_does_not_open_the_api_nor_a_token_the_pages(
    researcher: FlaskClient, app: Flask, token: dict[str, str], survey: PublishedSurvey
) -> None:
    assert researcher.get(ESTIMATES).status_code == 401
    assert app.test_client().get("/surveys", headers=token).status_code == 401


def test_refused_reports_are_shown_with_their_reasons(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    assert "Rejected" not in researcher.get("/surveys/campus").text
    services.collect.reject("campus", [NOT_JSON, NOT_JSON, WRONG_MANIFEST])
    services.collect.take("campus", [make_report(survey.manifest).encode()])
    page = unescape(researcher.get("/surveys/campus").text)
    assert "Rejected: 3 reports</h2>" in page
    assert f"<li>2: {NOT_JSON.title}" in page
    assert f"<li>1: {WRONG_MANIFEST.title}" in page
