"""Add, list and remove gateways, and recognise them by their tokens.

The rule here: a token is shown once, when it is made. A gateway that is removed is refused within a second: a token
that was found is not looked up again for that long, because a lookup costs a tenth of a small batch.
"""

from __future__ import annotations

import re
import time

from sqlmodel import col, delete, select

from hushpoll_server.gateways.models import LONGEST_NAME, GatewayRow
from hushpoll_server.store import Store
from hushpoll_server.store.secrets import hash_of, new_secret
from hushpoll_server.store.statements import insert_new
from hushpoll_shared.errors import HushpollError, InvalidValue

# What a secret looks like; nothing else is looked up.
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)
_SCHEME = "bearer "
REMEMBERED_SECONDS = 1.0


class GatewayError(HushpollError):
    """A gateway that cannot be added or removed."""


class GatewayService:
    """The gateways of one instance."""

    def __init__(self, store: Store) -> None:
        """Work on this database."""
        self._store = store
        # Hashes of tokens that were found, and when; there are at most as many as gateways.
        self._found: dict[str, float] = {}

    def add(self, name: str) -> str:
        """Add a gateway and return its token."""
        _check_name(name)
        token = new_secret()
        with self._store.writing() as connection:
            if not insert_new(connection, GatewayRow, [(name, hash_of(token))]):
                raise GatewayError(f"there is already a gateway {name!r}: remove it first, or choose another name")
        return token

    def list(self) -> list[str]:
        """Return the names of all gateways, sorted."""
        with self._store.reading() as session:
            return sorted(session.exec(select(GatewayRow.name)))

    def remove(self, name: str) -> None:
        """Remove a gateway; its token is no longer valid."""
        self._found.clear()
        with self._store.transaction() as session:
            removed = session.exec(delete(GatewayRow).where(col(GatewayRow.name) == name))
        if not removed.rowcount:
            raise GatewayError(f"there is no gateway {name!r}: hushpoll gateway list shows all")

    def admits(self, authorization: str) -> bool:
        """Return whether an Authorization header has the token of a gateway."""
        scheme, token = authorization[: len(_SCHEME)].lower(), authorization[len(_SCHEME) :].strip()
        if scheme != _SCHEME or not _TOKEN.fullmatch(token):
            return False
        return self._is_known(hash_of(token))

    def _is_known(self, hashed: str) -> bool:
        now = time.monotonic()
        if now < self._found.get(hashed, 0.0) + REMEMBERED_SECONDS:
            return True
        self._found.pop(hashed, None)
        with self._store.reading() as session:
            is_known = session.exec(select(GatewayRow.name).where(GatewayRow.hash == hashed)).first() is not None
        if is_known:
            self._found[hashed] = now
        return is_known


def _check_name(name: str) -> None:
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable() or name != name.strip():
        raise InvalidValue(f"a gateway's name has 1 to {LONGEST_NAME} printable letters, such as campus-relay")
