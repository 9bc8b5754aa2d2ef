"""One row of a store is a whole state, and changes of two processes at once are both kept."""

from __future__ import annotations

import zlib
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.client.conftest import MakeClient
from tests.client.servers import Collector
from tests.client.stores import MemoryRows
from tests.samples.surveys import KEY

from hushpoll_client import AlreadyAnswered, Entry, KeyValueState, State, StateFailed
from hushpoll_shared.epsilon import Epsilon

ANSWERS = {"cheated": True, "helped": False}
ADA, MANIFEST = "respondent/ada", f"manifest/{KEY.public}/campus"


@pytest.fixture
def rows() -> MemoryRows:
    return MemoryRows()


def test_each_respondent_has_one_small_row_and_all_share_the_manifest(
    make_client: MakeClient, collector: Collector, rows: MemoryRows
) -> None:
    for name in ("ada", "grace"):
        client = make_client(state=KeyValueState(rows, name))
        assert client.submit(client.survey("campus").randomize(ANSWERS)).status == "accepted"
    assert rows.rows.keys() == {ADA, "respondent/grace", MANIFEST}
    assert rows.rows[MANIFEST] == collector.envelopes["campus"]
    assert len(rows.rows[ADA]) < 1024
    assert len(collector.stored) == 2


def test_a_respondent_answers_once_whichever_process_asks(make_client: MakeClient, rows: MemoryRows) -> None:
    first, second = (make_client(state=KeyValueState(rows, "ada")) for _ in range(2))
    report = first.survey("campus").randomize(ANSWERS)
    first.submit(report)
    assert second.receipt("campus") == first.receipt("campus")
    other = second.survey("campus").randomize(ANSWERS)
    with pytest.raises(AlreadyAnswered):
        second.submit(other)


def test_what_is_queued_in_a_row_is_sent_by_another_process(
    make_client: MakeClient, collector: Collector, rows: MemoryRows
) -> None:
    client = make_client(state=KeyValueState(rows, "ada"))
    report = client.survey("campus").randomize(ANSWERS)
    collector.script = [(503, {}, b"")]
    assert client.submit(report).status == "queued"
    assert report.encode() in zlib.decompress(rows.rows[ADA])
    [receipt] = make_client(state=KeyValueState(rows, "ada")).flush()
    assert (receipt.status, set(collector.posts)) == ("accepted", {report.encode()})
    assert report.encode() not in zlib.decompress(rows.rows[ADA])


def test_changes_at_the_same_time_are_all_kept(rows: MemoryRows) -> None:
    def claim(number: int) -> None:
        state: State = KeyValueState(rows, "ada")
        state.claim(Entry("k", f"s{number}", f"m{number}", Epsilon(1), f"{number:032x}", b"{}"), most=None)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(claim, range(24)))
    state = KeyValueState(rows, "ada")
    assert (len(state.queued("k")), state.spent()) == (24, Epsilon(24))


def test_looking_changes_nothing(rows: MemoryRows) -> None:
    state = KeyValueState(rows, "ada")
    assert (state.find("k", "campus"), state.waves(), state.spent()) == (None, [], Epsilon(0))
    assert rows.rows == {}
    secret = state.secret()
    before = dict(rows.rows)
    assert (state.secret(), rows.rows) == (secret, before)


class Restless(MemoryRows):
    """A store in which the row is always another one already."""

    def swap(self, name: str, *, old: bytes | None, new: bytes) -> bool:
        return False


def test_a_store_that_never_swaps_is_given_up_with_the_cure() -> None:
    with pytest.raises(StateFailed, match="check that swap compares with what get returns"):
        KeyValueState(Restless(), "ada").secret()


@pytest.mark.parametrize("row", [b"", b"notes", zlib.compress(b"notes"), zlib.compress(b"notes" * 1000)])
def test_a_row_that_is_no_state_is_refused_and_left_alone(rows: MemoryRows, row: bytes) -> None:
    rows.rows[ADA] = row
    with pytest.raises(StateFailed, match="not one that this version knows"):
        KeyValueState(rows, "ada").secret()
    assert rows.rows == {ADA: row}
