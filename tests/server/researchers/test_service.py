"""Accounts, links and tokens, on both engines."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier

import pytest
from sqlmodel import select
from tests.support.clock import Clock

from hushpoll_server.researchers.models import ApiTokenRow, SignInLinkRow
from hushpoll_server.researchers.service import LINK_LIFETIME, ResearcherService, UnknownResearcher
from hushpoll_server.store import Store
from hushpoll_shared.errors import InvalidValue

EMAIL = "ada@example.org"
THREADS = 16
NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    store = Store(database_url)
    yield store
    store.close()


@pytest.fixture
def researchers(store: Store, clock: Clock) -> ResearcherService:
    return ResearcherService(store, clock)


def test_an_address_is_one_account_however_it_is_spelt(researchers: ResearcherService) -> None:
    first = researchers.add(" Ada@Example.ORG ")
    assert researchers.add(EMAIL) == first
    assert first.email == EMAIL
    assert researchers.list() == [first]


def test_researchers_are_listed_by_address(researchers: ResearcherService) -> None:
    for email in ("grace@example.org", EMAIL):
        researchers.add(email)
    assert [each.email for each in researchers.list()] == [EMAIL, "grace@example.org"]


def test_the_same_address_added_by_many_at_once_is_one_account(researchers: ResearcherService) -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        added = list(pool.map(researchers.add, [EMAIL] * THREADS))
    assert len(set(added)) == 1
    assert researchers.list() == added[:1]


@pytest.mark.parametrize(
    "text", ["", "ada", "@example.org", "ada@", "a b@example.org", "ada@exa\nmple.org", "a@b@c", "a" * 250 + "@b.org"]
)
def test_what_is_no_address_is_refused_without_an_echo(researchers: ResearcherService, text: str) -> None:
    with pytest.raises(InvalidValue, match=r"^this is not an e-mail address: write it as name@example.org$"):
        researchers.add(text)


@pytest.mark.parametrize("call", ["new_link", "new_api_token", "remove"])
def test_nothing_is_made_for_an_unknown_address(researchers: ResearcherService, call: str) -> None:
    with pytest.raises(UnknownResearcher, match="hushpoll researcher add EMAIL"):
        getattr(researchers, call)(EMAIL)


def test_a_link_signs_in_once(researchers: ResearcherService) -> None:
    ada = researchers.add(EMAIL)
    link = researchers.new_link(EMAIL)
    assert researchers.use_link(link) == ada
    assert researchers.use_link(link) is None


def test_of_many_who_race_for_a_link_one_signs_in(researchers: ResearcherService) -> None:
    ada = researchers.add(EMAIL)
    link, together = researchers.new_link(EMAIL), Barrier(THREADS)

    def use(_: int) -> object:
        together.wait()
        return researchers.use_link(link)

    with ThreadPoolExecutor(THREADS) as pool:
        outcomes = list(pool.map(use, range(THREADS)))
    assert [outcome for outcome in outcomes if outcome] == [ada]


def test_a_link_works_until_its_last_second_and_not_after(researchers: ResearcherService, clock: Clock) -> None:
    ada = researchers.add(EMAIL)
    in_time, late = researchers.new_link(EMAIL), researchers.new_link(EMAIL)
    clock.now = NOON + LINK_LIFETIME - timedelta(seconds=1)
    assert researchers.use_link(in_time) == ada
    clock.now = NOON + LINK_LIFETIME
    assert researchers.use_link(late) is None


def test_expired_links_are_swept_when_a_new_one_is_made(
    researchers: ResearcherService, store: Store, clock: Clock
) -> None:
    researchers.add(EMAIL)
    researchers.new_link(EMAIL)
    clock.now = NOON + LINK_LIFETIME
    researchers.new_link(EMAIL)
    with store.reading() as session:
        [left] = session.exec(select(SignInLinkRow)).all()
    assert left.expires > clock.now.timestamp()


@pytest.mark.parametrize("text", ["", "unknown", "\udcff", "x" * 10_000, "a\x00b"])
def test_a_made_up_secret_belongs_to_nobody(researchers: ResearcherService, text: str) -> None:
    researchers.add(EMAIL)
    assert researchers.use_link(text) is None
    assert researchers.researcher_of_token(text) is None


def test_a_token_works_again_and_again_and_is_no_link(researchers: ResearcherService) -> None:
    ada = researchers.add(EMAIL)
    token = researchers.new_api_token(EMAIL)
    assert [researchers.researcher_of_token(token) for _ in range(2)] == [ada, ada]
    assert researchers.use_link(token) is None
    assert researchers.researcher_of_token(researchers.new_link(EMAIL)) is None


def test_secrets_are_long_differ_and_are_not_stored(researchers: ResearcherService, store: Store) -> None:
    researchers.add(EMAIL)
    secrets = [researchers.new_link(EMAIL), researchers.new_link(EMAIL), researchers.new_api_token(EMAIL)]
    assert len(set(secrets)) == len(secrets)
    assert {len(secret) for secret in secrets} == {43}
    with store.reading() as session:
        rows = [*session.exec(select(SignInLinkRow)), *session.exec(select(ApiTokenRow))]
    stored = " ".join(str(row.model_dump()) for row in rows)
    assert len(rows) == len(secrets)
    assert not any(secret in stored for secret in secrets)


def test_whoever_is_removed_is_out_with_links_and_tokens(researchers: ResearcherService, store: Store) -> None:
    ada, grace = researchers.add(EMAIL), researchers.add("grace@example.org")
    link, token, kept = researchers.new_link(EMAIL), researchers.new_api_token(EMAIL), researchers.new_link(grace.email)
    researchers.remove("ADA@example.org")
    assert researchers.get(ada.id) is None
    assert researchers.use_link(link) is None
    assert researchers.researcher_of_token(token) is None
    with store.reading() as session:
        assert [row.researcher for row in session.exec(select(SignInLinkRow))] == [grace.id]
        assert session.exec(select(ApiTokenRow)).all() == []
    assert researchers.use_link(kept) == grace


def test_an_address_added_anew_is_another_account(researchers: ResearcherService) -> None:
    first = researchers.add(EMAIL)
    researchers.remove(EMAIL)
    assert researchers.add(EMAIL).id != first.id
