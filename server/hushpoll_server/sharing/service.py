"""Links that open one survey for reading: made, found and withdrawn.

The rule here: a link has an end that nothing moves, and every request looks it up, so withdrawing it, its end and the
removal of the researcher who made it take effect at once. Its secret is shown once and stored only as its hash.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Literal, get_args

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, delete, select
from sqlmodel.sql.expression import Select

from hushpoll_server.researchers.models import ResearcherRow
from hushpoll_server.researchers.service import Researcher
from hushpoll_server.sharing.models import LONGEST_LINK_NAME, ShareLinkRow
from hushpoll_server.store import Store
from hushpoll_server.store.secrets import hash_of, new_secret
from hushpoll_server.words import ENGLISH
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.texts import normal_form

# What a link opens: pages with figures, or the randomized reports as well.
Scope = Literal["figures", "reports"]
SCOPES: tuple[Scope, ...] = get_args(Scope)

DEFAULT_DAYS, MOST_DAYS = 30, 365
_DAY = timedelta(days=1)


@dataclass(frozen=True)
class NewLink:
    """What a researcher chooses of a link."""

    name: str
    scope: Scope
    days: int

    def __post_init__(self) -> None:
        """Refuse what no link can have."""
        if not self.name or len(self.name) > LONGEST_LINK_NAME or self.name != normal_form(self.name):
            raise InvalidValue(f"A link needs a name of 1 to {LONGEST_LINK_NAME} characters: say for whom it is.")
        if not 1 <= self.days <= MOST_DAYS:
            raise InvalidValue(f"A link works for 1 to {MOST_DAYS} days: choose a number of days in between.")


@dataclass(frozen=True)
class ShareLink:
    """A link that works."""

    survey: str
    name: str
    scope: Scope
    expires: datetime
    made_by: str

    def opens(self, scope: Scope) -> bool:
        """Return whether the link opens pages of this scope."""
        return SCOPES.index(scope) <= SCOPES.index(self.scope)

    @property
    def until(self) -> str:
        """Return the last day of the link in words."""
        last = self.expires - _DAY
        return f"{last.day} {ENGLISH['months'][last.month - 1]} {last.year}"


class ShareService:
    """The links to the surveys of one instance."""

    def __init__(self, store: Store, clock: Callable[[], datetime]) -> None:
        """Use a store and a clock."""
        self._store, self._clock = store, clock

    def make(self, survey: str, new: NewLink, researcher: Researcher) -> str:
        """Return the secret of a new link, which works for so many whole days after today."""
        secret, last = new_secret(), self._clock().astimezone(UTC).date() + new.days * _DAY
        expires = int(datetime.combine(last + _DAY, time.min, UTC).timestamp())
        row = ShareLinkRow(
            hash=hash_of(secret),
            survey=survey,
            name=new.name,
            scope=new.scope,
            expires=expires,
            researcher=researcher.id,
        )
        try:
            with self._store.transaction() as session:
                _delete_expired(session, self._now())
                session.add(row)
        except IntegrityError:
            raise InvalidValue("There is a link with this name: choose another, or withdraw that one first.") from None
        return secret

    def list(self, survey: str) -> tuple[ShareLink, ...]:
        """Return the links to a survey that work, by name."""
        query = _links().where(col(ShareLinkRow.survey) == survey, col(ShareLinkRow.expires) > self._now())
        with self._store.reading() as session:
            return tuple(_value(*row) for row in session.exec(query.order_by(col(ShareLinkRow.name))))

    def find(self, secret: str) -> ShareLink | None:
        """Return the link with this secret; None if it never was, was withdrawn or has expired."""
        query = _links().where(col(ShareLinkRow.hash) == hash_of(secret), col(ShareLinkRow.expires) > self._now())
        with self._store.reading() as session:
            row = session.exec(query).one_or_none()
        return None if row is None else _value(*row)

    def withdraw(self, survey: str, name: str) -> None:
        """End a link; one that is gone already is not an error."""
        of_name = (col(ShareLinkRow.survey) == survey, col(ShareLinkRow.name) == normal_form(name))
        with self._store.transaction() as session:
            _delete_expired(session, self._now())
            session.exec(delete(ShareLinkRow).where(*of_name))

    def seconds_left(self, link: ShareLink) -> int:
        """Return for how long a link still works."""
        return int(link.expires.timestamp()) - self._now()

    def _now(self) -> int:
        return int(self._clock().timestamp())


def _links() -> Select[ShareLinkRow, str]:
    return select(ShareLinkRow, ResearcherRow.email).join(ResearcherRow)


def _value(row: ShareLinkRow, email: str) -> ShareLink:
    expires = datetime.fromtimestamp(row.expires, UTC)
    scope = next(scope for scope in SCOPES if scope == row.scope)
    return ShareLink(row.survey, row.name, scope, expires, email)


def _delete_expired(session: Session, now: int) -> None:
    session.exec(delete(ShareLinkRow).where(col(ShareLinkRow.expires) <= now))
