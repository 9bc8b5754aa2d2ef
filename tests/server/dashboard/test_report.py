"""The report for paper: complete for every type of question, with the figures of the API, and without gaps."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from itertools import pairwise

import pytest
from flask.testing import FlaskClient
from tests.samples.designs import warner
from tests.samples.presented import presented
from tests.samples.surveys import KEY, make_report, two_questions
from tests.server.clock import Clock
from tests.server.researchers.sign_in import EMAIL, sign_in
from tests.vectors.streams import FixedTestStream
from tests.vectors.surveys import every_type, surveys

from hushpoll_client.survey import Survey
from hushpoll_server.dashboard import formatting
from hushpoll_server.dashboard.report.design import type_words
from hushpoll_server.dashboard.report.intervals import Kind, describe_intervals
from hushpoll_server.dashboard.report.methods import describe_methods
from hushpoll_server.dashboard.report.privacy import privacy_statement
from hushpoll_server.dashboard.run import PEOPLE
from hushpoll_server.estimate.intervals import METHODS
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.results import ShownMethod
from hushpoll_server.mechanisms import mechanism_of
from hushpoll_server.services import Services
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared.about import About
from hushpoll_shared.checks import read_time
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import NOT_JSON
from hushpoll_shared.question_types import YesNo
from hushpoll_shared.questions import Question

REPORT = "/surveys/campus/report"
# What is left where a template was not filled in.
GAPS = re.compile(r"\{|\}|\bNone\b|\bnan\b|Undefined|Fraction\(|Decimal\(|  |\.\.|,,| \.| ,|\(\)|«»")
TOO_MUCH = re.compile(r"anonym|guarantee|military|\bfake|noise is added", re.IGNORECASE)
PANEL = surveys()["panel"][0]


@pytest.fixture
def researcher(client: FlaskClient, services: Services) -> FlaskClient:
    return sign_in(client, services)


@pytest.fixture(scope="module")
def reports() -> list[bytes]:
    """Let devices answer the survey of every type."""
    manifest, answers = surveys()["everything"]
    device = Survey(manifest)
    return [device.randomize(answers[i % 2], source=FixedTestStream(f"paper-{i}")).encode() for i in range(60)]


def read(researcher: FlaskClient, address: str = REPORT) -> str:
    answer = researcher.get(address)
    assert answer.status_code == 200
    return unescape(answer.text).replace("\N{NO-BREAK SPACE}", " ").replace("\N{MINUS SIGN}", "-")


def send(services: Services, manifest: Manifest, *, yes: int, no: int) -> None:
    draws = [(1,) * len(manifest.questions)] * yes + [(0,) * len(manifest.questions)] * no
    services.collect.take(manifest.survey, [make_report(manifest, *each).encode() for each in draws])


def facts_of(page: str) -> dict[str, str]:
    facts = re.findall(r"<dt>(.*?)</dt><dd[^>]*>(.*?)</dd>", page.split('<dl class="facts">')[1].split("</dl>")[0])
    return {name: re.sub(r"<.*?>", "", value) for name, value in facts}


def test_the_head_says_who_asks_when_and_how_many(researcher: FlaskClient, services: Services, clock: Clock) -> None:
    about = About(organisation="University of Example", contact="mailto:ada@example.org")
    opens, closes = (read_time(f"{day}T08:00:00Z", "") for day in ("2020-01-01", "2099-03-01"))
    manifest = two_questions(about=about, opens=opens, closes=closes, population=1600)
    services.surveys.publish(manifest, KEY)
    send(services, manifest, yes=80, no=120)
    page = read(researcher)
    facts = facts_of(page)
    assert facts["Asked by"] == "University of Example"
    assert facts["Contact"] == "ada@example.org"
    assert facts["Reports"] == "200"
    assert facts["Population"] == "1,600 people; 200 reports, a response rate of 12.5 %. " + PEOPLE
    assert facts["Open"] == "from 1 January 2020 at 08:00 UTC to 1 March 2099 at 08:00 UTC; open now"
    assert facts["Form"] == "http://localhost/s/campus"
    assert facts["Privacy label"] == "http://localhost/s/campus/privacy"
    assert facts["Manifest"] == manifest.id
    assert facts["Key"] == services.surveys.get("campus").key
    assert f'datetime="{clock.now:%Y-%m-%dT%H:%M:%SZ}"' in page
    assert f"{clock.now.day} " in facts["As of"]
    assert facts["As of"].endswith(" UTC")


def test_the_report_needs_a_sign_in_and_an_existing_survey(client: FlaskClient, services: Services) -> None:
    services.surveys.publish(two_questions(), KEY)
    assert client.get(REPORT).status_code == 401
    assert sign_in(client, services).get("/surveys/nowhere/report").status_code == 404
    assert client.get(f"{REPORT}?level=2").status_code == 400


def test_every_type_has_its_design_its_table_and_its_chart(
    researcher: FlaskClient, services: Services, reports: list[bytes]
) -> None:
    manifest = surveys()["everything"][0]
    services.surveys.publish(manifest, KEY, [("asked", "way")])
    services.collect.take("everything", reports)
    page = read(researcher, "/surveys/everything/report?beta=0.05")
    assert page.count('class="chart"') == len(manifest.questions)
    design = page.split('id="design"')[1].split("</section>")[0]
    for number, question in enumerate(manifest.questions, start=1):
        assert f">{number}. {question.text}</th>" in design
        assert f": {mechanism_of(question).method.parameters}</span>".replace("\N{MINUS SIGN}", "-") in design
        assert f'data-label="ε">{formatting.epsilon(question.design.epsilon)}</td>' in design
        assert f'id="question-{question.id}">{number}. {question.text}</h3>' in page
    assert "Were you? × How do you come?" in page
    assert "No report was rejected." in page
    key = services.surveys.get("everything").key
    assert f"SHA-256 <code>{manifest.id}</code>, signed with the key <code>{key}</code>." in page
    methods = page.split('id="methods"')[1].split("</section>")[0]
    for cited in re.findall(r"[A-Z]\w+(?: et al\.| and \w+)? (?:19|20)\d\d", methods):
        first, year = cited.split()[0], cited[-4:]
        listed = page.split('id="references"')[1]
        assert re.search(rf"{first}, [^<]*\({year}\)", listed), cited
    assert " style=" not in page
    assert "<script" not in page


def test_the_figures_are_those_of_the_api_to_the_digit(
    researcher: FlaskClient, services: Services, reports: list[bytes]
) -> None:
    services.surveys.publish(surveys()["everything"][0], KEY)
    services.collect.take("everything", reports)
    token = {"Authorization": f"Bearer {services.researchers.new_api_token(EMAIL)}"}
    options = "level=0.8&coverage=simultaneous"
    estimates = json.loads(researcher.get(f"/api/v1/surveys/everything/estimates?{options}", headers=token).text)
    page = read(researcher, f"/surveys/everything/report?{options}")
    compared = 0
    for name in ("cheated", "asked", "way", "stress", "few"):
        card = page.split(f'id="question-{name}"')[1].split("</section>")[0]
        for cell in estimates["questions"][name]["cells"]:
            decimals = formatting.decimals_of(cell["se"]) + 1
            figures = [
                f"{round(100 * cell[key], decimals) + 0.0:.{decimals}f}" for key in ("estimate", "se", "low", "high")
            ]
            share, se, low, high = figures
            row = f'data-label="Share">{share}</td><td class="number" data-label="SE">{se}</td>'
            assert f'{row}<td class="number limits" data-label="80 % interval">{low} to {high}</td>' in card
            compared += 1
    mean = estimates["questions"]["hours"]["mean"]
    decimals = formatting.decimals_of(mean["se"], formatting.OWN) + 1
    assert f'data-label="Estimate">{mean["estimate"]:.{decimals}f}</td>' in page
    assert compared == 1 + 4 + 5 + 6 + 4


def test_without_reports_the_report_is_the_plan_of_the_survey(researcher: FlaskClient, survey: PublishedSurvey) -> None:
    page = read(researcher)
    assert "There are no reports yet." in page
    assert 'class="chart"' not in page
    assert "There are too few reports for intervals yet." in page
    assert "Warner 1965" in page
    assert not GAPS.search(" ".join(paragraphs_of(page)))
    assert facts_of(page)["Reports"] == "0"


def test_one_report_has_no_figures_until_they_are_asked_for(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    send(services, survey.manifest, yes=1, no=0)
    page = read(researcher)
    assert page.count("With 1 report the 95 % interval is about ± ") == 2
    assert 'data-label="Share"' not in page
    asked = read(researcher, f"{REPORT}?early=1")
    assert asked.count('data-label="Share"') == 2
    assert not re.search(r">\s*(nan|None)\b", asked)
    assert "the exact interval (Clopper and Pearson 1934)" in asked


def test_a_negative_estimate_is_printed_as_it_is(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    send(services, survey.manifest, yes=10, no=190)
    page = read(researcher)
    assert "<strong>-40 % ± " in page
    assert "outside what the design can produce" in page
    assert "Neither estimates nor limits were clipped" in page


def test_options_are_those_of_the_dashboard(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    send(services, survey.manifest, yes=400, no=600)
    page = read(researcher, f"{REPORT}?level=0.9&coverage=anytime&method=wald")
    assert "90 % confidence intervals: for shares, a confidence sequence by the method of mixtures" in page
    assert "at all looks during data collection together" in page
    assert 'value="anytime" checked' in page
    assert 'action="/surveys/campus/report"' in page
    link = "/surveys/campus/report?level=0.9&coverage=simultaneous"
    assert link in unescape(researcher.get("/surveys/campus?level=0.9&coverage=simultaneous").text)


def test_rejected_reports_are_listed_by_reason(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    services.collect.reject("campus", [NOT_JSON, NOT_JSON])
    send(services, survey.manifest, yes=1, no=0)
    assert f"<li>2: {NOT_JSON.title}" in read(researcher)


def test_the_report_is_in_the_language_of_the_survey_and_ignores_translations(
    researcher: FlaskClient, services: Services
) -> None:
    manifest = presented()
    services.surveys.publish(manifest, KEY)
    page = researcher.get(f"/surveys/{manifest.survey}/report", headers={"Accept-Language": "ar, de"}).text
    assert '<html lang="en" dir="ltr">' in page
    assert manifest.title in page
    for translation in manifest.translations.values():
        assert translation.title not in page


def paragraphs_of(page: str) -> list[str]:
    parts = [page.split(f'id="{name}"')[1].split("</section>")[0] for name in ("methods", "privacy")]
    return [text for part in parts for text in re.findall(r"<p>(.*?)</p>", part)]


MANIFESTS = {
    **{question.id: Manifest("one", "One", "Please.", (question,)) for question in every_type() if not question.when},
    "several": replace(surveys()["everything"][0], population=None),
    "population": surveys()["everything"][0],
    "some": surveys()["some"][0],
    "panel": PANEL,
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_no_paragraph_has_a_gap_whatever_the_mechanism(name: str) -> None:
    manifest = MANIFESTS[name]
    text = describe_methods(manifest, [], Options())
    statement = privacy_statement(manifest)
    for paragraph in (*text.paragraphs, *statement):
        assert not GAPS.search(paragraph), GAPS.search(paragraph)
        assert not TOO_MUCH.search(paragraph)
        assert paragraph.endswith(".")
        assert paragraph[0].isupper()
    assert ("1 − n/N" in text.paragraphs[2]) == (manifest.population is not None)
    assert formatting.epsilon(manifest.epsilon) in statement[1]
    cited = " ".join(text.paragraphs)
    assert all(reference.cited in cited for reference in text.references)


def test_every_method_of_every_kind_has_words_and_what_it_cites() -> None:
    means: tuple[ShownMethod, ...] = (*METHODS, "gaffke", "mixture")
    shown: dict[Kind, tuple[ShownMethod, ...]] = {"share": (*METHODS, "mixture"), "mean": means, "table": means}
    used = [(kind, method, finite) for kind in shown for method in shown[kind] for finite in (True, False)]
    for kind, method, finite in used:
        words, references = describe_intervals({(kind, method)}, Options(), finite=finite)
        assert not GAPS.search(words)
        assert all(reference.cited in words for reference in references)
        assert ("finite population" in words) <= finite


def test_questions_with_one_mechanism_share_its_sentence() -> None:
    questions = tuple(Question(f"q{i}", "Is it so?", YesNo(), warner(odds="3:1")) for i in range(6))
    others = {3: every_type()[1]}
    mixed = Manifest("m", "M", "Please.", tuple(others.get(i, question) for i, question in enumerate(questions)))
    text = describe_methods(mixed, [], Options()).paragraphs[0]
    assert "In questions 1–3 and 5–6, the device reports the true answer with probability p" in text
    assert "In question 4, the device" in text
    alike = describe_methods(two_questions(), [], Options()).paragraphs[0]
    assert "In every question, the device" in alike


def test_the_statement_says_what_adds_up() -> None:
    [_, total, _] = privacy_statement(PANEL)
    assert "each different answer adds its ε once. A question that is not repeated from a kept draw adds its ε" in total
    assert "Over all 2 questions together the report" in total
    assert "Over the one question that a device reports on the report" in privacy_statement(surveys()["some"][0])[1]
    assert "for which the ε of these questions add up" in privacy_statement(presented())[0]
    assert "add up" not in privacy_statement(two_questions())[0]


def test_types_are_told_in_words() -> None:
    words = {question.id: type_words(question.type) for question in every_type()}
    assert words["cheated"] == "yes/no"
    assert words["asked"] == "yes/no, or “prefer not to say” or “does not apply”"
    assert words["way"] == "one of 4 answers, or “prefer not to say”"
    assert words["code"] == "one of 2,100 answers"
    assert words["few"] == "at most 2 of 4 options"
    assert words["height"] == "a number from -1.5 to 2.25, reported as a distribution"
    assert words["both"] == "a pair of questions, 9 pairs of answers"
    assert all(first != second for first, second in pairwise(words.values()))
