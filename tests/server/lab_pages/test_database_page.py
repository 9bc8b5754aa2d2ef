"""The page of the statistical database: the answers of the class, the lock, and refusals as sentences."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from html import unescape
from urllib.parse import urlencode

import pytest
from flask.testing import FlaskClient
from tests.server.lab_pages.test_views import cells_of

from hushpoll_server.lab.database import Answer
from hushpoll_server.lab.database.invented import open_city
from hushpoll_server.lab.noise.streams import SeededBytes
from hushpoll_server.lab_pages.queries import LONGEST_TEXT, MOST_QUERIES, QUERIES

COUNT = "SELECT COUNT(*) WHERE smokes = 'yes'"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Nothing here depends on the engine: one is enough."""
    return sqlite_url


def address(*queries: str, **others: str) -> str:
    """Return the address of a page."""
    return "/lab/database?" + urlencode({"q": "\r\n".join(queries)} | others)


def ask(queries: Sequence[str], *, seed: int, spend: str) -> list[Answer]:
    """Ask the class the same, with the noise of the page."""
    source = SeededBytes(f"{seed}:{spend}:" + "\n".join(queries))
    with open_city(epsilon="1", seed=seed, source=source) as database:
        return [database.ask(query, spend=spend) for query in queries]


def cells(answers: list[Answer]) -> list[str]:
    """Return the figures of answers as people read them."""
    return [cell for answer in answers for figure in answer.figures for cell in (figure.name, *figure.written)]


def test_it_has_the_answers_of_the_class(client: FlaskClient) -> None:
    queries = (
        COUNT,
        "SELECT AVG(height) WHERE sex = 'male'",
        "SELECT HISTOGRAM(income)",
        "SELECT MOST COMMON district",
    )
    page = client.get(address(*queries, seed="7", spend="1/10")).text
    answers = ask(queries, seed=7, spend="1/10")
    assert cells_of(page) == cells(answers)
    assert f"<strong>{answers[3].reading.category}</strong>" in page
    assert f"With 95 %, {answers[3].reading.statement}." in page
    assert [f"Charged: ε 0.1. Left: ε {left} of 1." in page for left in ("0.9", "0.8", "0.7", "0.6")] == [True] * 4
    assert client.get(address(*queries, seed="8", spend="1/10")).text != page


def test_without_a_choice_it_answers_four_queries_and_locks(client: FlaskClient) -> None:
    page = client.get("/lab/database").text
    assert len(cells_of(page)) == 4 * (1 + 1 + 5)
    assert page.count("Charged: ε 0.25.") == 4
    assert page.count("The budget is spent: this query costs ε 1/4, and 0 of 1 is left.") == 1
    assert client.get(address(*QUERIES, seed="1", spend="1/4")).text == page
    assert client.get("/lab/database?q=&seed=1").text == page


def test_the_same_query_again_is_free_also_after_the_lock(client: FlaskClient) -> None:
    page = client.get(address(COUNT, "SELECT COUNT(*)", COUNT.lower().replace("'yes'", " 'yes' "), spend="1")).text
    first, again = cells_of(page)[:4], cells_of(page)[4:]
    assert first == again
    assert page.count("This is the same answer as before, so it is free.") == 1
    assert page.count("The budget is spent") == 1


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("DROP TABLE rows", "Character 1 of the query: a query starts with"),
        ("SELECT SUM(district)", "district has no declared bounds"),
        ("SELECT COUNT(*) WHERE wealth = 1", "there is no column wealth: the columns are age, sex, district"),
        ("SELECT COUNT(*) WHERE district = 'Z'", "district has no such category"),
        ("SELECT COUNT(*) WHERE " + "NOT " * 60 + "age = 1", "nested 30 deep"),
        ("\x00", "Character 1 of the query: this is not understood"),
    ],
)
def test_a_refused_query_is_a_sentence_and_free(client: FlaskClient, query: str, sentence: str) -> None:
    response = client.get(address(query, COUNT, spend="1"))
    assert response.status_code == 200
    assert sentence in unescape(response.text)
    assert "Charged: ε 0. Left: ε 1 of 1." in response.text
    assert "Charged: ε 1. Left: ε 0 of 1." in response.text


def test_what_a_reader_wrote_is_text_on_the_page(client: FlaskClient) -> None:
    page = client.get(
        address("</textarea><script>alert(1)</script>", "SELECT COUNT(*) WHERE \"<b onclick='x'>\" = 1")
    ).text
    assert "<script" not in page
    assert "<b onclick" not in page
    assert page.count("&lt;script&gt;") == 2


def test_what_is_too_long_or_too_much_is_a_bad_query(client: FlaskClient) -> None:
    assert client.get(address("x" * LONGEST_TEXT)).status_code == 200
    assert client.get(address(*["x"] * MOST_QUERIES)).status_code == 200
    wrong = [address("x" * (LONGEST_TEXT + 1)), address(*["x"] * (MOST_QUERIES + 1)), address(COUNT, spend="2"),
             address(COUNT, seed="1000"), address(COUNT, epsilon="1"), address(COUNT) + "&q=x"]  # fmt: skip
    for path in wrong:
        response = client.get(path)
        assert response.status_code == 400
        assert "The part of the address after the question mark is not valid." in response.text


def test_a_page_that_a_reader_has_is_not_sent_again(client: FlaskClient) -> None:
    first = client.get(address(COUNT), headers={"Accept-Encoding": "gzip"})
    assert (first.headers["Cache-Control"], first.headers["Content-Encoding"]) == ("no-cache", "gzip")
    assert client.get(address(COUNT), headers={"If-None-Match": first.headers["ETag"]}).status_code == 304


def test_without_duckdb_it_says_what_to_install(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("hushpoll_server.lab.database")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "hushpoll_server.lab_pages.replies", raising=False)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    response = client.get("/lab/database")
    assert response.status_code == 200
    assert "This server has no DuckDB" in response.text
    assert 'pip install "hushpoll[lab]"' in unescape(response.text)
    assert client.get("/lab/compare").status_code == 200


def test_the_first_page_leads_to_it(client: FlaskClient) -> None:
    assert 'href="/lab/database"' in client.get("/lab").text
