"""Every figure that a page shows is in the files that it offers, to the digit."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Any

import pytest
from flask.testing import FlaskClient
from tests.samples.every_type import every_type
from tests.samples.exported import CROSSED, bodies_of, everything
from tests.samples.surveys import KEY
from tests.server.dashboard.shown_figures import Cards, missing, numbers_in, numbers_of, texts_of, values_of
from tests.server.researchers.sign_in import sign_in
from tests.vectors.groups import FACULTY
from tests.vectors.streams import FixedTestStream

from hushpoll_client.survey import Survey
from hushpoll_server.app import create_app
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_shared.groups import Groups
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import WRONG_MANIFEST

REPORTS = 400
ANSWERS: tuple[dict[str, Any], ...] = (
    {"cheated": True, "helped": True, "frequency": "never", "town": "Kingston 7", "mark": 42, "fair": 1, "stress": 9,
     "ways": ["phone"], "best": ["notes", "phone"], "hours": 3, "pay": 0.5, "income": 7.5, "age": 40, "mood": 4,
     "works": True, "tired": 5},
    {"cheated": False, "helped": False, "frequency": "often", "town": "Kingston 9", "mark": 99, "fair": 4, "stress": 1,
     "ways": ["notes"], "best": ["notes"], "hours": 20, "pay": 40.5, "income": 2, "age": 20, "mood": 2,
     "works": False, "tired": 2},
)  # fmt: skip
# Numbers of bins, of rows shown and of groups: they say how a page is laid out.
STRUCTURE = (1.0, 2.0, 3.0, 12.0, 16.0, 50.0, 60.0, 64.0)
OPTIONS = ("", "level=0.8&method=exact", "coverage=simultaneous&beta=0.05", "coverage=anytime", "group=arts&beta=0.02")


def all_types() -> Manifest:
    """Make a survey with every mechanism but the one that only panels have."""
    kept = tuple(question for question in every_type().questions if question.id != "drinks")
    return every_type(questions=kept, panel=None, population=5_000, groups=Groups((FACULTY,), 20))


@dataclass
class Reader:
    """Somebody who reads pages and saves what they offer."""

    browser: FlaskClient
    manifests: Mapping[str, Manifest]

    def page(self, survey: str, path: str) -> tuple[dict[str, list[str]], str]:
        """Return the numbers of each card, and the page."""
        page = self.browser.get(f"/surveys/{survey}{path}").text
        return Cards(page).texts, page

    def values(self, link: str, without: Sequence[str]) -> list[float]:
        """Return the numbers of a file, as if it had no columns of these names."""
        response = self.browser.get(link)
        assert response.status_code == 200, link
        if response.mimetype == "application/json":
            return list(numbers_in(json.loads(response.data)))
        text = response.get_data(as_text=True)
        return values_of(csv.DictReader(io.StringIO(text, newline="")), without=without)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """Publish two surveys with every type of question and every mechanism, with reports."""
    app = create_app(Settings(home=tmp_path_factory.mktemp("figures")))
    services: Services = app.extensions["hushpoll"]
    first, second = everything(population=3_000), all_types()
    services.surveys.publish(first, KEY, CROSSED)
    services.collect.take(first.survey, bodies_of(first, REPORTS))
    services.surveys.publish(second, KEY, [("cheated", "frequency")])
    drawn, source = Survey(second), FixedTestStream("every figure")
    bodies = [
        drawn.randomize(ANSWERS[place % 3 % 2], source=source, groups=FACULTY.ids[place % 2 : place % 2 + 1]).encode()
        for place in range(REPORTS)
    ]
    services.collect.take(second.survey, bodies)
    services.collect.reject(first.survey, [WRONG_MANIFEST] * 7)
    yield Reader(sign_in(app.test_client(), services), {each.survey: each for each in (first, second)})
    services.close()


def lacking(reader: Reader, survey: str, path: str, *without: str, extension: str = "csv") -> dict[str, set[str]]:
    """Return the numbers of each card of the dashboard that its own file lacks; some columns can be left out."""
    cards, page = reader.page(survey, path)
    known = [*texts_of(reader.manifests[survey]), *sentences(page)]
    found = {}
    for card, link in links(page, extension).items():
        [name] = [each for each in cards if each in (f"question-{card}", f"cross-{card}")]
        numbers = numbers_of(cards[name], known)
        assert len(numbers) > 8, card
        found[card] = missing(numbers, [*reader.values(link, without), *STRUCTURE, float(REPORTS)])
    return found


def links(page: str, extension: str) -> dict[str, str]:
    """Return the addresses of the files of a dashboard's cards."""
    found = re.findall(rf'href="(/surveys/[^"]+/files/([^/"]+)\.{extension}[^"]*)"', page)
    return {card: unescape(link) for link, card in found}


def sentences(page: str) -> list[str]:
    """Return the cautions of a page, which are whole sentences of the files."""
    return [unescape(each) for each in re.findall(r"<strong>Caution.</strong> ([^<]+)</p>", page)]


@pytest.mark.parametrize("survey", ["everything", "all"])
@pytest.mark.parametrize("query", OPTIONS)
def test_every_figure_of_a_card_is_in_its_file(reader: Reader, survey: str, query: str) -> None:
    for extension in ("csv", "json"):
        found = lacking(reader, survey, f"?{query}", extension=extension)
        assert len(found) >= len(reader.manifests[survey].questions)
        assert {card: numbers for card, numbers in found.items() if numbers} == {}, extension


@pytest.mark.parametrize(
    "column",
    ["n", "count", "se", "low", "high", "margin", "band_low", "band_high", "sampling_margin", "price_of_privacy",
     "epsilon", "odds", "population", "level", "statistic", "p_value", "from"],
)  # fmt: skip
def test_a_file_without_a_column_would_be_noticed(reader: Reader, column: str) -> None:
    # A bin ends where the next one begins.
    same = {"from": ("to",), "n": ("count", "asked")}.get(column, ())
    found = lacking(reader, "everything", "?beta=0.05&level=0.9", column, *same)
    assert any(found.values())


def test_a_file_without_the_estimates_would_be_noticed(reader: Reader) -> None:
    found = lacking(reader, "everything", "?", "estimate", "tidy")
    assert sum(bool(numbers) for numbers in found.values()) > len(found) / 2


EXPLORED = {
    "compare public": "compare?question=asked&by=faculty&level=0.9",
    "compare public means": "compare?question=hours&by=faculty&adjust=benjamini-hochberg",
    "compare distributions": "compare?question=height&by=years&coverage=simultaneous",
    "compare many": "compare?question=way&by=years",
    "compare private": "compare?question=asked&by=cheated&group=arts",
    "compare private means": "compare?question=hours&by=way",
    "cross counted": "cross?questions=cheated&questions=way",
    "cross reports": "cross?questions=way&questions=cheated&coverage=simultaneous",
    "cross option": "cross?questions=few:car&questions=cheated",
    "cross means": "cross?questions=cheated&questions=hours",
    "cross three": "cross?questions=cheated&questions=smokes&questions=turned",
    "logistic": "regression?outcome=cheated&covariates=faculty",
    "logistic on answers": "regression?outcome=cheated&covariates=turned&level=0.8",
    "linear": "regression?outcome=hours&covariates=faculty&model=linear",
    "linear points": "regression?outcome=way:1&covariates=faculty&model=linear",
}


def explored(reader: Reader, path: str, *without: str, extension: str = "csv") -> set[str]:
    """Return the numbers of a page that its file lacks."""
    cards, page = reader.page("everything", f"/{path}")
    known = [*texts_of(reader.manifests["everything"]), *sentences(page)]
    [link] = {unescape(each) for each in re.findall(rf'href="(/surveys/[^"]+\.{extension}\?[^"]*)"', page)}
    numbers = [number for name, texts in cards.items() for number in numbers_of(texts, known)]
    assert len(numbers) > 8
    return missing(numbers, [*reader.values(link, without), *STRUCTURE])


@pytest.mark.parametrize("name", EXPLORED)
def test_every_figure_of_a_page_that_compares_crosses_or_regresses_is_in_its_file(reader: Reader, name: str) -> None:
    assert explored(reader, EXPLORED[name]) == set()


@pytest.mark.parametrize("column", ["se", "low", "estimate", "p_value"])
@pytest.mark.parametrize("name", ["compare public", "cross three", "logistic"])
def test_a_page_whose_file_lacks_a_column_would_be_noticed(reader: Reader, name: str, column: str) -> None:
    assert explored(
        reader, EXPLORED[name], column, *{"estimate": ("tidy",), "p_value": ("adjusted_p_value",)}.get(column, ())
    )


@pytest.mark.parametrize("survey", ["everything", "all"])
def test_every_figure_of_the_report_for_paper_is_in_the_estimates(reader: Reader, survey: str) -> None:
    query = "level=0.9&beta=0.05"
    cards, page = reader.page(survey, f"/report?{query}")
    known = [*texts_of(reader.manifests[survey]), *sentences(page)]
    values = reader.values(f"/surveys/{survey}/download/estimates.csv?{query}", ())
    values += [*reader.values(f"/surveys/{survey}/download/estimates.json?{query}", ()), *STRUCTURE]
    shown = {name: texts for name, texts in cards.items() if name.startswith(("question-", "cross-", "rejected"))}
    assert len(shown) >= len(reader.manifests[survey].questions)
    # Cards of the report are numbered.
    places = [float(place) for place in range(20)]
    found = {name: missing(numbers_of(texts, known), [*values, *places]) for name, texts in shown.items()}
    assert {name: numbers for name, numbers in found.items() if numbers} == {}
    facts = page[page.index('<dl class="facts">') : page.index("<dt>Open</dt>")]
    numbers = re.findall(r"<dd>([\d,]+)</dd>|([\d,]+) people; ([\d,]+) reports, a response rate of ([\d.]+)", facts)
    assert missing([number for each in numbers for number in each if number], values) == set()


def test_refused_reports_are_in_the_document(reader: Reader) -> None:
    cards, _ = reader.page("everything", "")
    values = reader.values("/surveys/everything/download/estimates.json", ())
    numbers = numbers_of(cards["rejected"], [])
    assert "7" in numbers
    assert missing(numbers, values) == set()
