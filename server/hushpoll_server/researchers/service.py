"""Accounts, one-time sign-in links and API tokens, without any web framework.

The rule here: a secret is shown once, when it is made, and stored only as its hash; removing a researcher takes effect
at once, because every request looks up the account. The sessions that links start are in `sessions`.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, SQLModel, col, delete, select

from hushpoll_server.researchers.models import ApiTokenRow, ResearcherRow, ResearcherSessionRow, SignInLinkRow
from hushpoll_server.store import Store
from hushpoll_server.store.secrets import hash_of, new_secret
from hushpoll_server.store.statements import insert_new
from hushpoll_shared.errors import HushpollError, InvalidValue

LINK_LIFETIME = timedelta(hours=24)
LONGEST_EMAIL = 254
# Only catches typing errors: nothing but delivery proves that an address exists.
_EMAIL = re.compile(r"[^@\s\x00-\x1f\x7f\ud800-\udfff]+@[^@\s\x00-\x1f\x7f\ud800-\udfff]+")
_TOKEN_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)
# Digits of its hash that name a token without a name; they reveal nothing about the token.
_HASH_DIGITS = 12


class UnknownResearcher(HushpollError):
    """No researcher has this address; the message says how to add one."""

    def __init__(self) -> None:
        """Use the fixed message."""
        super().__init__("there is no researcher with this address: add one with: hushpoll researcher add EMAIL")


class UnknownToken(HushpollError):
    """A researcher has no token with this name; the message says how to list the names."""

    def __init__(self) -> None:
        """Use the fixed message."""
        super().__init__("there is no token with this name: list them with: hushpoll researcher tokens EMAIL")


@dataclass(frozen=True)
class Researcher:
    """A person who may see the estimates."""

    id: str
    email: str


class ResearcherService:
    """The accounts, links and tokens of researchers."""

    def __init__(self, store: Store, clock: Callable[[], datetime]) -> None:
        """Use a store and a clock."""
        self._store = store
        self._clock = clock

    def add(self, email: str) -> Researcher:
        """Add a researcher and return them; if the address is known, return the one who has it."""
        address = normalize_email(email)
        with self._store.writing() as connection:
            insert_new(connection, ResearcherRow, [(secrets.token_hex(16), address)])
        return self._known(address)

    def list(self) -> list[Researcher]:
        """Return all researchers, sorted by address."""
        with self._store.reading() as session:
            rows = session.exec(select(ResearcherRow).order_by(col(ResearcherRow.email)))
            return [_value(row) for row in rows]

    def remove(self, email: str) -> None:
        """Remove a researcher; the database deletes the links, sessions and tokens, too."""
        known = self.get(email)
        with self._store.transaction() as session:
            session.exec(delete(ResearcherRow).where(col(ResearcherRow.id) == known.id))

    def get(self, email: str) -> Researcher:
        """Return the researcher with this address."""
        return self._known(normalize_email(email))

    def new_link(self, email: str) -> str:
        """Make the secret of a sign-in link that works once, within 24 hours."""
        known, secret = self.get(email), new_secret()
        now = self._clock()
        with self._store.transaction() as session:
            delete_expired(session, _seconds(now))
            expires = _seconds(now + LINK_LIFETIME)
            session.add(SignInLinkRow(hash=hash_of(secret), researcher=known.id, expires=expires))
        return secret

    def new_api_token(self, email: str, *, name: str | None = None) -> str:
        """Make a token for a researcher's programs; it works until it is revoked or its researcher removed."""
        known, secret = self.get(email), new_secret()
        row = ApiTokenRow(hash=hash_of(secret), researcher=known.id, name=name or hash_of(secret)[:_HASH_DIGITS])
        if not _TOKEN_NAME.fullmatch(row.name):
            raise InvalidValue("a token's name has 1 to 64 letters, digits, dots, hyphens or underscores")
        try:
            with self._store.transaction() as session:
                session.add(row)
        except IntegrityError:
            raise InvalidValue("there is a token with this name: choose another, or revoke that one first") from None
        return secret

    def api_tokens(self, email: str) -> tuple[str, ...]:
        """Return the names of a researcher's tokens."""
        names = select(ApiTokenRow.name).where(col(ApiTokenRow.researcher) == self.get(email).id)
        with self._store.reading() as session:
            return tuple(sorted(session.exec(names)))

    def revoke_api_token(self, email: str, name: str) -> None:
        """Revoke one token of a researcher."""
        owner = self.get(email).id
        revoke = delete(ApiTokenRow).where(col(ApiTokenRow.researcher) == owner, col(ApiTokenRow.name) == name)
        with self._store.transaction() as session:
            if session.exec(revoke).rowcount == 0:
                raise UnknownToken

    def researcher_of_token(self, secret: str) -> Researcher | None:
        """Return the researcher who owns this token."""
        return find_owner(self._store, ApiTokenRow, col(ApiTokenRow.hash) == hash_of(secret))

    def _known(self, address: str) -> Researcher:
        with self._store.reading() as session:
            row = _find(session, address)
            if row is None:
                raise UnknownResearcher
            return _value(row)


def find_owner(store: Store, table: type[SQLModel], *conditions: ColumnElement[bool]) -> Researcher | None:
    """Return the researcher who owns the row that meets the conditions, in one query."""
    owner = select(ResearcherRow).join(table).where(*conditions)
    with store.reading() as session:
        row = session.exec(owner).one_or_none()
        return None if row is None else _value(row)


def delete_expired(session: Session, now: int) -> None:
    """Delete expired links and sessions."""
    session.exec(delete(SignInLinkRow).where(col(SignInLinkRow.expires) <= now))
    session.exec(delete(ResearcherSessionRow).where(col(ResearcherSessionRow.ends) <= now))


def normalize_email(email: str) -> str:
    """Return the normal spelling of an address; refuse anything that is not an address."""
    address = email.strip().casefold()
    if len(address) > LONGEST_EMAIL or not _EMAIL.fullmatch(address):
        raise InvalidValue("this is not an e-mail address: write it as name@example.org")
    return address


def _find(session: Session, address: str) -> ResearcherRow | None:
    return session.exec(select(ResearcherRow).where(col(ResearcherRow.email) == address)).one_or_none()


def _value(row: ResearcherRow) -> Researcher:
    return Researcher(id=row.id, email=row.email)


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())
