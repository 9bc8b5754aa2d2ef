"""Fault 10: a batch with bad reports inside: the good ones are stored, the bad ones are named by their line."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from http.client import HTTPConnection
from typing import Any

import pytest
from tests.faults.exactly_once import Figures, books, publish
from tests.faults.load import path_of
from tests.running.server_process import ServerProcess
from tests.samples.surveys import make_report
from tests.server.gateways.senders import gateway_at

from hushpoll_server.settings import Settings
from hushpoll_shared import problems
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import Problem
from hushpoll_shared.report import Report

LINES = 1_000
BAD = 200
Change = Callable[[dict[str, Any]], bytes]


def _with(**changes: Any) -> Change:
    return lambda fields: json.dumps({**fields, **changes}).encode()


# Every way in which a line can be bad, with the problem that must be named.
BAD_LINES: list[tuple[Problem, Change]] = [
    (problems.NOT_JSON, lambda _: b"{"),
    (problems.NOT_JSON, lambda _: b"\xff\xfe"),
    (problems.NOT_JSON, lambda _: b"[" * 5_000),
    (problems.NOT_JSON, lambda fields: json.dumps(fields).encode()[:-1] + b',"v":1}'),
    (problems.NOT_JSON, _with(v=float("nan"))),
    (problems.NOT_A_REPORT, lambda _: b"[]"),
    (problems.NOT_A_REPORT, _with(answer=1)),
    (problems.NOT_A_REPORT, _with(id="short")),
    (problems.UNKNOWN_VERSION, _with(v=2)),
    (problems.WRONG_SURVEY, _with(survey="other")),
    (problems.WRONG_MANIFEST, _with(manifest="sha256:" + "0" * 64)),
    (problems.WRONG_ANSWERS, _with(answers={"cheated": "1"})),
    (problems.WRONG_ANSWERS, _with(answers={"cheated": "1", "helped": "7"})),
]


def batch_of(manifest: Manifest, chance: random.Random) -> tuple[list[bytes], dict[int, Problem], set[str]]:
    """Return the lines of a batch, which of them are bad and why, and the ids of the good ones."""
    bad = sorted(chance.sample(range(2, LINES + 1), BAD))
    lines, good = list[bytes](), list[Report]()
    found: dict[int, Problem] = {}
    for number in range(1, LINES + 1):
        report = make_report(manifest)
        if number not in bad:
            good.append(report)
            lines.append(report.encode())
            continue
        kind = len(found) % (len(BAD_LINES) + 1)
        if kind < len(BAD_LINES):
            found[number], change = BAD_LINES[kind]
            lines.append(change(json.loads(report.encode())))
        else:
            # The id of a report that stands above, with the opposite draws.
            other = chance.choice(good)
            draws = (1 - int(draw) for draw in other.draws.values())
            found[number] = problems.CONFLICT
            lines.append(make_report(manifest, *draws, report_id=other.id).encode())
    return lines, found, {report.id for report in good}


def send_batch(
    port: int, manifest: Manifest, lines: list[bytes], gateway: dict[str, str], *, packed: bool
) -> dict[str, Any]:
    """Send a batch as a gateway and return the answer."""
    body, headers = b"\n".join(lines), {"Content-Type": "application/x-ndjson", **gateway}
    if packed:
        body, headers = gzip.compress(body), {**headers, "Content-Encoding": "gzip"}
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", path_of(manifest.survey), body, headers)
    answer = connection.getresponse()
    found: dict[str, Any] = json.loads(answer.read())
    connection.close()
    assert answer.status == 200, found
    return found


def check_batches(server: ServerProcess, note: Callable[[Figures], None], *, times: int) -> None:
    """Send batches, each twice, and compare what was said of each line with what is there."""
    manifest, chance = publish(server), random.Random(20261116)
    gateway = gateway_at(Settings(home=server.home, db=server.database_url))
    server.start()
    sent: set[str] = set()
    for number in range(times):
        lines, bad, good = batch_of(manifest, chance)
        named = [{"line": line, "type": problem.type, "title": problem.title} for line, problem in bad.items()]
        for accepted in (LINES - BAD, 0):
            answer = send_batch(server.port, manifest, lines, gateway, packed=number % 2 == 1)
            assert answer["rejected"] == named[:100]
            assert answer["rejected_total"] == sum(answer["rejected_by_type"].values()) == len(named)
            assert (answer["accepted"], answer["duplicate"]) == (accepted, LINES - BAD - accepted)
        sent |= good
    found = books(server, manifest, sent, sent)
    note(
        Figures(
            fault=f"{BAD} bad lines of {LINES:,}",
            engine=server.engine,
            times=times,
            inputs=2 * times * LINES,
            acknowledged=found.acknowledged,
            lost=found.lost,
            doubled=found.doubled,
            other_5xx=0,
        )
    )
    assert found.balance


def test_the_good_reports_of_a_batch_are_stored_and_the_bad_ones_named_by_line(
    server: ServerProcess, note: Callable[[Figures], None]
) -> None:
    check_batches(server, note, times=2)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_fifty_batches_with_bad_reports(server: ServerProcess, note: Callable[[Figures], None]) -> None:
    check_batches(server, note, times=50)
