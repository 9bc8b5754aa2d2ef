"""Accounts and tokens, on both engines."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from sqlmodel import select
from tests.server.clock import Clock

from hushpoll_server.researchers.models import ApiTokenRow, SignInLinkRow
from hushpoll_server.researchers.service import LINK_LIFETIME, ResearcherService, UnknownResearcher, UnknownToken
from hushpoll_server.store import Store
from hushpoll_shared.errors import InvalidValue

EMAIL = "ada@example.org"
THREADS = 16
NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


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


@pytest.mark.parametrize("call", ["get", "new_link", "new_api_token", "api_tokens", "remove"])
def test_nothing_is_made_for_an_unknown_address(researchers: ResearcherService, call: str) -> None:
    with pytest.raises(UnknownResearcher, match="hushpoll researcher add EMAIL"):
        getattr(researchers, call)(EMAIL)


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
    assert researchers.researcher_of_token(text) is None


def test_a_token_works_again_and_again_and_is_no_link(researchers: ResearcherService) -> None:
    ada = researchers.add(EMAIL)
    token = researchers.new_api_token(EMAIL)
    assert [researchers.researcher_of_token(token) for _ in range(2)] == [ada, ada]
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
    _, grace = researchers.add(EMAIL), researchers.add("grace@example.org")
    researchers.new_link(EMAIL)
    token, kept = researchers.new_api_token(EMAIL), researchers.new_api_token(grace.email)
    researchers.new_link(grace.email)
    researchers.remove("ADA@example.org")
    assert researchers.researcher_of_token(token) is None
    assert researchers.researcher_of_token(kept) == grace
    with store.reading() as session:
        assert [row.researcher for row in session.exec(select(SignInLinkRow))] == [grace.id]
        assert [row.researcher for row in session.exec(select(ApiTokenRow))] == [grace.id]


def test_one_stolen_token_is_revoked_and_the_others_go_on(researchers: ResearcherService) -> None:
    ada = researchers.add(EMAIL)
    stolen, kept = researchers.new_api_token(EMAIL, name="laptop"), researchers.new_api_token(EMAIL, name="ci")
    assert researchers.api_tokens(EMAIL) == ("ci", "laptop")
    researchers.revoke_api_token(EMAIL, "laptop")
    assert researchers.researcher_of_token(stolen) is None
    assert researchers.researcher_of_token(kept) == ada
    assert researchers.api_tokens(EMAIL) == ("ci",)


def test_a_token_without_a_name_can_be_revoked_too(researchers: ResearcherService) -> None:
    researchers.add(EMAIL)
    token = researchers.new_api_token(EMAIL)
    [name] = researchers.api_tokens(EMAIL)
    assert name not in token
    researchers.revoke_api_token(EMAIL, name)
    assert researchers.researcher_of_token(token) is None


def test_nobody_revokes_the_token_of_somebody_else(researchers: ResearcherService) -> None:
    ada = researchers.add(EMAIL)
    researchers.add("grace@example.org")
    token = researchers.new_api_token(EMAIL, name="laptop")
    with pytest.raises(UnknownToken, match="hushpoll researcher tokens EMAIL"):
        researchers.revoke_api_token("grace@example.org", "laptop")
    assert researchers.researcher_of_token(token) == ada


def test_a_name_of_a_token_is_given_once_for_each_researcher(researchers: ResearcherService) -> None:
    for email in (EMAIL, "grace@example.org"):
        researchers.add(email)
        researchers.new_api_token(email, name="laptop")
    with pytest.raises(InvalidValue, match="there is a token with this name"):
        researchers.new_api_token(EMAIL, name="laptop")


@pytest.mark.parametrize("name", [" ", "a b", "x" * 65, "a\n", "\u202eabc"])
def test_a_name_of_a_token_that_cannot_be_typed_is_refused(researchers: ResearcherService, name: str) -> None:
    researchers.add(EMAIL)
    with pytest.raises(InvalidValue, match="1 to 64 letters"):
        researchers.new_api_token(EMAIL, name=name)


def test_an_address_added_anew_is_another_account(researchers: ResearcherService) -> None:
    first = researchers.add(EMAIL)
    researchers.remove(EMAIL)
    assert researchers.add(EMAIL).id != first.id
