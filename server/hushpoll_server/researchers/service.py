"""Accounts, one-time sign-in links and API tokens, without any web framework.

The law here: a secret is shown once, when it is made, and stored only as its hash; a link signs in once, however many
requests race for it; whoever is removed is out at once, because every request looks the account up.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, delete, select

from hushpoll_server.researchers.models import ApiTokenRow, ResearcherRow, SignInLinkRow
from hushpoll_server.store import Store
from hushpoll_server.store.statements import insert_new
from hushpoll_shared.errors import HushpollError, InvalidValue

LINK_LIFETIME = timedelta(hours=24)
SECRET_BYTES = 32
LONGEST_EMAIL = 254
# Only what tells an address from a slip of the pen: nothing but delivery proves the rest.
_EMAIL = re.compile(r"[^@\s\x00-\x1f\x7f\ud800-\udfff]+@[^@\s\x00-\x1f\x7f\ud800-\udfff]+")


class UnknownResearcher(HushpollError):
    """Say that nobody has this address, and how to add somebody."""

    def __init__(self) -> None:
        """Keep the fixed text."""
        super().__init__("there is no researcher with this address: add one by: hushpoll researcher add EMAIL")


@dataclass(frozen=True)
class Researcher:
    """A person who may look at estimates."""

    id: str
    email: str


class ResearcherService:
    """Keep the accounts."""

    def __init__(self, store: Store, clock: Callable[[], datetime]) -> None:
        """Stand on a store and a clock."""
        self._store = store
        self._clock = clock

    def add(self, email: str) -> Researcher:
        """Add a researcher; give the one who is there if the address is known."""
        address = normalize_email(email)
        with self._store.writing() as connection:
            insert_new(connection, ResearcherRow, [(secrets.token_hex(16), address)])
        return self._known(address)

    def list(self) -> list[Researcher]:
        """Give all researchers in the order of their addresses."""
        with self._store.reading() as session:
            rows = session.exec(select(ResearcherRow).order_by(col(ResearcherRow.email)))
            return [_value(row) for row in rows]

    def remove(self, email: str) -> None:
        """Remove a researcher; the database takes the links and tokens along."""
        known = self._known(normalize_email(email))
        with self._store.transaction() as session:
            session.exec(delete(ResearcherRow).where(col(ResearcherRow.id) == known.id))

    def get(self, researcher_id: str) -> Researcher | None:
        """Give the researcher with this id, if there still is one."""
        with self._store.reading() as session:
            row = session.get(ResearcherRow, researcher_id)
            return None if row is None else _value(row)

    def new_link(self, email: str) -> str:
        """Make the secret of a sign-in link that works once, within 24 hours."""
        known, secret = self._known(normalize_email(email)), _new_secret()
        now = self._clock()
        with self._store.transaction() as session:
            session.exec(delete(SignInLinkRow).where(col(SignInLinkRow.expires) <= _seconds(now)))
            expires = _seconds(now + LINK_LIFETIME)
            session.add(SignInLinkRow(hash=_hash(secret), researcher=known.id, expires=expires))
        return secret

    def use_link(self, secret: str) -> Researcher | None:
        """Spend a link and give its researcher; nobody if it is unknown, spent or expired."""
        # One statement finds and deletes: of two that race for it, the database lets one have the row.
        spend = (
            delete(SignInLinkRow)
            .where(col(SignInLinkRow.hash) == _hash(secret), col(SignInLinkRow.expires) > _seconds(self._clock()))
            .returning(col(SignInLinkRow.researcher))
        )
        with self._store.transaction() as session:
            researcher_id = session.exec(spend).scalar_one_or_none()
        return None if researcher_id is None else self.get(researcher_id)

    def new_api_token(self, email: str) -> str:
        """Make a token for a researcher's programs; it works until the researcher is removed."""
        known, secret = self._known(normalize_email(email)), _new_secret()
        with self._store.transaction() as session:
            session.add(ApiTokenRow(hash=_hash(secret), researcher=known.id))
        return secret

    def researcher_of_token(self, secret: str) -> Researcher | None:
        """Give the researcher whose token this is."""
        owner = select(ResearcherRow).join(ApiTokenRow).where(col(ApiTokenRow.hash) == _hash(secret))
        with self._store.reading() as session:
            row = session.exec(owner).one_or_none()
            return None if row is None else _value(row)

    def _known(self, address: str) -> Researcher:
        with self._store.reading() as session:
            row = _find(session, address)
            if row is None:
                raise UnknownResearcher
            return _value(row)


def normalize_email(email: str) -> str:
    """Give the one spelling of an address; refuse what is none."""
    address = email.strip().casefold()
    if len(address) > LONGEST_EMAIL or not _EMAIL.fullmatch(address):
        raise InvalidValue("this is not an e-mail address: write it as name@example.org")
    return address


def _find(session: Session, address: str) -> ResearcherRow | None:
    return session.exec(select(ResearcherRow).where(col(ResearcherRow.email) == address)).one_or_none()


def _value(row: ResearcherRow) -> Researcher:
    return Researcher(id=row.id, email=row.email)


def _new_secret() -> str:
    return secrets.token_urlsafe(SECRET_BYTES)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())
