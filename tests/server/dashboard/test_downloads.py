"""The files of a survey from the browser: those of the command, byte for byte, for whoever is signed in."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from tests.samples.exported import CROSSED, bodies_of, everything
from tests.samples.surveys import KEY
from tests.server.export.test_scripts import check, execute_notebook, run_r
from tests.server.researchers.sign_in import sign_in

from hushpoll_server.analysis import Options
from hushpoll_server.dashboard.offers import FILES
from hushpoll_server.export import parquet
from hushpoll_server.export.order import Order
from hushpoll_server.operate.purge import purge
from hushpoll_server.services import Services
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.report import decode

NUMBER = 200
PAGE = "/surveys/everything/download"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Nothing here depends on the engine: one is enough."""
    return sqlite_url


@pytest.fixture
def researcher(client: FlaskClient, services: Services) -> FlaskClient:
    """Sign in."""
    return sign_in(client, services)


@pytest.fixture
def manifest(services: Services) -> Manifest:
    """Publish a survey with every type of question, and store reports."""
    manifest = everything()
    services.surveys.publish(manifest, KEY, CROSSED)
    services.collect.take("everything", bodies_of(manifest, NUMBER))
    return manifest


def links(page: str) -> list[str]:
    """Return the addresses of all files of a page."""
    return [each.replace("&amp;", "&") for each in re.findall(r'href="(/surveys/[^"]+/download/[^"]+)"', page)]


def test_every_file_that_the_page_offers_can_be_saved_and_is_that_of_the_command(
    researcher: FlaskClient, services: Services, manifest: Manifest
) -> None:
    offered = links(researcher.get(f"{PAGE}?level=0.9&group=arts").text)
    assert {address.partition("?")[0].rpartition("/")[2] for address in offered} == set(FILES)
    names = set()
    for address in offered:
        with researcher.get(address) as response:
            assert response.status_code == 200, address
            assert response.data
            headers = response.headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "no-store"
        [name] = re.findall(r"attachment; filename=([\w.-]+)", headers["Content-Disposition"])
        assert name.startswith("everything-")
        assert name not in names
        names.add(name)
    # The survey is open.
    options = Options(level=0.9, coverage="anytime")
    order = Order(what="estimates", format="csv", by="years", labels=("arts",), options=options)
    expected = b"".join(services.exports.parts("everything", order))
    [address] = [each for each in offered if "/estimates.csv" in each and "by=years" in each]
    assert researcher.get(address).data == expected


def test_nobody_else_gets_anything(client: FlaskClient, manifest: Manifest) -> None:
    for path in (PAGE, f"{PAGE}/reports.csv", f"{PAGE}/estimates.json"):
        response = client.get(path)
        assert response.status_code == 401
        assert "Content-Disposition" not in response.headers


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("nothing.csv", 404),
        ("reports.json", 404),
        ("estimates.csv?shape=round", 400),
        ("estimates.json?shape=wide", 400),
        ("estimates.csv?new_ids=1", 400),
        ("estimates.csv?by=nothing", 400),
        ("reports.csv?group=nobody", 400),
        ("reports.csv?group=arts&group=engineering", 400),
        ("codebook.json?group=arts", 400),
        ("figures.R?coverage=anytime", 400),
        ("estimates.csv?levle=0.9", 400),
        ("estimates.csv?group=middle", 403),
        ("reports.ndjson?group=middle", 403),
    ],
)
def test_what_there_is_not_is_refused(researcher: FlaskClient, manifest: Manifest, query: str, status: int) -> None:
    response = researcher.get(f"{PAGE}/{query}")
    assert response.status_code == status
    assert "Content-Disposition" not in response.headers


def test_a_small_group_is_refused_with_a_sentence(researcher: FlaskClient, manifest: Manifest) -> None:
    assert "Fewer than 20 reports in Middle" in researcher.get(f"{PAGE}?group=middle").text.replace("middle", "Middle")
    assert "fewer than 20 reports in middle" in researcher.get(f"{PAGE}/estimates.csv?group=middle").text


def test_purged_reports_are_refused_with_the_reason_and_figures_are_still_there(
    researcher: FlaskClient, services: Services, manifest: Manifest
) -> None:
    purge(services.store, manifest, services.clock(), ended=False, progress=lambda _: None)
    response = researcher.get(f"{PAGE}/reports.ndjson")
    assert response.status_code == 410
    assert "200 reports to everything were purged" in response.text
    assert researcher.get(f"{PAGE}/estimates.csv").status_code == 200
    for page in ("cross?questions=cheated&questions=smokes", "compare?question=smokes&by=cheated",
                 "regression?outcome=cheated&covariates=faculty"):  # fmt: skip
        assert "200 reports to everything were purged" in researcher.get(f"/surveys/everything/{page}").text


def test_without_the_library_parquet_is_not_offered_and_says_what_to_install(
    researcher: FlaskClient, manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(_: str) -> None:
        raise parquet.ParquetMissing(parquet._WITHOUT)

    monkeypatch.setattr(parquet, "_library", missing)
    page = researcher.get(PAGE).text
    assert "hushpoll[parquet]" in page
    assert not [each for each in links(page) if ".parquet" in each]
    response = researcher.get(f"{PAGE}/reports.parquet")
    assert response.status_code == 501
    assert "hushpoll[parquet]" in response.text


def test_without_reports_every_file_is_there(researcher: FlaskClient, services: Services) -> None:
    services.surveys.publish(everything(groups=None), KEY, CROSSED)
    for address in links(researcher.get(PAGE).text):
        with researcher.get(address) as response:
            assert response.status_code == 200, address
            assert response.data or address.endswith("reports.ndjson") or "new_ids" in address


def test_the_reports_are_those_that_were_stored(
    researcher: FlaskClient, services: Services, manifest: Manifest
) -> None:
    with researcher.get(f"{PAGE}/reports.ndjson") as response:
        assert response.data.splitlines() == [each.encode() for each in services.collect.reports("everything")]
    with researcher.get(f"{PAGE}/reports.csv?new_ids=1") as response:
        rows = list(csv.DictReader(io.StringIO(response.get_data(as_text=True), newline="")))
    assert len(rows) == NUMBER
    assert {row["id"] for row in rows}.isdisjoint(each.id for each in services.collect.reports("everything"))


def test_too_many_at_once_are_told_to_try_later_and_a_place_is_free_again_whatever_became_of_a_download(
    researcher: FlaskClient, manifest: Manifest
) -> None:
    first, second = (researcher.get(f"{PAGE}/reports.csv", buffered=False) for _ in range(2))
    refused = researcher.get(f"{PAGE}/reports.csv")
    assert refused.status_code == 503
    assert int(refused.headers["Retry-After"]) > 0
    # One is never read, the other broken off.
    first.close()
    next(second.iter_encoded())
    second.close()
    for _ in range(3):
        with researcher.get(f"{PAGE}/reports.csv") as response:
            assert response.status_code == 200
        with researcher.head(f"{PAGE}/reports.csv") as response:
            assert (response.status_code, response.data) == (200, b"")


def test_the_scripts_give_the_dashboards_figures(
    researcher: FlaskClient, services: Services, manifest: Manifest, tmp_path: Path
) -> None:
    (tmp_path / "reports.csv").write_bytes(researcher.get(f"{PAGE}/reports.csv").data)
    reports = [decode(body, manifest) for body in bodies_of(manifest, NUMBER)]
    options = Options(level=0.9)
    notebook, r = (researcher.get(f"{PAGE}/figures.{each}?level=0.9").data for each in ("ipynb", "R"))
    check(execute_notebook(tmp_path, notebook), manifest, reports, options)
    check(run_r(tmp_path, r), manifest, reports, options)


def test_how_the_reports_came_is_in_the_document(
    researcher: FlaskClient, services: Services, manifest: Manifest
) -> None:
    document = json.loads(researcher.get(f"{PAGE}/estimates.json").data)
    assert (document["reports"], document["rejected"], document["response_rate"]) == (NUMBER, {}, None)
    assert document["warnings"] == list(services.results.warnings(services.results.read("everything")))
