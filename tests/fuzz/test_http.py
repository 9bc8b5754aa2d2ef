"""Whatever is sent, the server answers with a problem of the closed list or does what it should; it never breaks.

The laws are in tests/fuzz/laws.py. Afterwards every acknowledged report is stored, once, and counted.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from flask import Flask
from tests.faults.sockets import exchange, head
from tests.fuzz import bodies as fuzz_bodies
from tests.fuzz.broken import broken
from tests.fuzz.conftest import Figures, Prove, randoms
from tests.fuzz.laws import Tally, ask
from tests.fuzz.requests import Requests
from tests.fuzz.sockets import send_all, send_broken
from tests.running.server_process import ServerProcess
from tests.samples.surveys import KEY, make_report, two_questions
from tests.server.collect.recount import recount
from tests.server.gateways.senders import admit

from hushpoll_server.app import create_app
from hushpoll_server.estimate.intervals import METHODS
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_shared import strict_json

EVERYTHING, CHEAP = fuzz_bodies.everything(), two_questions()
EMAIL = "ada@example.org"
MEGABYTE = 1_000_000
# What the allocator may keep after the worst requests came at once.
ALLOWED_GROWTH = 64 * MEGABYTE
# The allocator of each thread takes its share until the worst requests have met them all.
WARM_UP, ROUND, BROKEN = 20_000, 10_000, 250
ROUNDS = {"SQLite": 28, "PostgreSQL": 1}
# Seconds that slow heads and bodies get: tests wait for them.
SETTINGS = "header_wait = 4\nbody_wait = 2\n"
SEED = 20261116

pytestmark = pytest.mark.loopback


def prepare(services: Services) -> str:
    """Publish the surveys and give a token that opens the estimates and may send batches."""
    for manifest in (EVERYTHING, CHEAP):
        services.surveys.publish(manifest, KEY)
    services.researchers.add(EMAIL)
    token = services.researchers.new_api_token(EMAIL)
    admit(services, token)
    return token


def check_stored(services: Services, accepted: int) -> None:
    """Check that what was acknowledged is there, once, and that the counters know it."""
    assert len(services.collect.reports(EVERYTHING.survey)) == accepted
    assert services.collect.counts(EVERYTHING.survey) == recount(services, EVERYTHING.survey)


def paths_of(app: Flask) -> list[str]:
    """Return every address of the app, once for the survey and once for nothing that exists."""
    rules = [rule.rule.replace("<path:", "<") for rule in app.url_map.iter_rules()]
    return [_fill(rule, name) for rule in rules for name in ("{name}", fuzz_bodies.CANARY)]


def _fill(rule: str, name: str) -> str:
    parts = [name if part.startswith("<") else part for part in rule.split("/")]
    return "/".join(parts)


@pytest.fixture
def app(tmp_path: Path, sqlite_url: str) -> Iterator[Flask]:
    app = create_app(Settings(home=tmp_path / "home", db=sqlite_url))
    yield app
    app.extensions["hushpoll"].close()


@pytest.fixture
def running(tmp_path: Path, sqlite_url: str) -> Iterator[tuple[ServerProcess, str]]:
    """Yield a server with both surveys, and a token."""
    yield from serve(tmp_path, sqlite_url)


@pytest.fixture
def running_on_each(tmp_path: Path, database_url: str) -> Iterator[tuple[ServerProcess, str]]:
    """Yield one on each kind of database."""
    yield from serve(tmp_path, database_url)


def serve(folder: Path, database_url: str) -> Iterator[tuple[ServerProcess, str]]:
    server = ServerProcess(folder / "home", database_url, settings=SETTINGS)
    server.home.mkdir()
    services = Services(Settings(home=server.home, db=database_url))
    token = prepare(services)
    services.close()
    server.start()
    yield server, token
    server.kill()


def test_every_answer_keeps_the_laws(app: Flask, prove: Prove) -> None:
    services: Services = app.extensions["hushpoll"]
    token, paths, tally = prepare(services), paths_of(app), Tally()

    def holds(random: Random) -> None:
        request = Requests(random, EVERYTHING, estimated=CHEAP.survey, token=token, paths=paths)()
        tally.add(request, ask(app, request))
        assert not tally.wrong, tally.wrong.pop()

    prove(holds, quick=200, random=randoms)
    check_stored(services, tally.accepted)


def check_server(server: ServerProcess, make: Requests, *, rounds: int, size: int, broken_ones: int) -> list[Tally]:
    """Drive the real server and look at its answers, its memory and its database."""
    tallies = []
    random = make.random
    for _ in range(rounds):
        tallies.append(send_all(server.port, make, size))
        found = send_broken(server.port, lambda: broken(random, EVERYTHING), broken_ones)
        wrong = [each for tally in tallies for each in tally.wrong]
        wrong += [outcome for outcome in found if "left hanging" in outcome or " 5" in outcome]
        assert not wrong, "\n".join(wrong[:10])
        assert server.is_ready()
        print(f"{server.engine}: {size:,} requests, {dict(sorted(tallies[-1].statuses.items()))}, {dict(found)}")
    return tallies


def check_database(server: ServerProcess, told: Tally) -> None:
    """Stop the server and compare what it said with what it stored; broken requests may hold reports, too."""
    server.stop()
    services = Services(Settings(home=server.home, db=server.database_url))
    stored = {report.id for report in services.collect.reports(EVERYTHING.survey)}
    counts, recounted = services.collect.counts(EVERYTHING.survey), recount(services, EVERYTHING.survey)
    services.close()
    assert len(stored) >= told.accepted
    assert stored >= told.acknowledged
    assert told.acknowledged
    assert counts == recounted


def test_the_real_server_keeps_the_laws_over_its_sockets(running: tuple[ServerProcess, str]) -> None:
    server, token = running
    make = Requests(Random(SEED), EVERYTHING, estimated=CHEAP.survey, token=token)
    [tally] = check_server(server, make, rounds=1, size=1_500, broken_ones=100)
    check_database(server, tally)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_hundreds_of_thousands_of_requests_over_sockets(
    running_on_each: tuple[ServerProcess, str], figures: Figures
) -> None:
    server, token = running_on_each
    make = Requests(Random(SEED), EVERYTHING, estimated=CHEAP.survey, token=token)
    rounds = ROUNDS[server.engine]
    [warm] = check_server(server, make, rounds=1, size=WARM_UP, broken_ones=BROKEN)
    before, started = server.memory(), time.monotonic()
    tallies = [warm, *check_server(server, make, rounds=rounds, size=ROUND, broken_ones=BROKEN)]
    whole = sum(tallies, start=Tally())
    grown = server.memory() - before
    check_database(server, whole)
    figures(
        f"real server over sockets, {server.engine}",
        whole.number + BROKEN * (rounds + 1),
        seconds=round(time.monotonic() - started),
        kinds=dict(sorted(whole.kinds.items())),
        statuses=dict(sorted(whole.statuses.items())),
        hangs=whole.hangs,
        accepted=whole.accepted,
        memory=f"{before / MEGABYTE:.0f} MB after warm-up, {grown / MEGABYTE:+.0f} MB at the end",
    )
    assert grown < ALLOWED_GROWTH


@pytest.mark.parametrize("path", ["/healthz", "/s/all", "/nowhere", "/api/openapi.json"])
@pytest.mark.parametrize("host", ["x" * 300, "a..b", "."], ids=["long", "dots", "dot"])
def test_a_host_that_cannot_be_one_is_a_problem_and_no_error_of_the_server(app: Flask, host: str, path: str) -> None:
    """Found by fuzzing: the page of a problem needs addresses, and under such a host there are none."""
    response = app.test_client().get(path, headers={"Host": host})
    assert response.status_code == 400
    assert response.mimetype == "application/problem+json"


def test_chunks_that_are_no_http_are_a_problem_and_no_error_of_the_server(running: tuple[ServerProcess, str]) -> None:
    """Found by fuzzing: granian calls it a client that is gone, and answers 500 if the application says nothing."""
    server, _ = running
    path = f"/api/v1/surveys/{EVERYTHING.survey}/reports"
    start = head(path, "Content-Type: application/json", "Transfer-Encoding: chunked")
    for chunks in (b"zz\r\n", b"-1\r\n", b"\r\n", b"2\r\n{}zz"):
        answer = exchange(server.port, start, chunks)
        assert answer.startswith(b"HTTP/1.1 400"), chunks
        assert b"urn:hushpoll:problem:bad-length" in answer


@pytest.mark.parametrize("level", ["0.01", "0.999999"])
@pytest.mark.parametrize("method", METHODS)
def test_a_level_at_the_edge_gives_limits_that_are_numbers(app: Flask, level: str, method: str) -> None:
    """Found by Schemathesis: Wilson's lower limit of nothing was 0/0 at a level near 0, and NaN is not JSON."""
    services: Services = app.extensions["hushpoll"]
    token = prepare(services)
    services.collect.take(CHEAP.survey, [make_report(CHEAP, 0, 1).encode()])
    response = app.test_client().get(
        f"/api/v1/surveys/{CHEAP.survey}/estimates?level={level}&method={method}",
        headers={"Authorization": f"Bearer {token}"},
    )
    questions = strict_json.loads_with_fractions(response.data)["questions"]
    assert all(cell["low"] <= cell["high"] for question in questions.values() for cell in question["cells"])
