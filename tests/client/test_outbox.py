"""A full server is left alone for as long as it asks, by every report, and then gets the same bytes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.client.conftest import MakeClient
from tests.client.servers import Collector, Reply, problem, serving
from tests.samples.surveys import KEY, two_questions
from tests.vectors.streams import FixedTestStream

from hushpoll_client import Client, Receipt, Report, Response, ServerUnreachable
from hushpoll_client.replies import Verdict
from hushpoll_shared import problems
from hushpoll_shared.signing import sign

START = 1_000_000.0
TRY_LATER = problems.TRY_LATER.type


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = START
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


class Away:
    """A transport whose first tries reach nobody."""

    def __init__(self, transport: object, tries: int) -> None:
        self.transport, self.tries = transport, tries

    def send(self, method: str, url: str, **options: object) -> Response:
        self.tries -= 1
        if self.tries >= 0:
            raise ServerUnreachable("there is no network here")
        response: Response = self.transport.send(method, url, **options)  # type: ignore[attr-defined]
        return response


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def client(make_client: MakeClient, time: Time) -> Client:
    return make_client(clock=time.clock, sleep=time.sleep)


def draw(client: Client, name: str = "campus") -> Report:
    return client.survey(name).randomize({"cheated": True, "helped": False})


def busy(seconds: str) -> Reply:
    return problem(problems.TRY_LATER, **{"Retry-After": seconds})


def test_a_server_that_asks_for_time_gets_it_and_the_app_is_told(
    client: Client, make_client: MakeClient, collector: Collector, time: Time
) -> None:
    report = draw(client)
    collector.script = [busy("60")]
    receipt = client.submit(report)
    assert receipt == Receipt("queued", "campus", report.id, TRY_LATER, receipt.retry_after)
    assert receipt.retry_after is not None
    assert 60 <= receipt.retry_after <= 120
    for seconds in (0, 59):
        time.now = START + seconds
        # The state remembers it: neither a second submit nor another process hammers the server.
        for again in (client.submit(report), *make_client(clock=time.clock).flush(), client.receipt("campus")):
            assert again
            assert (again.status, again.retry_after) == ("queued", receipt.retry_after - seconds)
    assert len(collector.posts) == 1
    time.now = START + 120
    assert client.flush() == [Receipt("accepted", "campus", report.id)]


def test_devices_that_were_sent_away_together_come_back_apart(make_client: MakeClient, collector: Collector) -> None:
    moments = set()
    for _ in range(8):
        client = make_client(state=None, clock=lambda: START)
        report = draw(client)
        collector.script = [(429, {"Retry-After": "5"}, b"")]
        client.submit(report)
        [entry] = client._state.queued(KEY.public)
        moments.add(entry.not_before - START)
    # 5,000 possible moments: all eight equal with probability 5000^-7 = 1.3e-26.
    assert len(moments) > 1
    assert all(5 <= moment < 10 for moment in moments)


@pytest.mark.parametrize("asked", ["999999999", "99999999999", "9" * 5000, "Mon, 16 Nov 2099 12:00:00 GMT"])
def test_no_server_can_silence_a_device_for_more_than_two_hours(
    client: Client, collector: Collector, time: Time, asked: str
) -> None:
    report = draw(client)
    collector.script = [(503, {"Retry-After": asked, "Date": "Mon, 16 Nov 2026 12:00:00 GMT"}, b"")]
    assert 3600 <= (client.submit(report).retry_after or 0) <= 7200
    time.now += 7200
    assert [receipt.status for receipt in client.flush()] == ["accepted"]


def test_a_clock_that_was_turned_back_does_not_silence_a_device(
    client: Client, collector: Collector, time: Time
) -> None:
    report = draw(client)
    collector.script = [(503, {"Retry-After": "60"}, b"")]
    assert client.submit(report).status == "queued"
    time.now -= 10 * 365 * 86400
    assert [receipt.status for receipt in client.flush()] == ["accepted"]


def test_a_server_that_asked_for_time_is_left_alone_by_the_other_reports_too(
    client: Client, collector: Collector, time: Time
) -> None:
    campus, library = draw(client), draw(client, "library")
    collector.script = [busy("60")]
    first = client.submit(campus)
    assert client.submit(library) == Receipt("queued", "library", library.id, None, first.retry_after)
    assert [receipt.retry_after for receipt in client.flush()] == [first.retry_after] * 2
    assert collector.posts == [campus.encode()]
    time.now += 120
    assert [receipt.status for receipt in client.flush(send_together=True)] == ["accepted", "accepted"]


def test_a_flush_ends_with_the_first_report_for_which_the_server_asks_for_time(
    client: Client, make_client: MakeClient, collector: Collector
) -> None:
    reports = [draw(client, name) for name in ("campus", "library")]
    client._server.transport = Away(client._server.transport, 2)
    assert [client.submit(report).status for report in reports] == ["queued"] * 2
    collector.script = [busy("60"), busy("60")]
    receipts = client.flush()
    assert [receipt.status for receipt in receipts] == ["queued", "queued"]
    assert all(receipt.retry_after for receipt in receipts)
    assert len(collector.posts) == 1


def test_a_report_that_a_gateway_keeps_back_does_not_keep_back_the_others(client: Client, collector: Collector) -> None:
    reports = [draw(client, name) for name in ("campus", "library")]
    client._server.transport = Away(client._server.transport, 2)
    for report in reports:
        client.submit(report)
    collector.script = [(403, {}, b"<html>")]
    assert sorted(receipt.status for receipt in client.flush(send_together=True)) == ["accepted", "queued"]


# Waiting


def test_nothing_sleeps_unless_the_app_asks_for_it(client: Client, collector: Collector, time: Time) -> None:
    report = draw(client)
    collector.script = [busy("5"), busy("5")]
    client.submit(report)
    client.flush()
    assert time.slept == []


@pytest.mark.loopback
def test_waiting_outlasts_a_server_that_is_full_again_and_again(collector: Collector, time: Time) -> None:
    with (
        serving(collector) as url,
        Client(url, key=KEY.public, clock=time.clock, sleep=time.sleep) as client,
    ):
        report = draw(client)
        collector.script = [busy("5")] * 4
        assert client.submit(report).status == "queued"
        assert client.flush(wait_seconds=60) == [Receipt("accepted", "campus", report.id)]
    assert collector.posts == [report.encode()] * 5
    assert len(time.slept) == 4
    assert all(5 <= pause < 10 for pause in time.slept)


def test_a_limit_that_is_too_short_does_not_even_start_a_wait(client: Client, collector: Collector, time: Time) -> None:
    report = draw(client)
    collector.script = [busy("60")]
    client.submit(report)
    [receipt] = client.flush(wait_seconds=59)
    assert receipt.retry_after
    assert (time.slept, len(collector.posts)) == ([], 1)


def test_the_pauses_together_are_never_longer_than_the_limit(client: Client, collector: Collector, time: Time) -> None:
    report = draw(client)
    collector.script = [busy("5")] * 100
    client.submit(report)
    assert [receipt.status for receipt in client.flush(wait_seconds=60)] == ["queued"]
    assert 50 < sum(time.slept) <= 60


def test_a_server_that_is_away_is_tried_less_and_less_often(client: Client, collector: Collector, time: Time) -> None:
    report = draw(client)
    client._server.transport = Away(client._server.transport, 6)
    assert client.submit(report).status == "queued"
    assert client.flush(wait_seconds=100) == [Receipt("accepted", "campus", report.id)]
    assert len(time.slept) == 5
    assert all(2**place <= pause < 2 ** (place + 1) for place, pause in enumerate(time.slept))
    assert collector.posts == [report.encode()]


def test_an_answer_that_comes_without_a_time_is_waited_out_too(
    client: Client, collector: Collector, time: Time
) -> None:
    report = draw(client)
    collector.script = [(502, {}, b"<html>"), (503, {"Retry-After": "soon"}, b""), (500, {}, b"")]
    assert client.submit(report).retry_after is None
    assert client.flush(wait_seconds=30) == [Receipt("accepted", "campus", report.id)]
    assert len(time.slept) == 2


def test_flush_does_not_sleep_when_nothing_is_queued(client: Client, time: Time) -> None:
    client.submit(draw(client))
    assert client.flush(wait_seconds=60) == []
    assert time.slept == []


def test_what_another_process_sent_during_a_pause_is_told(
    client: Client, make_client: MakeClient, collector: Collector, time: Time
) -> None:
    report = draw(client)
    collector.script = [busy("5")]
    client.submit(report)

    def sleep(seconds: float) -> None:
        time.sleep(seconds)
        make_client(clock=time.clock).flush()

    waiting = make_client(clock=time.clock, sleep=sleep)
    assert waiting.flush(wait_seconds=60) == [Receipt("accepted", "campus", report.id)]
    assert len(collector.posts) == 2


# Several that wait

HOUR = 3600
FIVE = ("campus", "library", "canteen", "hostel", "gym")


@pytest.fixture
def waiting(collector: Collector, client: Client, time: Time) -> Client:
    """Let five reports wait until all are due."""
    collector.envelopes |= {name: sign(two_questions(survey=name), KEY) for name in FIVE}
    reports = [draw(client, name) for name in FIVE]
    transport = client._server.transport
    client._server.transport = Away(transport, 5)
    assert {client.submit(report).status for report in reports} == {"queued"}
    client._server.transport = transport
    time.now += HOUR
    return client


def test_five_reports_that_wait_do_not_arrive_together_and_tell_that_they_are_one_devices(
    waiting: Client, make_client: MakeClient, collector: Collector, time: Time
) -> None:
    receipts = waiting.flush()
    assert len(collector.posts) == 1
    assert sorted(receipt.status for receipt in receipts) == ["accepted", *["queued"] * 4]
    waits = [receipt.retry_after for receipt in receipts if receipt.retry_after]
    assert len(waits) == 4
    assert all(1 <= wait <= HOUR for wait in waits)
    # The state remembers the times: another process sends nothing yet, and later one at a time, too.
    assert len(make_client(clock=time.clock).flush()) == 4
    assert len(collector.posts) == 1
    for hours in range(1, 5):
        time.now += HOUR
        make_client(clock=time.clock).flush()
        assert len(collector.posts) == 1 + hours
    assert waiting.flush() == []
    assert len(set(collector.posts)) == 5


def test_which_of_the_waiting_reports_goes_first_and_when_the_others_follow_is_drawn(waiting: Client) -> None:
    outboxes = [replace(waiting._outbox, source=FixedTestStream(f"lot {n}"), post=unreachable) for n in range(8)]
    times = []
    for outbox in outboxes:
        for entry in outbox.state.queued(KEY.public):
            outbox.state.postpone(entry, due=0.0)
        outbox.flush(0, send_together=False)
        times.append(tuple(entry.due for entry in outbox.state.queued(KEY.public)))
    # The one that is sent keeps no time. Fixed streams: this is no matter of chance.
    assert len({due.index(0.0) for due in times}) > 2
    assert all(len(set(due)) == 5 for due in times)
    assert len(set(times)) == 8


def unreachable(_entry: object, _attempt: int) -> Verdict:
    raise ServerUnreachable("there is no network here")


def test_with_time_to_wait_each_waiting_report_goes_out_at_a_time_of_its_own(
    waiting: Client, collector: Collector, time: Time
) -> None:
    assert [receipt.status for receipt in waiting.flush(wait_seconds=5 * HOUR)] == ["accepted"] * 5
    assert len(set(collector.posts)) == 5
    assert len(time.slept) == 4
    assert 0 < sum(time.slept) <= HOUR


def test_an_app_that_says_so_sends_all_at_once(waiting: Client, collector: Collector, time: Time) -> None:
    assert [receipt.status for receipt in waiting.flush(send_together=True)] == ["accepted"] * 5
    assert time.slept == []


def test_a_report_that_is_submitted_does_not_take_waiting_ones_along(client: Client, collector: Collector) -> None:
    campus, library = draw(client), draw(client, "library")
    transport = client._server.transport
    client._server.transport = Away(transport, 1)
    assert client.submit(campus).status == "queued"
    client._server.transport = transport
    assert client.submit(library).status == "accepted"
    [receipt] = client.flush()
    assert (receipt.survey, receipt.status) == ("campus", "queued")
    assert 1 <= (receipt.retry_after or 0) <= HOUR
    assert collector.posts == [library.encode()]


def test_a_clock_that_was_turned_back_does_not_hold_a_spread_report_for_years(
    waiting: Client, collector: Collector, time: Time
) -> None:
    waiting.flush()
    time.now -= 10 * 365 * 86400
    waiting.flush()
    assert len(collector.posts) == 2
