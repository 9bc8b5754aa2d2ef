"""Too early: few reports have no figures unless somebody asks, and the page says how many it takes."""

from __future__ import annotations

import math
from html import unescape

import pytest
from flask.testing import FlaskClient
from tests.samples.designs import warner
from tests.samples.surveys import make_report
from tests.server.dashboard.grouped_surveys import publish_campus
from tests.server.researchers.sign_in import sign_in
from tests.vectors.surveys import every_type
from werkzeug.datastructures import MultiDict

from hushpoll_server.dashboard.early import read_early, why_early
from hushpoll_server.plan.sizes import Sample
from hushpoll_server.services import Services
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared.problems import BAD_QUERY, ProblemError
from hushpoll_shared.question_types import YesNo
from hushpoll_shared.questions import Question

WARNER = Question("q", "Is it so?", YesNo(), warner(odds="3:1"))


@pytest.fixture
def researcher(client: FlaskClient, services: Services) -> FlaskClient:
    return sign_in(client, services)


def plain(text: str) -> str:
    return unescape(text).replace("\N{NO-BREAK SPACE}", " ")


def send(services: Services, survey: PublishedSurvey, number: int) -> None:
    services.collect.take("campus", [make_report(survey.manifest, 1, 0).encode() for _ in range(number)])


def test_the_needed_number_is_that_of_the_textbook() -> None:
    # Warner at p = 3/4: λ(1 − λ)/(p − q)² = 1 at a share of one half, so n = (1.96/0.1)² = 384.1, and with 12 reports
    # the margin of error is 1.96/√12 = 0.566
    assert math.ceil((1.959964 / 0.1) ** 2) == 385
    words = plain(why_early(WARNER, 12, Sample()))
    assert words == (
        "With 12 reports the 95 % interval is about ± 57 points: it covers nearly everything. "
        "About 390 reports give ± 10 points."
    )


def test_an_interval_that_is_less_wide_is_not_said_to_cover_everything() -> None:
    mild = Question("q", "Is it so?", YesNo(), warner(epsilon="6"))
    assert "± 18 points: it says little. About 97 reports give" in plain(why_early(mild, 29, Sample()))


def test_a_population_that_is_too_small_for_the_goal_is_said_to_be() -> None:
    words = why_early(WARNER, 5, Sample(population=60))
    assert "even if the whole population answers" in words


@pytest.mark.parametrize("question", every_type(), ids=lambda question: question.id)
def test_every_type_has_a_sentence(question: Question) -> None:
    words = plain(why_early(question, 1, Sample()))
    assert words.startswith("With 1 report the 95 % interval is about ± ")
    assert ("of the range" in words) == (question.type.report != "shares")
    assert " reports give ± 10" in words


def test_the_link_keeps_the_other_options(services: Services, survey: PublishedSurvey) -> None:
    reading = services.results.read(survey.name)
    query = MultiDict([("level", "0.9"), ("method", ""), ("group", "a&b=c")])
    assert read_early(query, survey, reading).link == "?level=0.9&method=&group=a%26b%3Dc&early=1"
    again = read_early(MultiDict([("early", "1"), ("level", "0.9")]), survey, reading)
    assert (again.shown, again.link) == (True, "?level=0.9&early=1")
    with pytest.raises(ProblemError, match=BAD_QUERY.title):
        read_early(MultiDict([("early", "perhaps")]), survey, reading)


def test_no_figure_is_on_the_page_until_it_is_asked_for(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    send(services, survey, 29)
    page = plain(researcher.get("/surveys/campus?level=0.9").text)
    assert page.count("Too early.") == 2
    assert "outside what the design can produce" not in page
    assert 'href="?level=0.9&early=1"' in page
    assert "<table" not in page
    asked = plain(researcher.get("/surveys/campus?level=0.9&early=1").text)
    assert asked.count("<table>") == 2
    assert '<input type="hidden" name="early" value="1">' in asked
    send(services, survey, 1)
    page = researcher.get("/surveys/campus").text
    assert "Too early" not in page
    assert page.count("<table>") == 2


PAGES = ("?", "/report?", "/cross?questions=cheated&questions=helped", "/compare?question=cheated&by=faculty")


@pytest.mark.parametrize("page", PAGES)
def test_below_the_minimum_of_a_survey_a_page_has_no_figures_until_they_are_asked_for(
    researcher: FlaskClient, services: Services, page: str
) -> None:
    publish_campus(services, minimum_reports=182)
    text = plain(researcher.get(f"/surveys/campus{page}").text)
    assert "The figures are shown from 182 reports on." in text
    assert 'data-label="SE"' not in text
    asked = plain(researcher.get(f"/surveys/campus{page}&early=1").text)
    assert "Too early." not in asked
    assert 'data-label="SE"' in asked


@pytest.mark.parametrize("page", [*PAGES, "?group=old"])
def test_a_survey_that_has_its_minimum_shows_the_figures_of_smaller_groups_too(
    researcher: FlaskClient, services: Services, page: str
) -> None:
    publish_campus(services, minimum_reports=181)
    assert "Too early." not in researcher.get(f"/surveys/campus{page}").text


def test_without_any_report_there_is_nothing_to_show_anyway(researcher: FlaskClient, survey: PublishedSurvey) -> None:
    page = researcher.get(f"/surveys/{survey.name}").text
    assert "Too early" not in page
    assert "No reports yet" in page
