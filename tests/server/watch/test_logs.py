"""Log lines hold no body, no address, no query and no header, whatever is sent and whoever writes them."""

from __future__ import annotations

import ast
import io
import json
import logging
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from tests.running.server_process import ServerProcess
from tests.samples.surveys import KEY, make_report, two_questions

import hushpoll_server
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_server.watch import logs

MARKER = "k7q3marker"
REPORTS = "/api/v1/surveys/campus/reports"
METHODS = {"debug", "info", "warning", "error", "critical", "exception", "log"}


class Terminal(io.StringIO):
    """A stream that somebody reads along."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def fresh() -> Iterator[None]:
    """Start without the handler that an app of another test has installed."""
    root = logging.getLogger()
    before = list(root.handlers)
    root.handlers = [handler for handler in before if not isinstance(handler, logs.StderrHandler)]
    yield
    root.handlers = before


def sentences() -> set[str]:
    """Return the fixed sentence of every log call in the server; a call without one is an error."""
    found = set()
    for path in Path(hushpoll_server.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
                if not isinstance(node.func.value, ast.Name) or node.func.value.id not in ("log", "logger", "logging"):
                    continue
                assert isinstance(node.args[0], ast.Constant), f"{path}:{node.lineno}"
                found.add(str(node.args[0].value))
    return found


def test_every_sentence_of_the_log_is_on_this_list() -> None:
    """A new one is welcome here, if all that it is filled with are numbers, kinds of errors and places in the code."""
    assert sentences() == {
        "%s at %s:%s",
        "a batch of %d reports was not stored: %s",
        "a response was broken off: %s",
        "metrics are off in this process: %s",
        "reports were not counted by day: %s",
        "reports were not mixed: %s",
        "the database does not respond",
        "the disk has failed: no report is accepted until this process is replaced",
        "the writer has failed: %s",
    }


def test_good_and_bad_requests_with_markers_everywhere_leave_none_in_the_log(
    client: FlaskClient, survey: PublishedSurvey, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError(MARKER)

    everywhere = {"headers": {"X-Marker": MARKER, "User-Agent": MARKER, "Authorization": f"Bearer {MARKER}"}}
    address = {"REMOTE_ADDR": MARKER}
    bodies = [make_report(survey.manifest).encode(), f'{{"{MARKER}": "{MARKER}"}}'.encode(), MARKER.encode()]
    collect = "hushpoll_server.collect"
    for place in (f"{collect}.counters.add_to_counts", f"{collect}.service.CollectService.take"):
        for kind in ("application/json", "application/x-ndjson", MARKER):
            for body in bodies:
                client.post(
                    f"{REPORTS}?q={MARKER}", data=body, content_type=kind, environ_overrides=address, **everywhere
                )
        client.get(f"/{MARKER}?{MARKER}", environ_overrides=address, **everywhere)
        monkeypatch.setattr(place, fail)
    client.post(REPORTS, data=bodies[0], content_type="application/json", **everywhere)
    written = capfd.readouterr().err
    lines = [json.loads(line) for line in written.splitlines()]
    # Something was written, so the search means something.
    assert {"RuntimeError" in line["message"] for line in lines} == {True}
    assert MARKER not in written
    assert "campus" not in written


@pytest.mark.usefixtures("fresh")
def test_of_other_libraries_only_the_place_is_written_and_of_an_error_only_its_kind(
    app: Flask, capfd: pytest.CaptureFixture[str]
) -> None:
    logs.install()
    for name in ("werkzeug", "sqlalchemy.engine", "_granian", "asyncio", app.logger.name):
        try:
            int(MARKER)
        except ValueError:
            logging.getLogger(name).exception("%s came from %s", MARKER, MARKER)
    written = capfd.readouterr().err
    assert MARKER not in written
    assert [json.loads(line)["message"] for line in written.splitlines()] == [
        f"a line of another library, not shown (test_logs:{line_of_exception()}) [ValueError]"
    ] * 5


def line_of_exception() -> int:
    [number] = [
        number
        for number, line in enumerate(Path(__file__).read_text("utf-8").splitlines(), start=1)
        if line.lstrip().startswith("logging.getLogger(name).exception")
    ]
    return number


@pytest.mark.usefixtures("fresh")
def test_a_line_is_json_for_programs_and_plain_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream, expected in (
        (io.StringIO(), ["level", "logger", "message", "time"]),
        (Terminal(), "error: it has 3 legs\n"),
    ):
        monkeypatch.setattr(sys, "stderr", stream)
        handler = logs.StderrHandler()
        handler.emit(logging.LogRecord("hushpoll_server.x", logging.ERROR, "x.py", 1, "it has %d legs", (3,), None))
        written = stream.getvalue()
        assert (sorted(json.loads(written)) if written.startswith("{") else written) == expected


@pytest.mark.usefixtures("fresh")
def test_installing_twice_writes_each_line_once(capfd: pytest.CaptureFixture[str]) -> None:
    logs.install()
    logs.install()
    logging.getLogger("hushpoll_server.test").error("once")
    assert capfd.readouterr().err.count("once") == 1


@pytest.mark.loopback
def test_the_real_server_logs_json_and_no_marker(tmp_path: Path, sqlite_url: str) -> None:
    server = ServerProcess(tmp_path / "home", sqlite_url)
    services = Services(Settings(home=server.home, db=sqlite_url))
    survey = services.surveys.publish(two_questions(), KEY)
    server.start()
    assert ask(server, REPORTS, make_report(survey.manifest).encode()) == 201
    with services.store.transaction() as session:
        # What nobody expects: the table is gone.
        session.connection().exec_driver_sql("DROP TABLE counter")
    body = make_report(survey.manifest).encode()
    assert ask(server, f"{REPORTS}?{MARKER}", body) == 503
    assert ask(server, REPORTS, MARKER.encode()) == 400
    server.stop()
    services.close()
    written = server.log.read_text()
    records = [json.loads(line) for line in written.splitlines() if line.startswith("{")]
    assert any("was not stored: OperationalError" in record["message"] for record in records)
    for secret in (MARKER, "127.0.0.1:", body.decode(), "campus"):
        assert secret not in written.replace(f"http://127.0.0.1:{server.port}.", "")


def ask(server: ServerProcess, path: str, body: bytes) -> int:
    headers = {"Content-Type": "application/json", "X-Marker": MARKER}
    request = urllib.request.Request(server.address + path, data=body, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            status: int = answer.status
    except urllib.error.HTTPError as error:
        with error:
            status = error.code
    return status
