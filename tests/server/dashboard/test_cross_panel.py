"""The cross tables of questions asked apart, on the researcher's page."""

from __future__ import annotations

import re
from html import unescape

import pytest
from flask.testing import FlaskClient
from tests.samples.surveys import KEY
from tests.server.compile.survey_files import survey
from tests.server.researchers.sign_in import sign_in
from tests.vectors.streams import FixedTestStream

from hushpoll_client.survey import Survey
from hushpoll_server.analysis.results import cross_results_of
from hushpoll_server.compile.definition import Compiled, compile_survey
from hushpoll_server.dashboard.cross_panel import CrossPanel, make_cross_panels
from hushpoll_server.services import Services

TEXT = survey(
    'type: yes_no, privacy: {epsilon: "3"}',
    'type: single_choice, options: {never: Never!, once: Once & again}, decline: true, privacy: {epsilon: "3"}',
    "type: scale, min: 1, max: 13, privacy: {epsilon: 3}",
    'type: yes_no, privacy: {epsilon: "3"}',
    head="cross_tables: [[q1, q2], [q4, q1], [q1, q3]]\n",
)
PEOPLE = ((True, "once", 4, True), (False, "never", 9, False), (False, None, 1, False))


@pytest.fixture
def compiled() -> Compiled:
    return compile_survey(TEXT, "poll.yaml")


def fill(services: Services, compiled: Compiled, number: int) -> None:
    """Publish the survey and let people answer."""
    services.surveys.publish(compiled.manifest, KEY, compiled.crossed)
    device, source = Survey(compiled.manifest), FixedTestStream("panel")
    people = (dict(zip(("q1", "q2", "q3", "q4"), PEOPLE[i % 3], strict=True)) for i in range(number))
    services.collect.take("campus", [device.randomize(each, source=source).encode() for each in people])


def panels_of(services: Services, compiled: Compiled) -> list[CrossPanel]:
    tables = cross_results_of(compiled.manifest, services.collect.counts("campus"), compiled.crossed)
    return make_cross_panels(compiled.manifest, tables)


@pytest.fixture
def researcher(client: FlaskClient, services: Services) -> FlaskClient:
    return sign_in(client, services)


def cards(page: str) -> list[str]:
    """Return the cards of the cross tables."""
    return [
        unescape(card)
        for card in re.findall(r'<section class="card estimate" aria-labelledby="cross-.*?</section>', page, re.DOTALL)
    ]


def test_the_table_stands_below_the_questions_with_margins_and_what_is_needed_to_judge_it(
    researcher: FlaskClient, services: Services, compiled: Compiled
) -> None:
    fill(services, compiled, 240)
    [card, *_] = cards(researcher.get("/surveys/campus?coverage=pointwise").text)
    assert "x × x" in card
    for words in ("Never!", "Once & again", "prefer not to say", ">All<", "n = 240"):
        assert words in card
    assert "Gaffke (Clopper–Pearson for means), level " in card
    assert "ε = 3 and 3, together 6. The cross table adds nothing to that" in card
    assert "The two answers are associated" in card


def test_figures_follow_the_choice_of_level_and_promise(
    researcher: FlaskClient, services: Services, compiled: Compiled
) -> None:
    fill(services, compiled, 60)
    card = cards(researcher.get("/surveys/campus?level=0.8&coverage=anytime&beta=0.05").text)[0]
    assert "80\N{NO-BREAK SPACE}% interval" in card
    assert "anytime-valid mixture" in card
    assert "made-up" in card


def test_two_by_two_has_an_odds_ratio(services: Services, compiled: Compiled) -> None:
    fill(services, compiled, 240)
    view = panels_of(services, compiled)[1].cross
    assert view is not None
    assert [row[0] for row in view.rows] == ["no", "yes"]
    assert sum(cell.estimate or 0 for _, cells, _ in view.rows for cell in cells) == pytest.approx(1)
    for _, cells, margin in view.rows:
        assert margin.estimate == pytest.approx(sum(cell.estimate or 0 for cell in cells))
    assert any(sentence.startswith(("Odds ratio", "No odds ratio")) for sentence in view.sentences)


def test_below_thirty_reports_nothing_is_said_about_the_table(
    researcher: FlaskClient, services: Services, compiled: Compiled
) -> None:
    fill(services, compiled, 12)
    assert panels_of(services, compiled)[0].method == "Gaffke (Clopper–Pearson for means)"
    hidden = cards(researcher.get("/surveys/campus").text)[0]
    assert "Too early." in hidden
    assert "<table" not in hidden
    card = cards(researcher.get("/surveys/campus?early=1").text)[0]
    assert "<table" in card
    assert "Too early." in card
    assert "The two answers are associated" not in card
    assert "No sign" not in card
    assert "χ²" not in card


def test_a_table_that_nobody_could_read_is_left_to_the_export(
    researcher: FlaskClient, services: Services, compiled: Compiled
) -> None:
    fill(services, compiled, 40)
    assert "26 cells, too many to show here" in cards(researcher.get("/surveys/campus").text)[1]


def test_without_reports_and_without_cross_tables_there_are_none(
    researcher: FlaskClient, services: Services, compiled: Compiled
) -> None:
    services.surveys.publish(compiled.manifest, KEY, compiled.crossed)
    assert cards(researcher.get("/surveys/campus").text) == []
    assert panels_of(services, compiled)[0].cross is None
