"""An operator sees how much, how fast and what goes wrong; nobody sees when somebody answered."""

from __future__ import annotations

import os
import re
import urllib.request
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from tests.running.server_process import ServerProcess
from tests.samples.surveys import KEY, make_report, two_questions
from tests.server.gateways.senders import gateway_of
from tests.server.watch.conftest import TOKEN
from werkzeug.test import TestResponse

from hushpoll_server.app import create_app
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings, load_settings
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_server.watch import metrics
from hushpoll_server.watch.metrics import STEP
from hushpoll_server.watch.shared_counters import CounterLayout, CounterReading, read_counter_files
from hushpoll_shared import problems
from hushpoll_shared.errors import InvalidValue

REPORTS = "/api/v1/surveys/campus/reports"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
LINE = re.compile(r'hushpoll_\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? \d+(\.\d+)?(e-\d+)?')

Figures = dict[str, float]


def parse(text: str) -> Figures:
    """Read the figures; every line must be a comment or a figure."""
    lines = [line for line in text.splitlines() if not line.startswith("# ")]
    assert [line for line in lines if not LINE.fullmatch(line)] == []
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def scrape(client: FlaskClient) -> Figures:
    response = client.get("/metrics", headers=BEARER)
    assert response.status_code == 200
    assert response.content_type == "text/plain; version=0.0.4; charset=utf-8"
    return parse(response.text)


def send(client: FlaskClient, *bodies: bytes, kind: str = "application/json") -> list[TestResponse]:
    return [client.post(REPORTS, data=body, content_type=kind, headers=gateway_of(client)) for body in bodies]


def good(survey: PublishedSurvey, number: int) -> list[bytes]:
    return [make_report(survey.manifest).encode() for _ in range(number)]


def test_good_reports_are_counted_on_both_ways(client: FlaskClient, survey: PublishedSurvey) -> None:
    short, long = good(survey, STEP // 2), good(survey, STEP // 2)
    send(client, *short, short[0])
    send(client, *long, kind="application/json; charset=utf-8")
    figures = scrape(client)
    assert figures['hushpoll_reports_total{outcome="accepted"}'] == STEP
    assert figures['hushpoll_reports_total{outcome="duplicate"}'] == 1
    assert figures['hushpoll_requests_total{route="collect.reports",status="2xx"}'] == STEP + 1
    assert figures['hushpoll_commits_total{outcome="stored"}'] == STEP + 1
    assert figures['hushpoll_commit_reports_bucket{le="1"}'] == STEP + 1
    assert figures["hushpoll_commit_reports_sum"] == STEP + 1
    assert figures['hushpoll_commit_seconds_bucket{le="+Inf"}'] == figures["hushpoll_commit_seconds_count"] == STEP + 1
    assert figures["hushpoll_commit_seconds_sum"] > 0
    assert figures["hushpoll_requests_waiting"] == 0
    assert figures['hushpoll_resident_memory_bytes{worker="0"}'] > 10_000_000


def test_a_batch_is_one_commit_of_many_reports(client: FlaskClient, survey: PublishedSurvey) -> None:
    send(client, b"\n".join(good(survey, 30)), kind="application/x-ndjson")
    figures = scrape(client)
    assert figures['hushpoll_commit_reports_bucket{le="20"}'] == 0
    assert figures['hushpoll_commit_reports_bucket{le="50"}'] == 1
    assert figures["hushpoll_commit_reports_sum"] == 30


def test_between_two_steps_nothing_moves_that_a_good_report_moves(client: FlaskClient, survey: PublishedSurvey) -> None:
    """Whoever looks every second learns the time of no more than one report in twenty."""
    looks = []
    for body in good(survey, 2 * STEP + 3):
        client.get("/s/campus")
        send(client, body, body)
        figures = scrape(client)
        looks.append(tuple(value for name, value in figures.items() if "memory" not in name))
    accepted = [looks.index(look) for look in dict.fromkeys(looks)]
    # The first look, and those after the 20th and the 40th report.
    assert accepted == [0, STEP - 1, 2 * STEP - 1]


def test_what_goes_wrong_is_shown_at_once_and_counted_once(client: FlaskClient, survey: PublishedSurvey) -> None:
    send(client, b"{", b"{}", b"{}")
    send(client, b"{\n{", kind="application/x-ndjson")
    send(client, b"x", kind="text/plain")
    client.post("/api/v1/surveys/nowhere/reports", data=b"{}", content_type="application/json")
    client.get("/nowhere")
    figures = scrape(client)
    rejected = {name: value for name, value in figures.items() if name.startswith("hushpoll_rejected") and value}
    assert rejected == {
        f'hushpoll_rejected_total{{reason="{problem.name}"}}': number
        for problem, number in (
            (problems.NOT_JSON, 3),
            (problems.NOT_A_REPORT, 2),
            (problems.WRONG_MEDIA_TYPE, 1),
            (problems.UNKNOWN_SURVEY, 1),
        )
    }
    assert figures['hushpoll_requests_total{route="collect.reports",status="4xx"}'] == 5
    assert figures['hushpoll_requests_total{route="none",status="4xx"}'] == 1


def test_a_commit_that_fails_is_shown_at_once(
    client: FlaskClient, survey: PublishedSurvey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hushpoll_server.collect.counters.add_to_counts", lambda *_: 1 / 0)
    send(client, *good(survey, 1), kind="application/json; charset=utf-8")
    figures = scrape(client)
    assert figures['hushpoll_commits_total{outcome="failed"}'] == 1
    assert figures['hushpoll_rejected_total{reason="try-later"}'] == 1
    assert figures['hushpoll_requests_total{route="collect.reports",status="5xx"}'] == 1
    assert figures["hushpoll_requests_waiting"] == 0


def test_every_route_and_every_problem_has_its_figure_and_no_survey_has_one(
    app: Flask, client: FlaskClient, survey: PublishedSurvey
) -> None:
    client.get("/s/campus")
    send(client, *good(survey, STEP))
    text = client.get("/metrics", headers=BEARER).text
    assert set(re.findall(r'route="([^"]+)"', text)) == {rule.endpoint for rule in app.url_map.iter_rules()} | {"none"}
    assert set(re.findall(r'reason="([^"]+)"', text)) == {problem.name for problem in problems.ALL}
    assert "campus" not in text
    assert "cheated" not in text


def test_without_a_header_the_page_says_that_the_server_is_up_and_nothing_else(
    client: FlaskClient, survey: PublishedSurvey
) -> None:
    send(client, *good(survey, STEP))
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert [line for line in answer.text.splitlines() if not line.startswith("#")] == ["hushpoll_up 1"]


@pytest.mark.parametrize("header", ["Bearer", f"Bearer {TOKEN}x", f"bearer {TOKEN}", TOKEN, "Bearer ä"])
def test_with_a_wrong_token_there_is_no_such_page(client: FlaskClient, header: str) -> None:
    assert client.get("/metrics", headers={"Authorization": header}).status_code == 404


def test_without_a_token_in_the_settings_nothing_is_counted_and_nothing_is_written(
    tmp_path: Path, sqlite_url: str
) -> None:
    app = create_app(Settings(home=tmp_path / "home", db=sqlite_url))
    services: Services = app.extensions["hushpoll"]
    survey = services.surveys.publish(two_questions(), KEY)
    client = app.test_client()
    assert send(client, *good(survey, 1), b"{")[0].status_code == 201
    assert client.get("/metrics").status_code == 200
    for header in ("Bearer ", "Bearer"):
        assert client.get("/metrics", headers={"Authorization": header}).status_code == 404
    services.close()
    assert not (tmp_path / "home" / "metrics").exists()


def test_reports_are_taken_when_they_cannot_be_counted(
    client: FlaskClient, settings: Settings, survey: PublishedSurvey, caplog: pytest.LogCaptureFixture
) -> None:
    settings.home.mkdir()
    (settings.home / "metrics").write_text("not a folder")
    assert [response.status_code for response in send(client, *good(survey, 2))] == [201, 201]
    assert "metrics are off in this process: FileExistsError" in caplog.text
    assert client.get("/metrics", headers=BEARER).status_code == 404


@pytest.mark.loopback
def test_several_workers_add_up_over_a_restart(
    tmp_path: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUSHPOLL_METRICS_TOKEN", TOKEN)
    server = ServerProcess(tmp_path / "home", sqlite_url, workers=2)
    services = Services(Settings(home=server.home, db=sqlite_url))
    survey = services.surveys.publish(two_questions(), KEY)
    for expected in (2 * STEP, 4 * STEP):
        server.start()
        for body in good(survey, 2 * STEP):
            assert ask(server, REPORTS, body).startswith(b'{"status"')
        figures = parse(ask(server, "/metrics").decode())
        assert figures['hushpoll_reports_total{outcome="accepted"}'] == expected
        assert figures["hushpoll_commit_reports_sum"] == expected
        server.stop()
    services.close()


def ask(server: ServerProcess, path: str, body: bytes | None = None) -> bytes:
    headers = {**BEARER, "Content-Type": "application/json"}
    request = urllib.request.Request(server.address + path, data=body, headers=headers)
    with urllib.request.urlopen(request, timeout=10) as answer:
        content: bytes = answer.read()
    return content


def test_a_token_that_is_easily_guessed_is_refused_and_no_token_is_shown() -> None:
    for bad in ("swordfish", "with a space in it", "x" * 201):
        with pytest.raises(InvalidValue, match="metrics_token") as caught:
            load_settings(metrics_token=bad)
        assert bad not in str(caught.value)
    assert TOKEN not in repr(load_settings(metrics_token=TOKEN))


def test_a_fresh_instance_has_figures_that_are_all_zero(client: FlaskClient) -> None:
    assert {value for name, value in scrape(client).items() if name != "hushpoll_up"} == {0}


def test_a_queue_is_told_in_steps_and_ends_with_its_process(
    client: FlaskClient, services: Services, settings: Settings
) -> None:
    services.metrics.waiting(2 * STEP + 5)
    assert scrape(client)["hushpoll_requests_waiting"] == 2 * STEP
    # A process that was killed left this behind.
    (file,) = (path for path in (settings.home / "metrics").iterdir() if path.name == "0")
    file.with_name("1").write_bytes(file.read_bytes())
    assert scrape(client)["hushpoll_requests_waiting"] == 2 * STEP
    services.metrics.waiting(-2 * STEP)
    assert scrape(client)["hushpoll_requests_waiting"] == 0


def test_another_process_counts_in_a_file_of_its_own(
    client: FlaskClient, services: Services, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.get("/healthz")
    with monkeypatch.context() as patch:
        # What a child of a fork would see.
        patch.setattr(os, "getpid", lambda: 1)
        services.metrics.responded("health.healthz", 500)
    assert {path.name for path in (settings.home / "metrics").iterdir()} == {"0", "1"}
    assert scrape(client)['hushpoll_requests_total{route="health.healthz",status="5xx"}'] == 1


def test_figures_never_go_back_when_two_look_at_once(
    app: Flask, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look() -> float:
        return scrape(app.test_client())['hushpoll_reports_total{outcome="accepted"}']

    def read_slowly(folder: Path, layout: CounterLayout) -> list[CounterReading]:
        readings = read_counter_files(folder, layout)
        if not others:
            services.metrics.committed({"accepted": STEP}, STEP, 0.001)
            others.append(pool.submit(look))
            wait(others, timeout=0.5)
        return readings

    others: list[Future[float]] = []
    monkeypatch.setattr(metrics, "read_counter_files", read_slowly)
    services.metrics.committed({"accepted": STEP}, STEP, 0.001)
    with ThreadPoolExecutor(1) as pool:
        first = look()
    # Who began to look later is told more.
    assert (first, others[0].result()) == (STEP, 2 * STEP)
