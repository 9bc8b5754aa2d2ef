"""The client verifies, keeps, sends, and sends the same bytes again."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.client.conftest import MakeClient
from tests.client.servers import Collector, problem, serving, talking
from tests.client.wsgi_transport import WSGITransport
from tests.samples.designs import warner
from tests.samples.surveys import KEY, two_questions

from hushpoll_client import (
    AlreadyAnswered,
    Client,
    EpsilonCapExceeded,
    InvalidValue,
    ManifestRefused,
    Receipt,
    Report,
    ReportRefused,
    Response,
    ServerRefused,
    ServerUnreachable,
    SQLiteState,
    StateFailed,
)
from hushpoll_shared import problems
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.question_types import YesNo
from hushpoll_shared.questions import Question
from hushpoll_shared.signing import SigningKey, sign

ANSWERS = {"cheated": True, "helped": False}


class Offline:
    """A transport without a network."""

    def __init__(self) -> None:
        self.calls = 0

    def send(self, method: str, url: str, **_: object) -> Response:
        self.calls += 1
        raise ServerUnreachable("there is no network here")


def draw(client: Client, name: str = "campus") -> Report:
    return client.survey(name).randomize(ANSWERS)


# Surveys


def test_a_survey_is_fetched_and_verified(client: Client, collector: Collector, manifest: Manifest) -> None:
    assert client.survey("campus").manifest == manifest
    assert [(request.method, request.path) for request in collector.seen] == [
        ("GET", "/api/v1/surveys/campus/manifest")
    ]


def test_a_path_in_the_address_is_kept(collector: Collector) -> None:
    with Client("http://localhost/polls/", key=KEY.public, transport=WSGITransport(collector)) as client:
        client.survey("campus")
    assert collector.seen[0].path == "/polls/api/v1/surveys/campus/manifest"


@pytest.mark.parametrize("name", ["", "Campus", "../admin", "a/b", "a?b", "a" * 65])
def test_a_name_that_cannot_be_one_is_not_even_asked_for(client: Client, collector: Collector, name: str) -> None:
    with pytest.raises(InvalidValue, match="a survey's name"):
        client.survey(name)
    assert collector.seen == []


def test_a_manifest_of_another_key_is_refused(client: Client, collector: Collector, manifest: Manifest) -> None:
    collector.envelopes["campus"] = sign(manifest, SigningKey.generate())
    with pytest.raises(ManifestRefused, match="a key other than the pinned one"):
        client.survey("campus")


def test_a_manifest_of_another_survey_is_refused(client: Client, collector: Collector) -> None:
    collector.envelopes["campus"] = collector.envelopes["library"]
    with pytest.raises(ManifestRefused, match="a survey other than campus"):
        client.survey("campus")


@pytest.mark.parametrize("body", [b"", b"<html>", b"{}", b"[" * 100_000, b"\xff" * 10], ids=lambda body: str(body[:9]))
def test_an_answer_that_is_no_envelope_is_refused(client: Client, collector: Collector, body: bytes) -> None:
    collector.envelopes["campus"] = body
    with pytest.raises(ManifestRefused):
        client.survey("campus")


def test_a_manifest_that_changed_after_it_was_answered_is_refused(
    make_client: MakeClient, collector: Collector
) -> None:
    client = make_client()
    client.submit(draw(client))
    collector.envelopes["campus"] = sign(two_questions(title="Campus integrity, again"), KEY)
    with pytest.raises(ManifestRefused, match="changed after this device answered it"):
        make_client().survey("campus")


def test_a_manifest_may_change_before_it_is_answered(client: Client, collector: Collector) -> None:
    client.survey("campus")
    changed = two_questions(title="Campus integrity, corrected")
    collector.envelopes["campus"] = sign(changed, KEY)
    assert client.survey("campus").manifest == changed


def test_an_unknown_survey_is_named_with_the_cure(client: Client) -> None:
    with pytest.raises(ServerRefused, match=r"survey nothing \(status 404\): check the survey's name"):
        client.survey("nothing")


def test_a_server_in_trouble_can_be_asked_again(client: Client, collector: Collector) -> None:
    collector.script = [problem(problems.TRY_LATER), (429, {}, b""), (302, {"Location": "https://x.example"}, b"")]
    for _ in range(3):
        with pytest.raises(ServerUnreachable, match="try again later"):
            client.survey("campus")
    client.survey("campus")


def test_an_offline_device_can_answer_what_it_verified_before(make_client: MakeClient, manifest: Manifest) -> None:
    make_client().survey("campus")
    offline = make_client(transport=Offline())
    assert offline.survey("campus").manifest == manifest
    with pytest.raises(ServerUnreachable):
        offline.survey("library")


def test_what_was_kept_is_verified_again_with_the_key_of_today(make_client: MakeClient, state_file: Path) -> None:
    make_client().survey("campus")
    other = SigningKey.generate().public
    with pytest.raises(ServerUnreachable):
        make_client(transport=Offline(), key=other).survey("campus")
    state = SQLiteState(state_file)
    state.keep_envelope(other, "campus", state.find_envelope(KEY.public, "campus") or b"")
    state.close()
    with pytest.raises(ManifestRefused, match="a key other than the pinned one"):
        make_client(transport=Offline(), key=other).survey("campus")


# Caps


def test_a_survey_above_the_cap_is_refused(make_client: MakeClient, manifest: Manifest) -> None:
    assert str(manifest.epsilon) == "2.09861228866810969137"
    make_client(max_epsilon="2.09861228866810969137").survey("campus")
    with pytest.raises(EpsilonCapExceeded, match=r"costs epsilon 2.09861228866810969137, more than max_epsilon 2.0986"):
        make_client(max_epsilon="2.09861228866810969136").survey("campus")


def test_the_cap_is_four_unless_the_app_decides(client: Client, make_client: MakeClient, collector: Collector) -> None:
    questions = (Question("all", "Everything?", YesNo(), warner(epsilon="4.1")),)
    collector.envelopes["campus"] = sign(two_questions(questions=questions), KEY)
    with pytest.raises(EpsilonCapExceeded, match="max_epsilon 4:"):
        client.survey("campus")
    make_client(max_epsilon=5).survey("campus")


def test_the_total_over_all_surveys_is_capped_before_anybody_is_asked(make_client: MakeClient) -> None:
    client = make_client(max_total_epsilon="4")
    client.submit(draw(client))
    with pytest.raises(EpsilonCapExceeded, match="together more than 4"):
        client.survey("library")
    client.survey("campus")


def test_the_total_is_capped_again_when_the_report_is_kept(make_client: MakeClient, collector: Collector) -> None:
    client = make_client(max_total_epsilon="4")
    campus, library = draw(client), draw(client, "library")
    client.submit(campus)
    with pytest.raises(EpsilonCapExceeded):
        client.submit(library)
    assert collector.posts == [campus.encode()]
    assert client.receipt("library") is None


def test_what_was_spent_is_an_exact_decimal(client: Client) -> None:
    assert client.spent == "0"
    client.submit(draw(client))
    client.submit(draw(client, "library"))
    assert client.spent == "4.19722457733621938274"


@pytest.mark.parametrize(
    "options",
    [
        {"key": "ed25519:short"},
        {"key": None},
        {"max_epsilon": 2.5},
        {"max_epsilon": "-1"},
        {"max_epsilon": None},
        {"max_total_epsilon": "lots"},
    ],
    ids=str,
)
def test_a_client_with_a_wrong_setting_cannot_be_made(make_client: MakeClient, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidValue):
        make_client(**options)


# Sending


def test_a_report_is_accepted_and_remembered(client: Client, collector: Collector) -> None:
    report = draw(client)
    receipt = client.submit(report)
    assert receipt == Receipt("accepted", "campus", report.id, None)
    assert collector.posts == [report.encode()]
    assert collector.seen[-1].path == "/api/v1/surveys/campus/reports"
    assert collector.seen[-1].headers["CONTENT_TYPE"] == "application/json"
    assert client.receipt("campus") == receipt
    assert client.receipt("library") is None


def test_the_report_is_kept_before_the_first_byte_goes_out(
    make_client: MakeClient, collector: Collector, state_file: Path
) -> None:
    kept = []

    class Watching(WSGITransport):
        def send(self, method: str, url: str, **options: Any) -> Response:
            if method == "POST":
                state = SQLiteState(state_file)
                kept.extend(state.queued(KEY.public))
                state.close()
            return super().send(method, url, **options)

    client = make_client(transport=Watching(collector))
    report = draw(client)
    client.submit(report)
    assert [(entry.body, str(entry.epsilon), entry.status) for entry in kept] == [
        (report.encode(), "2.09861228866810969137", "queued")
    ]


def test_a_report_that_cannot_be_kept_is_not_sent(client: Client, collector: Collector) -> None:
    report = draw(client)
    client.close()
    with pytest.raises(StateFailed):
        client.submit(report)
    assert collector.posts == []


def test_the_same_report_again_gives_the_earlier_receipt(client: Client, collector: Collector) -> None:
    report = draw(client)
    assert client.submit(report) == client.submit(report)
    assert len(collector.posts) == 1


def test_another_report_to_the_same_survey_is_refused(make_client: MakeClient, collector: Collector) -> None:
    first = make_client()
    first.submit(draw(first))
    for client in (first, make_client()):
        with pytest.raises(AlreadyAnswered, match="use a separate state for each respondent"):
            client.submit(draw(client))
    assert len(collector.posts) == 1


def test_clients_with_states_of_their_own_answer_independently(make_client: MakeClient, collector: Collector) -> None:
    for _ in range(3):
        client = make_client(state=None)
        assert client.submit(draw(client)).status == "accepted"
    assert len(collector.stored) == 3


def test_a_report_to_a_survey_that_was_not_verified_is_refused(client: Client, make_client: MakeClient) -> None:
    report = draw(make_client(state=None))
    with pytest.raises(ReportRefused, match=r'call client.survey\("campus"\) first'):
        client.submit(report)
    assert client.spent == "0"


def test_a_report_that_was_made_by_hand_is_not_sent(client: Client, collector: Collector) -> None:
    drawn = draw(client)
    wrong: list[dict[str, Any]] = [
        {"cheated": True, "helped": "0"}, {"cheated": "1"}, {"cheated": "2", "helped": "0"},
        {"cheated": "1", "helped": "0", "x": "1"},
    ]  # fmt: skip
    for draws in wrong:
        with pytest.raises(ReportRefused, match=r"let survey.randomize make it"):
            client.submit(Report(drawn.survey, drawn.manifest, drawn.id, draws))
    assert collector.posts == []


def test_a_report_that_is_rejected_leaves_the_queue_with_its_reason(client: Client, collector: Collector) -> None:
    report = draw(client)
    collector.script = [problem(problems.CLOSED)]
    receipt = client.submit(report)
    assert receipt == Receipt("rejected", "campus", report.id, "urn:hushpoll:problem:survey-closed")
    assert client.flush() == []
    assert client.submit(report) == receipt
    with pytest.raises(AlreadyAnswered):
        client.submit(draw(client))
    assert len(collector.posts) == 1
    assert client.spent == "2.09861228866810969137"


def test_a_survey_that_is_not_open_yet_gets_the_same_bytes_later(client: Client, collector: Collector) -> None:
    report = draw(client)
    collector.script = [problem(problems.NOT_OPEN)]
    assert client.submit(report) == Receipt("queued", "campus", report.id, "urn:hushpoll:problem:survey-not-open")
    assert client.flush() == [Receipt("accepted", "campus", report.id)]
    assert collector.posts == [report.encode()] * 2


@pytest.mark.parametrize("status", [302, 429, 500, 503])
def test_what_a_server_could_not_take_is_sent_again_byte_for_byte(
    client: Client, collector: Collector, status: int
) -> None:
    report = draw(client)
    collector.script = [(status, {}, b"<html>")] * 3
    assert client.submit(report).status == "queued"
    assert client.submit(report).status == "queued"
    assert [receipt.status for receipt in client.flush()] == ["queued"]
    assert [receipt.status for receipt in client.flush()] == ["accepted"]
    assert set(collector.posts) == {report.encode()}
    assert client.flush() == []


def test_an_answer_that_was_lost_ends_as_a_duplicate(client: Client, collector: Collector) -> None:
    report = draw(client)

    class Losing(WSGITransport):
        def send(self, method: str, url: str, **options: Any) -> Response:
            super().send(method, url, **options)
            raise ServerUnreachable("the connection broke")

    transport, client._server.transport = client._server.transport, Losing(collector)
    assert client.submit(report).status == "queued"
    client._server.transport = transport
    assert client.flush() == [Receipt("duplicate", "campus", report.id)]
    assert len(collector.stored) == 1


def test_an_offline_device_owes_its_reports_and_pays_them_after_a_restart(
    make_client: MakeClient, collector: Collector
) -> None:
    online = make_client()
    reports = {name: draw(online, name) for name in ("campus", "library")}
    online._server.transport = offline = Offline()
    assert [online.submit(report).status for report in reports.values()] == ["queued", "queued"]
    assert [receipt.status for receipt in online.flush()] == ["queued", "queued"]
    # One try for each submit, and one only for the whole flush.
    assert offline.calls == 3
    online.close()
    assert [receipt.status for receipt in make_client().flush(send_together=True)] == ["accepted", "accepted"]
    assert sorted(collector.posts) == sorted(report.encode() for report in reports.values())


def test_reports_to_another_publisher_are_not_sent_to_this_one(make_client: MakeClient, collector: Collector) -> None:
    first = make_client()
    report = draw(first)
    first._server.transport = Offline()
    first.submit(report)
    stranger = make_client(key=SigningKey.generate().public)
    assert stranger.flush() == []
    assert stranger.spent == first.spent != "0"
    assert collector.posts == []


def test_threads_that_submit_the_same_report_are_counted_once(client: Client, collector: Collector) -> None:
    report = draw(client)
    with ThreadPoolExecutor(16) as threads:
        receipts = list(threads.map(client.submit, [report] * 64))
    assert {receipt.status for receipt in receipts} <= {"accepted", "duplicate"}
    assert set(collector.posts) == {report.encode()}
    assert len(collector.stored) == 1
    assert client.spent == "2.09861228866810969137"


def test_threads_with_different_reports_send_one_of_them(client: Client, collector: Collector) -> None:
    survey = client.survey("campus")

    def answer(_: int) -> str:
        try:
            return client.submit(survey.randomize(ANSWERS)).status
        except AlreadyAnswered:
            return "refused"

    with ThreadPoolExecutor(8) as threads:
        outcomes = sorted(threads.map(answer, range(16)))
    assert outcomes == ["accepted"] + ["refused"] * 15
    assert len(collector.posts) == 1


def test_a_state_that_the_app_opened_stays_open(make_client: MakeClient, state_file: Path) -> None:
    state = SQLiteState(state_file)
    with make_client(state=state) as client:
        client.submit(draw(client))
    assert str(state.spent()) == client.spent != "0"
    state.close()


# What can be seen from outside


def requests_of(answers: Mapping[str, bool], make_client: MakeClient, collector: Collector) -> list[tuple[Any, ...]]:
    client = make_client(state=None)
    client.submit(client.survey("campus").randomize(answers))
    client.flush()
    seen, collector.seen = collector.seen, []
    return [(request.method, request.path, request.headers, len(request.body)) for request in seen]


def test_opposite_answers_give_requests_of_equal_count_order_and_length(
    make_client: MakeClient, collector: Collector
) -> None:
    yes = requests_of({"cheated": True, "helped": True}, make_client, collector)
    no = requests_of({"cheated": False, "helped": False}, make_client, collector)
    assert yes == no
    assert len(yes) == 2


@pytest.mark.loopback
def test_the_default_transport_carries_it_all_over_a_real_socket(collector: Collector, state_file: Path) -> None:
    with serving(collector) as url, Client(url, key=KEY.public, state=state_file) as client:
        report = draw(client)
        assert client.submit(report) == Receipt("accepted", "campus", report.id)
    assert collector.posts == [report.encode()]
    assert collector.seen[-1].headers["HTTP_USER_AGENT"] == "hushpoll"


@pytest.mark.loopback
def test_a_server_that_hangs_up_leaves_the_report_queued(make_client: MakeClient, state_file: Path) -> None:
    make_client().survey("campus")
    with talking(lambda _: None) as url, Client(url, key=KEY.public, state=state_file) as client:
        assert client.submit(draw(client)).status == "queued"
    assert [receipt.status for receipt in make_client().flush()] == ["accepted"]
