"""The files of cards: the same figures as the exports and the API, under the options of the page."""

from __future__ import annotations

import csv
import io
import json
from typing import Any
from xml.etree import ElementTree

import pytest
from flask.testing import FlaskClient
from tests.samples.exported import CROSSED, bodies_of, everything
from tests.samples.surveys import KEY
from tests.server.researchers.sign_in import EMAIL, sign_in

from hushpoll_server.services import Services
from hushpoll_shared.manifest import Manifest

SVG = "{http://www.w3.org/2000/svg}"
LIMITS = "level=0.9&coverage=simultaneous"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Nothing here depends on the engine: one is enough."""
    return sqlite_url


@pytest.fixture
def manifest(services: Services) -> Manifest:
    """Publish a survey with every type of question, and store reports."""
    manifest = everything()
    services.surveys.publish(manifest, KEY, CROSSED)
    services.collect.take("everything", bodies_of(manifest, 200))
    return manifest


@pytest.fixture
def researcher(client: FlaskClient, services: Services) -> FlaskClient:
    """Sign in."""
    return sign_in(client, services)


def rows_of(client: FlaskClient, path: str) -> list[dict[str, str]]:
    response = client.get(f"/surveys/everything/{path}")
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.get_data(as_text=True), newline="")))


def document_of(client: FlaskClient, path: str) -> dict[str, Any]:
    response = client.get(f"/surveys/everything/{path}")
    assert response.status_code == 200
    value: dict[str, Any] = json.loads(response.data)
    return value


def test_the_file_of_a_question_is_its_part_of_the_export(researcher: FlaskClient, manifest: Manifest) -> None:
    for query in (LIMITS, f"{LIMITS}&group=arts&beta=0.05"):
        every = rows_of(researcher, f"download/estimates.csv?{query}")
        for question in manifest.questions:
            expected = [row for row in every if row["question"] == question.id and row["kind"] != "cross"]
            # A cross table has rows of its own.
            expected = [row for row in expected if (row["question"], row["second"]) not in CROSSED]
            assert rows_of(researcher, f"files/{question.id}.csv?{query}") == expected
        document = document_of(researcher, f"download/estimates.json?{query}")
        own = document_of(researcher, f"files/way.json?{query}")
        assert own["questions"] == {"way": document["questions"]["way"]}
        assert own["manifest"] == manifest.id


def test_the_file_of_a_cross_table_has_its_questions_and_its_cells(researcher: FlaskClient, manifest: Manifest) -> None:
    rows = rows_of(researcher, "files/cheated.way.csv")
    assert {row["kind"] for row in rows} == {"cell", "cross", "row_margin", "column_margin", "independence"}
    [table] = document_of(researcher, "files/cheated.way.json")["cross_tables"]
    assert (table["first"], table["second"]) == ("cheated", "way")
    assert table["relation"]["independence"]["degrees"] == 4


def test_the_files_of_a_page_are_what_the_api_sends(
    researcher: FlaskClient, services: Services, manifest: Manifest
) -> None:
    token = services.researchers.new_api_token(EMAIL)
    calls = {
        "compare.json?question=way&by=faculty&": ("compare", {"question": "way", "by": "faculty"}),
        "cross.json?questions=way&questions=cheated&": ("crosstab", {"questions": "way,cheated"}),
        "compare.json?question=way&by=cheated&": ("crosstab", {"questions": "cheated,way"}),
        "regression.json?outcome=cheated&covariates=faculty&": (
            "regression",
            {"outcome": "cheated", "covariates": "faculty"},
        ),
    }
    for path, (call, query) in calls.items():
        limits = {"level": "0.9"} if call == "regression" else {"level": "0.9", "coverage": "simultaneous"}
        told: Any = researcher.get(
            f"/api/v1/surveys/everything/{call}",
            query_string={**query, **limits},
            headers={"Authorization": f"Bearer {token}"},
        ).json
        assert told.items() <= document_of(researcher, f"{path}{LIMITS}").items()


def test_a_chart_is_a_file_of_its_own_with_heading_and_legend(researcher: FlaskClient, manifest: Manifest) -> None:
    for path, texts in {
        "files/height.svg?level=0.9": ("How tall? (n = 200", "Manifest", "90\N{NO-BREAK SPACE}%"),
        "compare/1.svg?question=hours&by=faculty": ("Estimated means by group: How long?", "everybody", "Manifest"),
        "cross/1.svg?questions=cheated&questions=hours": ("Estimated means by group: How long?", "Manifest"),
    }.items():
        response = researcher.get(f"/surveys/everything/{path}")
        assert response.mimetype == "image/svg+xml"
        assert "attachment; filename=everything-" in response.headers["Content-Disposition"]
        drawing = ElementTree.fromstring(response.get_data(as_text=True))
        assert drawing.findtext(f"{SVG}title")
        assert drawing.findtext(f"{SVG}desc")
        shown = "".join(drawing.itertext())
        assert all(text in shown for text in texts), path


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("files/nothing.csv", 404),
        ("files/nothing.svg", 404),
        ("files/cheated.stress.csv", 404),
        ("files/cheated.xml", 404),
        ("files/cheated.csv?level=2", 400),
        ("files/cheated.csv?group=nobody", 400),
        ("files/cheated.csv?group=middle", 403),
        ("files/cheated.svg?group=middle", 403),
        ("compare.csv", 400),
        ("compare.csv?question=nothing&by=faculty", 400),
        ("compare.csv?question=cheated&by=faculty&group=middle", 403),
        ("compare.csv?question=cheated&by=hours", 422),
        ("compare/9.svg?question=cheated&by=faculty", 404),
        ("compare/0.svg?question=cheated&by=faculty", 404),
        ("cross.json?questions=cheated", 400),
        ("cross.csv?questions=cheated&questions=cheated", 422),
        ("cross/1.svg?questions=cheated&questions=way", 404),
        ("regression.csv?outcome=cheated", 400),
        ("regression.csv?outcome=cheated&covariates=cheated", 422),
    ],
)
def test_what_there_is_not_is_refused_and_nothing_is_saved(
    researcher: FlaskClient, manifest: Manifest, path: str, status: int
) -> None:
    response = researcher.get(f"/surveys/everything/{path}")
    assert response.status_code == status
    assert response.mimetype == "text/html"
    assert "Content-Disposition" not in response.headers


@pytest.mark.parametrize("path", ["files/cheated.csv", "files/cheated.svg", "compare.csv?question=way&by=faculty"])
def test_only_who_is_signed_in_gets_a_file(client: FlaskClient, manifest: Manifest, path: str) -> None:
    assert client.get(f"/surveys/everything/{path}").status_code == 401


def test_the_name_of_a_file_is_safe_whatever_an_option_is_called(researcher: FlaskClient, manifest: Manifest) -> None:
    response = researcher.get("/surveys/everything/cross.csv?questions=few:on foot&questions=cheated")
    assert response.headers["Content-Disposition"] == "attachment; filename=everything-few-on-foot-cheated.csv"
