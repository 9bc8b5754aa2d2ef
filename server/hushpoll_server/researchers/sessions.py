"""Sessions of researchers: started by a one-time link, ended on the server.

The rule here: a session has an absolute end that no request extends. Signing out, signing out everywhere and removing a
researcher take effect at once, for every copy of the cookie. A link signs in once, however many requests race for it.
Every sign-in makes a new secret; one that a browser already has is never reused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, delete

from hushpoll_server.researchers.models import ResearcherSessionRow, SignInLinkRow
from hushpoll_server.researchers.service import Researcher, delete_expired, find_owner
from hushpoll_server.store import Store
from hushpoll_server.store.secrets import hash_of, new_secret

LONGEST_SESSION = timedelta(hours=12)
# Seconds. Sessions end on the hour, so that the stored end does not tell when somebody signed in.
_HOUR = 3600


@dataclass(frozen=True)
class NewSession:
    """A session that has just started: the only time at which its secret is known."""

    secret: str
    seconds: int


class SessionService:
    """The sessions of researchers: start, find and end them."""

    def __init__(self, store: Store, clock: Callable[[], datetime]) -> None:
        """Use a store and a clock."""
        self._store = store
        self._clock = clock

    def researcher_of_link(self, link: str) -> Researcher | None:
        """Return whom a link would sign in, without using it; None if it is unknown, used or expired."""
        is_valid = (col(SignInLinkRow.hash) == hash_of(link), col(SignInLinkRow.expires) > self._now())
        return find_owner(self._store, SignInLinkRow, *is_valid)

    def sign_in(self, link: str, *, instead_of: str | None = None) -> NewSession | None:
        """Use a link to start a session in place of the browser's earlier one; None if the link is not valid."""
        # Only a read, so that guesses do not hold up writers.
        if self.researcher_of_link(link) is None:
            return None
        now, secret = self._now(), new_secret()
        ends = (now + int(LONGEST_SESSION.total_seconds())) // _HOUR * _HOUR
        with self._store.transaction() as session:
            researcher = _use(session, link, now)
            if researcher is None:
                return None
            delete_expired(session, now)
            _end(session, instead_of)
            session.add(ResearcherSessionRow(hash=hash_of(secret), researcher=researcher, ends=ends))
        return NewSession(secret, ends - now)

    def researcher_of(self, secret: str) -> Researcher | None:
        """Return who is signed in with this secret, without extending the session."""
        is_valid = (col(ResearcherSessionRow.hash) == hash_of(secret), col(ResearcherSessionRow.ends) > self._now())
        return find_owner(self._store, ResearcherSessionRow, *is_valid)

    def end(self, secret: str) -> None:
        """End one session."""
        with self._store.transaction() as session:
            delete_expired(session, self._now())
            _end(session, secret)

    def end_all(self, researcher: Researcher) -> None:
        """End all sessions of a researcher, and all links that could start another; tokens still work."""
        with self._store.transaction() as session:
            delete_expired(session, self._now())
            for row in (ResearcherSessionRow, SignInLinkRow):
                session.exec(delete(row).where(col(row.researcher) == researcher.id))

    def _now(self) -> int:
        return int(self._clock().timestamp())


def _use(session: Session, link: str, now: int) -> str | None:
    # One statement finds and deletes the row: of two requests that race for it, only one gets it.
    use = (
        delete(SignInLinkRow)
        .where(col(SignInLinkRow.hash) == hash_of(link), col(SignInLinkRow.expires) > now)
        .returning(col(SignInLinkRow.researcher))
    )
    return session.exec(use).scalar_one_or_none()


def _end(session: Session, secret: str | None) -> None:
    if secret is not None:
        session.exec(delete(ResearcherSessionRow).where(col(ResearcherSessionRow.hash) == hash_of(secret)))
