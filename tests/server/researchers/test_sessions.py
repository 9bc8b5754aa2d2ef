"""Sessions, from the link that starts one to its end, on both engines."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier

import pytest
from sqlalchemy import event
from sqlmodel import select
from tests.server.clock import Clock

from hushpoll_server.researchers.models import ResearcherSessionRow, SignInLinkRow
from hushpoll_server.researchers.service import LINK_LIFETIME, ResearcherService
from hushpoll_server.researchers.sessions import LONGEST_SESSION, NewSession, SessionService
from hushpoll_server.store import Store
from hushpoll_server.store.secrets import new_secret

EMAIL = "ada@example.org"
THREADS = 16
NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


@pytest.fixture
def sessions(store: Store, clock: Clock) -> SessionService:
    return SessionService(store, clock)


def begin(researchers: ResearcherService, sessions: SessionService, email: str = EMAIL) -> str:
    """Add a researcher, sign in, and return the session's secret."""
    researchers.add(email)
    session = sessions.sign_in(researchers.new_link(email))
    assert session is not None
    return session.secret


def test_a_link_signs_in_once(researchers: ResearcherService, sessions: SessionService) -> None:
    ada, link = researchers.add(EMAIL), researchers.new_link(EMAIL)
    session = sessions.sign_in(link)
    assert session is not None
    assert sessions.researcher_of(session.secret) == ada
    assert sessions.sign_in(link) is None


def test_looking_whose_a_link_is_leaves_it_whole(researchers: ResearcherService, sessions: SessionService) -> None:
    ada, link = researchers.add(EMAIL), researchers.new_link(EMAIL)
    assert [sessions.researcher_of_link(link) for _ in range(3)] == [ada] * 3
    assert sessions.sign_in(link) is not None
    assert sessions.researcher_of_link(link) is None


def test_of_many_who_race_for_a_link_one_signs_in(
    researchers: ResearcherService, sessions: SessionService, store: Store
) -> None:
    researchers.add(EMAIL)
    link, together = researchers.new_link(EMAIL), Barrier(THREADS)

    def use(_: int) -> NewSession | None:
        together.wait()
        return sessions.sign_in(link)

    with ThreadPoolExecutor(THREADS) as pool:
        begun = [session for session in pool.map(use, range(THREADS)) if session]
    assert len(begun) == 1
    with store.reading() as session:
        assert len(session.exec(select(ResearcherSessionRow)).all()) == 1


def test_a_link_works_until_its_last_second_and_not_after(
    researchers: ResearcherService, sessions: SessionService, clock: Clock
) -> None:
    researchers.add(EMAIL)
    in_time, late = researchers.new_link(EMAIL), researchers.new_link(EMAIL)
    clock.now = NOON + LINK_LIFETIME - timedelta(seconds=1)
    assert sessions.sign_in(in_time) is not None
    clock.now = NOON + LINK_LIFETIME
    assert sessions.researcher_of_link(late) is None
    assert sessions.sign_in(late) is None


def test_a_session_that_is_used_every_minute_ends_all_the_same(
    researchers: ResearcherService, sessions: SessionService, clock: Clock
) -> None:
    secret = begin(researchers, sessions)
    for minute in range(12 * 60):
        clock.now = NOON + timedelta(minutes=minute)
        assert sessions.researcher_of(secret) is not None
    clock.now = NOON + LONGEST_SESSION
    assert sessions.researcher_of(secret) is None


@pytest.mark.parametrize("seconds", [0, 1, 1799, 3599])
def test_the_stored_end_tells_the_hour_of_a_sign_in_at_most(
    researchers: ResearcherService, sessions: SessionService, store: Store, clock: Clock, seconds: int
) -> None:
    clock.now = NOON + timedelta(seconds=seconds)
    begin(researchers, sessions)
    with store.reading() as session:
        [row] = session.exec(select(ResearcherSessionRow)).all()
    assert row.ends == (NOON + LONGEST_SESSION).timestamp()


def test_an_ended_session_is_over_and_the_others_go_on(
    researchers: ResearcherService, sessions: SessionService
) -> None:
    ended, other = begin(researchers, sessions), begin(researchers, sessions)
    sessions.end(ended)
    assert sessions.researcher_of(ended) is None
    assert sessions.researcher_of(other) is not None


def test_signing_out_everywhere_ends_all_sessions_and_links_of_one_researcher_and_no_token(
    researchers: ResearcherService, sessions: SessionService
) -> None:
    stolen, own, of_grace = (begin(researchers, sessions, email) for email in (EMAIL, EMAIL, "grace@example.org"))
    unused, token = researchers.new_link(EMAIL), researchers.new_api_token(EMAIL)
    sessions.end_all(researchers.get(EMAIL))
    assert sessions.researcher_of(stolen) is None
    assert sessions.researcher_of(own) is None
    assert sessions.sign_in(unused) is None
    assert sessions.researcher_of(of_grace) is not None
    assert researchers.researcher_of_token(token) is not None


def test_whoever_is_removed_is_out_with_every_session(
    researchers: ResearcherService, sessions: SessionService, store: Store
) -> None:
    secret, of_grace = begin(researchers, sessions), begin(researchers, sessions, "grace@example.org")
    link = researchers.new_link(EMAIL)
    researchers.remove(EMAIL)
    assert sessions.researcher_of(secret) is None
    assert sessions.sign_in(link) is None
    assert sessions.researcher_of(of_grace) is not None
    with store.reading() as session:
        assert len(session.exec(select(ResearcherSessionRow)).all()) == 1


@pytest.mark.parametrize("how", ["a sign-in", "a sign-out", "a sign-out everywhere", "a new link"])
def test_expired_sessions_and_links_are_deleted_with_what_happens_next(
    researchers: ResearcherService, sessions: SessionService, store: Store, clock: Clock, how: str
) -> None:
    begin(researchers, sessions)
    researchers.new_link(EMAIL)
    clock.now = NOON + LINK_LIFETIME - timedelta(seconds=1)
    new = researchers.new_link(EMAIL)
    other = researchers.add("grace@example.org")
    clock.now = NOON + LINK_LIFETIME
    steps: dict[str, Callable[[], object]] = {
        "a sign-in": lambda: sessions.sign_in(new),
        "a sign-out": lambda: sessions.end("unknown"),
        "a sign-out everywhere": lambda: sessions.end_all(other),
        "a new link": lambda: researchers.new_link(EMAIL),
    }
    steps[how]()
    now = clock.now.timestamp()
    with store.reading() as session:
        assert [row for row in session.exec(select(ResearcherSessionRow)) if row.ends <= now] == []
        assert [row for row in session.exec(select(SignInLinkRow)) if row.expires <= now] == []


def test_a_sign_in_takes_over_no_secret_that_the_browser_brought_along(
    researchers: ResearcherService, sessions: SessionService
) -> None:
    planted, researcher = new_secret(), researchers.add(EMAIL)
    session = sessions.sign_in(researchers.new_link(EMAIL), instead_of=planted)
    assert session is not None
    assert session.secret != planted
    assert sessions.researcher_of(planted) is None
    assert sessions.researcher_of(session.secret) == researcher


def test_a_sign_in_ends_the_earlier_session_of_the_same_browser(
    researchers: ResearcherService, sessions: SessionService
) -> None:
    earlier = begin(researchers, sessions)
    assert sessions.sign_in(researchers.new_link(EMAIL), instead_of=earlier) is not None
    assert sessions.researcher_of(earlier) is None


@pytest.mark.parametrize("text", ["", "unknown", "\udcff", "x" * 10_000, "a\x00b"])
def test_a_made_up_secret_belongs_to_nobody(
    researchers: ResearcherService, sessions: SessionService, text: str
) -> None:
    begin(researchers, sessions)
    assert sessions.researcher_of_link(text) is None
    assert sessions.sign_in(text) is None
    assert sessions.researcher_of(text) is None


def test_a_link_a_session_and_a_token_cannot_stand_for_one_another(
    researchers: ResearcherService, sessions: SessionService
) -> None:
    session, token, link = begin(researchers, sessions), researchers.new_api_token(EMAIL), researchers.new_link(EMAIL)
    assert [sessions.researcher_of(secret) for secret in (token, link)] == [None, None]
    assert [sessions.sign_in(secret) for secret in (token, session)] == [None, None]
    assert [researchers.researcher_of_token(secret) for secret in (session, link)] == [None, None]


def test_secrets_of_sessions_are_256_bits_differ_and_are_not_stored(
    researchers: ResearcherService, sessions: SessionService, store: Store
) -> None:
    secrets = [begin(researchers, sessions) for _ in range(3)]
    assert len(set(secrets)) == 3
    assert {len(secret) for secret in secrets} == {43}
    with store.reading() as session:
        stored = " ".join(str(row.model_dump()) for row in session.exec(select(ResearcherSessionRow)))
    assert not any(secret in stored for secret in secrets)


def test_a_request_looks_a_session_up_in_one_query(
    researchers: ResearcherService, sessions: SessionService, store: Store
) -> None:
    secret, statements = begin(researchers, sessions), list[str]()
    with store.reading() as session:
        engine = session.get_bind()
    event.listen(engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    assert sessions.researcher_of(secret) is not None
    assert len(statements) == 1
