"""Pages whose figures are computed from all reports: sent gradually if that takes long, with the same figures."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator

import pytest
from flask.testing import FlaskClient
from tests.server.dashboard.grouped_surveys import publish_campus, publish_everything, text_of
from tests.server.researchers.sign_in import sign_in

from hushpoll_server.collect.scan import Progress, StoredReports
from hushpoll_server.dashboard import scan_page
from hushpoll_server.operate.purge import purge
from hushpoll_server.results.scans import ScanStopped
from hushpoll_server.results.service import ResultsService
from hushpoll_server.services import Services

SECONDS = 20.0
PAGES = (
    "campus/cross?questions=cheated&questions=helped",
    "campus/cross?questions=cheated&questions=helped&group=arts&level=0.9",
    "campus/compare?question=cheated&by=helped",
    "campus/regression?outcome=cheated&covariates=faculty&model=linear",
)
LINE = re.compile(r'<p class="scan(?:-done[^"]*)?".*?</p>\n?')


class Gate:
    """What holds every scan until the test lets it go."""

    def __init__(self) -> None:
        self.opened, self.reads = threading.Event(), 0


@pytest.fixture
def gate(services: Services, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    """Hold scans at their beginning."""
    gate, scan = Gate(), services.collect.scan

    def held(survey: str, codes: frozenset[str] | None = None, progress: Progress = lambda _: None) -> StoredReports:
        gate.reads += 1
        assert gate.opened.wait(SECONDS)
        return scan(survey, codes, progress)

    monkeypatch.setattr(services.collect, "scan", held)
    monkeypatch.setattr(scan_page, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(scan_page, "STEP_SECONDS", 0.01)
    yield gate
    gate.opened.set()


@pytest.fixture
def researcher(client: FlaskClient, services: Services) -> FlaskClient:
    publish_campus(services)
    return sign_in(client, services)


def forget(services: Services) -> None:
    """Let the next page compute everything again."""
    fresh = ResultsService(services.surveys, services.collect)
    vars(services.results).update(vars(fresh))


@pytest.mark.parametrize("path", PAGES)
def test_what_takes_long_comes_gradually_and_is_the_page_that_comes_at_once(
    researcher: FlaskClient, services: Services, gate: Gate, path: str
) -> None:
    parts = researcher.get(f"/surveys/{path}", buffered=False).iter_encoded()
    beginning = next(parts).decode()
    assert "<h1>" in beginning
    assert "</main>" not in beginning
    assert "Read 0 of" in next(parts).decode()
    gate.opened.set()
    gradual = beginning + b"".join(parts).decode()
    at_once = researcher.get(f"/surveys/{path}")
    assert at_once.headers["Content-Length"] == str(len(at_once.data))
    assert LINE.sub("", gradual).split() == at_once.text.replace(scan_page.MARKER, "").split()
    assert text_of(gradual).count("No counter holds these figures: they were computed from") == 1
    assert gate.reads == 1


def test_only_what_takes_long_is_sent_without_a_length(researcher: FlaskClient, gate: Gate) -> None:
    gradual = researcher.get(f"/surveys/{PAGES[0]}", buffered=False)
    assert (gradual.headers["X-Accel-Buffering"], "Content-Length" in gradual.headers) == ("no", False)
    assert "style-src 'self'" in gradual.headers["Content-Security-Policy"]
    assert gradual.headers["Cache-Control"] == "no-store"
    gradual.close()
    assert "Content-Length" in researcher.get("/surveys/campus/cross").headers


def test_another_level_of_a_table_reads_nothing_again(researcher: FlaskClient, gate: Gate) -> None:
    gate.opened.set()
    for level in (0.8, 0.9, 0.95):
        assert researcher.get(f"/surveys/{PAGES[0]}&level={level}").status_code == 200
    for model in ("linear", "logistic"):
        researcher.get(f"/surveys/campus/regression?outcome=cheated&covariates=faculty&model={model}")
    assert gate.reads == 2


def test_the_means_of_all_levels_come_from_one_reading(client: FlaskClient, services: Services, gate: Gate) -> None:
    publish_everything(services, 40)
    gate.opened.set()
    page = sign_in(client, services).get("/surveys/everything/compare?question=hours&by=cheated").text
    assert "in each group" in page or "Mean" in page
    assert gate.reads == 1


def test_two_who_ask_for_the_same_wait_for_one_scan_and_a_third_waits_for_its_turn(
    researcher: FlaskClient, gate: Gate
) -> None:
    one, other, third = (
        researcher.get(f"/surveys/{path}", buffered=False).iter_encoded() for path in (PAGES[0], PAGES[0], PAGES[2])
    )
    for parts in (one, other):
        next(parts)
        assert "Read 0 of" in next(parts).decode()
    next(third)
    assert "Another table is being computed from all reports. This one follows." in next(third).decode()
    gate.opened.set()
    assert all("</html>" in b"".join(parts).decode() for parts in (one, other, third))
    assert gate.reads == 2


def test_a_page_that_is_closed_ends_its_scan(researcher: FlaskClient, services: Services, gate: Gate) -> None:
    response = researcher.get(f"/surveys/{PAGES[0]}", buffered=False)
    next(response.iter_encoded())
    reading = services.results.read("campus")
    scan = services.results.begin_table(reading, ["cheated", "helped"])
    assert scan
    assert scan.waiting == 2
    response.close()
    assert scan.waiting == 1
    gate.opened.set()
    scan.leave()
    assert scan.wait(SECONDS)
    with pytest.raises(ScanStopped):
        scan.result()


def test_nothing_is_read_for_a_group_that_is_withheld_or_for_what_has_no_table(
    researcher: FlaskClient, gate: Gate
) -> None:
    pages = ("campus/cross?questions=cheated&questions=helped&group=middle", "campus/cross?questions=cheated")
    assert all("</html>" in researcher.get(f"/surveys/{path}").text for path in pages)
    assert gate.reads == 0


def test_of_reports_that_were_purged_a_sentence_says_why_there_is_no_table(
    researcher: FlaskClient, services: Services, gate: Gate
) -> None:
    manifest = services.surveys.manifest("campus")
    purge(services.store, manifest, services.clock(), ended=False, progress=lambda _: None)
    gate.opened.set()
    for path in PAGES:
        page = text_of(researcher.get(f"/surveys/{path}").text)
        assert "the draws of 181 reports to campus were purged" in page, path


def test_an_error_after_the_first_byte_is_a_sentence_on_the_page_and_a_line_in_the_log(
    researcher: FlaskClient,
    gate: Gate,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("secret")

    parts = researcher.get(f"/surveys/{PAGES[0]}", buffered=False).iter_encoded()
    next(parts)
    monkeypatch.setattr("hushpoll_server.dashboard.cross.two_way_view", broken)
    gate.opened.set()
    rest = b"".join(parts).decode()
    assert "These figures could not be computed." in rest
    assert rest.rstrip().endswith("</html>")
    assert "secret" not in rest + caplog.text
    assert "ValueError at" in caplog.text
