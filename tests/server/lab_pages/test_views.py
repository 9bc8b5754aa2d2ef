"""The pages of the lab: their figures are those of the commands, and they take nothing but what was measured."""

from __future__ import annotations

import threading
from html import unescape
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import Engine, event

from hushpoll_server import lab_pages
from hushpoll_server.lab.attacks import ATTACKS
from hushpoll_server.lab.attacks.attack import Setting
from hushpoll_server.lab.comparison import compare
from hushpoll_server.lab.pictures import draw_picture
from hushpoll_server.lab.result import Table
from hushpoll_server.lab_pages.choices import COMPARED, EPSILONS, SIZES
from hushpoll_server.lab_pages.references import REFERENCES
from hushpoll_server.lab_pages.runs import LabRuns
from hushpoll_server.mechanisms.bound import Bound
from hushpoll_server.web.pools import LAB, PAGES, WAITING

PICTURES = Path(lab_pages.__file__).parents[1] / "static" / "lab"
every_attack = pytest.mark.parametrize("name", ATTACKS)


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Nothing here depends on the engine: one is enough."""
    return sqlite_url


def cells_of(page: str) -> list[str]:
    """Return what stands in the cells of all tables."""
    rows = [piece.partition("</t")[0] for piece in page.replace('<th scope="row">', "<td>").split("<td")[1:]]
    return [unescape(row.partition(">")[2]).split("</span>")[-1] for row in rows]


def written(*tables: Table) -> list[str]:
    """Return the cells of tables as a command prints them."""
    return [cell for table in tables for row in table.written() for cell in row]


@every_attack
def test_an_attack_has_the_figures_of_its_command(client: FlaskClient, name: str) -> None:
    least = SIZES[name][0]
    page = client.get(f"/lab/{name}?seed=7&epsilon=3&n={least}").text
    result = ATTACKS[name].run(Setting(seed=7, bound=Bound.of_epsilon("3"), n=least))
    assert cells_of(page) == written(*result.tables)
    assert draw_picture(result.picture, prefix="picture") in page
    for verdict in result.verdicts:
        assert verdict.sentence in unescape(page)
    assert f"hushpoll lab attack {name} --epsilon 3" in page
    assert all(unescape(step) in unescape(page) for step in (*result.steps, *REFERENCES[name]))


def test_without_a_choice_an_attack_is_the_one_of_the_command_alone(client: FlaskClient) -> None:
    page = client.get("/lab/averaging").text
    assert cells_of(page) == written(*ATTACKS["averaging"].run(Setting()).tables)
    assert "<pre>hushpoll lab attack averaging</pre>" in page
    # The values of the form are those that were run, and sending it is the same page.
    assert client.get("/lab/averaging?epsilon=&n=10000&seed=1").text == page


def test_the_comparison_has_the_figures_of_its_command(client: FlaskClient) -> None:
    page = client.get("/lab/compare?seed=3&epsilon=0.5").text
    found = [compare(bound=Bound.of_epsilon("0.5"), n=n, seed=3) for n in COMPARED]
    assert cells_of(page) == written(*(table for each in found for table in (each.table, each.amplification)))


@every_attack
def test_every_choice_is_within_the_limits_of_its_attack(name: str) -> None:
    attack = ATTACKS[name]
    assert attack.default in SIZES[name]
    assert all(attack.least <= n <= attack.most for n in SIZES[name])


@every_attack
def test_the_first_page_leads_to_each_attack_with_the_picture_of_its_command(client: FlaskClient, name: str) -> None:
    page = client.get("/lab").text
    assert f'href="/lab/{name}"' in page
    assert f'src="/static/lab/{name}.svg"' in page
    drawn = draw_picture(ATTACKS[name].run(Setting()).picture, prefix=name, file=True)
    assert (PICTURES / f"{name}.svg").read_text(encoding="utf-8") == drawn


@pytest.mark.parametrize(
    "query",
    ["seed=1000", "seed=-1", "seed=%D9%A3", "seed=1&seed=2", "seed=1.5", "n=10001", "n=1e4", "epsilon=2", "epsilon=nan",
     "epsilon=1%0A", "level=0.9"],
)  # fmt: skip
def test_what_was_not_measured_is_a_bad_query(client: FlaskClient, query: str) -> None:
    response = client.get(f"/lab/averaging?{query}")
    assert response.status_code == 400
    assert "The part of the address after the question mark is not valid." in response.text
    assert client.get(f"/lab/compare?{query}").status_code == 400


def test_an_attack_that_does_not_exist_is_not_found(client: FlaskClient) -> None:
    assert client.get("/lab/nothing").status_code == 404


def test_a_page_that_a_reader_has_is_not_sent_again(client: FlaskClient) -> None:
    first = client.get("/lab/membership?seed=4", headers={"Accept-Encoding": "gzip"})
    assert (first.headers["Cache-Control"], first.headers["Content-Encoding"]) == ("no-cache", "gzip")
    again = client.get("/lab/membership?seed=4", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


def test_a_page_may_ask_this_server_for_another_run_and_load_no_script(client: FlaskClient) -> None:
    response = client.get("/lab/membership")
    policy = response.headers["Content-Security-Policy"]
    assert "form-action 'self'" in policy
    assert "script-src" not in policy
    assert "<script" not in response.text
    assert "style=" not in response.text
    assert "Set-Cookie" not in response.headers


def test_whoever_waits_too_long_gets_a_page_that_says_so(app: Flask, client: FlaskClient) -> None:
    runs = LabRuns(wait_seconds=0)
    begun, done = threading.Event(), threading.Event()

    def run() -> str:
        begun.set()
        assert done.wait(10)
        return ""

    app.extensions["hushpoll.services"][LabRuns] = runs
    other = threading.Thread(target=runs.page, args=(("long",), run))
    other.start()
    assert begun.wait(10)
    response = client.get("/lab/membership")
    assert (response.status_code, response.headers["Retry-After"]) == (503, "3")
    assert "The lab is busy" in response.text
    done.set()
    other.join(10)
    assert client.get("/lab/membership").status_code == 200


def test_the_pages_ask_the_database_nothing(client: FlaskClient, request: pytest.FixtureRequest) -> None:
    asked: list[str] = []

    def note(*call: object) -> None:
        asked.append(str(call[2]))

    event.listen(Engine, "before_cursor_execute", note)
    request.addfinalizer(lambda: event.remove(Engine, "before_cursor_execute", note))
    for path in ("/lab", "/lab/membership", "/lab/own-reports?n=1000"):
        assert client.get(path).status_code == 200
    assert asked == []
    client.get("/s/campus")
    assert asked != []


def test_the_lab_has_threads_of_its_own() -> None:
    for path in ("/lab", "/lab/averaging", "/lab/compare"):
        assert LAB.fullmatch(path)
        assert not PAGES.fullmatch(path)
        assert not WAITING.fullmatch(path)
    assert not LAB.fullmatch("/labels")


def test_the_attacks_own_epsilon_is_always_on_the_list(client: FlaskClient) -> None:
    assert 'value="1" selected' in client.get("/lab/membership").text
    page = client.get("/lab/other-side").text
    assert '<option value="" selected>ln 3 (odds 3:1)</option>' in page
    assert [f'<option value="{epsilon}">' in page for epsilon in EPSILONS] == [True] * len(EPSILONS)
