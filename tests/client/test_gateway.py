"""A gateway sends many reports at once to the real server, and the same bytes again if it must."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.client.wsgi_transport import WSGITransport
from tests.samples.surveys import KEY, two_questions

from hushpoll_client import (
    BatchReceipt,
    Gateway,
    InvalidValue,
    Rejected,
    Response,
    ServerRefused,
    ServerUnreachable,
    Survey,
)
from hushpoll_client import gateway as module
from hushpoll_server.app import create_app
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_shared import problems

MANIFEST = two_questions()
ANSWERS = {"cheated": True, "helped": False}


class Recording(WSGITransport):
    """The way to the server, with all requests that took it."""

    def __init__(self, app: Any) -> None:
        super().__init__(app)
        self.bodies: list[bytes] = []

    def send(self, *request: Any, **options: Any) -> Response:
        self.bodies.append(options["body"])
        return super().send(*request, **options)


class Saying:
    """A server that says one thing."""

    def __init__(self, status: int, fields: object, **headers: str) -> None:
        self.response = Response(status, headers, json.dumps(fields).encode())

    def send(self, *_request: Any, **_options: Any) -> Response:
        return self.response


@pytest.fixture
def transport(tmp_path: Path) -> Iterator[Recording]:
    app = create_app(Settings(home=tmp_path))
    services: Services = app.extensions["hushpoll"]
    services.surveys.publish(MANIFEST, KEY)
    yield Recording(app)
    services.close()


@pytest.fixture
def services(transport: Recording) -> Services:
    services: Services = transport.app.extensions["hushpoll"]  # type: ignore[attr-defined]
    return services


@pytest.fixture
def gateway(transport: Recording, services: Services) -> Gateway:
    return Gateway("http://localhost", token=services.gateways.add("field-work"), transport=transport)


def draw(count: int) -> list[bytes]:
    return [Survey(MANIFEST).randomize(ANSWERS).encode() for _ in range(count)]


def test_many_reports_are_counted_each_once(gateway: Gateway, services: Services) -> None:
    reports = draw(25)
    assert gateway.submit("campus", reports) == BatchReceipt(accepted=25)
    assert gateway.submit("campus", reports + draw(5)) == BatchReceipt(accepted=5, duplicate=25)
    assert services.collect.number_of_reports("campus") == 30


def test_the_order_tells_nothing_and_a_retry_sends_the_same_bytes(gateway: Gateway, transport: Recording) -> None:
    reports = draw(10)
    gateway.submit("campus", reports)
    gateway.submit("campus", [report + b"\n" for report in reversed(reports)])
    first, second = transport.bodies
    assert first == second
    assert gzip.decompress(first).splitlines() == sorted(reports)


def test_a_report_that_is_rejected_is_named_by_its_place(gateway: Gateway) -> None:
    good, wrong = draw(4), draw(1)[0].replace(b"campus", b"campux")
    reports = [*good[:3], b"{}", wrong, good[3]]
    receipt = gateway.submit("campus", reports)
    assert (receipt.accepted, receipt.rejected_total) == (4, 2)
    assert sorted(receipt.rejected, key=lambda each: each.place) == [
        Rejected(3, problems.NOT_A_REPORT.type),
        Rejected(4, problems.WRONG_SURVEY.type),
    ]


def test_what_does_not_fit_into_one_request_is_sent_in_several(
    gateway: Gateway, transport: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = draw(10)
    monkeypatch.setattr(module, "LARGEST_BATCH", 3 * (len(reports[0]) + 1))
    assert gateway.submit("campus", reports) == BatchReceipt(accepted=10)
    assert [len(gzip.decompress(body).splitlines()) for body in transport.bodies] == [3, 3, 3, 1]


def test_nothing_to_send_is_no_request(gateway: Gateway, transport: Recording) -> None:
    assert (gateway.submit("campus", []), transport.bodies) == (BatchReceipt(), [])


def test_a_token_that_is_not_known_is_refused_and_never_repeated(transport: Recording) -> None:
    gateway = Gateway("http://localhost", token="not-a-real-token", transport=transport)
    with pytest.raises(ServerRefused, match="check the survey's name and the gateway's token") as caught:
        gateway.submit("campus", draw(1))
    error = caught.value
    assert (error.survey, error.status, error.problem) == ("campus", 401, problems.GATEWAY_NEEDED.type)
    assert "not-a-real-token" not in repr(error) + repr(gateway)


@pytest.mark.parametrize(
    "transport",
    [
        Saying(503, problems.TRY_LATER.to_json(), **{"retry-after": "7"}),
        Saying(200, {"accepted": 1, "duplicate": 0, "rejected": [], "rejected_total": 0}),
        Saying(200, {"accepted": 2, "duplicate": 0}),
        Saying(200, {"accepted": 1, "duplicate": 0, "rejected": [{"line": 9, "type": "x"}], "rejected_total": 1}),
        Saying(200, {"accepted": "2", "duplicate": 0, "rejected": [], "rejected_total": 0}),
        Saying(200, "Please sign in to the airport's network"),
    ],
    ids=["busy", "one missing", "no fields", "no such line", "a text", "a proxy"],
)
def test_a_reply_that_does_not_count_every_report_is_none(transport: Any) -> None:
    gateway = Gateway("http://localhost", token="token", transport=transport)
    with pytest.raises(ServerUnreachable, match="submit the same ones again later"):
        gateway.submit("campus", draw(2))


@pytest.mark.parametrize("report", [b"", b" \n", b'{"v":1,\n"survey":"campus"}'])
def test_what_is_not_one_line_is_refused_before_anything_is_sent(
    gateway: Gateway, transport: Recording, report: bytes
) -> None:
    with pytest.raises(InvalidValue, match="a report must be one line"):
        gateway.submit("campus", [*draw(1), report])
    assert transport.bodies == []


@pytest.mark.parametrize("token", ["", "two words", "line\nbreak", "schlüssel"])
def test_a_token_that_cannot_be_one_is_refused(token: str) -> None:
    with pytest.raises(InvalidValue, match="the token must be one word"):
        Gateway("http://localhost", token=token)
