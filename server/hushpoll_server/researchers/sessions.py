"""Sessions of researchers: begun by a one-time link, ended on the server.

The law here: a session has an absolute end that no request moves. Whoever signs out, is signed out everywhere or is
removed is out at once, with every copy of the cookie. A link signs in once, however many requests race for it. Every
sign-in makes a new secret; one that a browser brought along is never taken over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, delete

from hushpoll_server.researchers.models import ResearcherSessionRow, SignInLinkRow
from hushpoll_server.researchers.service import Researcher, delete_expired, find_owner
from hushpoll_server.store import Store
from hushpoll_server.stored_secrets import hash_of, new_secret

LONGEST_SESSION = timedelta(hours=12)
# Ends are full hours, so that the stored end does not tell the moment of the sign-in.
_HOUR = 3600


@dataclass(frozen=True)
class NewSession:
    """A session that has just begun: the one moment at which its secret is known."""

    secret: str
    seconds: int


class SessionService:
    """Begin, find and end sessions."""

    def __init__(self, store: Store, clock: Callable[[], datetime]) -> None:
        """Stand on a store and a clock."""
        self._store = store
        self._clock = clock

    def researcher_of_link(self, link: str) -> Researcher | None:
        """Return whom a link would sign in, and leave it whole; nobody if it is unknown, spent or expired."""
        is_good = (col(SignInLinkRow.hash) == hash_of(link), col(SignInLinkRow.expires) > self._now())
        return find_owner(self._store, SignInLinkRow, *is_good)

    def sign_in(self, link: str, *, instead_of: str | None = None) -> NewSession | None:
        """Spend a link and begin a session in the place of the browser's earlier one; none if the link is no good."""
        # Only a read: guesses must not hold up those who write.
        if self.researcher_of_link(link) is None:
            return None
        now, secret = self._now(), new_secret()
        ends = (now + int(LONGEST_SESSION.total_seconds())) // _HOUR * _HOUR
        with self._store.transaction() as session:
            researcher = _spend(session, link, now)
            if researcher is None:
                return None
            delete_expired(session, now)
            _end(session, instead_of)
            session.add(ResearcherSessionRow(hash=hash_of(secret), researcher=researcher, ends=ends))
        return NewSession(secret, ends - now)

    def researcher_of(self, secret: str) -> Researcher | None:
        """Return who is signed in by this secret; looking moves no end."""
        goes_on = (col(ResearcherSessionRow.hash) == hash_of(secret), col(ResearcherSessionRow.ends) > self._now())
        return find_owner(self._store, ResearcherSessionRow, *goes_on)

    def end(self, secret: str) -> None:
        """End one session."""
        with self._store.transaction() as session:
            delete_expired(session, self._now())
            _end(session, secret)

    def end_all(self, researcher: Researcher) -> None:
        """End all sessions of a researcher, and all links that could begin another; tokens go on working."""
        with self._store.transaction() as session:
            delete_expired(session, self._now())
            for row in (ResearcherSessionRow, SignInLinkRow):
                session.exec(delete(row).where(col(row.researcher) == researcher.id))

    def _now(self) -> int:
        return int(self._clock().timestamp())


def _spend(session: Session, link: str, now: int) -> str | None:
    # One statement finds and deletes: of two that race for it, the database lets one have the row.
    spend = (
        delete(SignInLinkRow)
        .where(col(SignInLinkRow.hash) == hash_of(link), col(SignInLinkRow.expires) > now)
        .returning(col(SignInLinkRow.researcher))
    )
    return session.exec(spend).scalar_one_or_none()


def _end(session: Session, secret: str | None) -> None:
    if secret is not None:
        session.exec(delete(ResearcherSessionRow).where(col(ResearcherSessionRow.hash) == hash_of(secret)))
