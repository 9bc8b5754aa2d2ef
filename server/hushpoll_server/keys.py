"""The secrets of an instance: the key that signs manifests and the key that signs session cookies.

Each is a file in the instance's folder that only its owner can read, made when it is first needed.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable
from pathlib import Path

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.signing import SigningKey

SIGNING_KEY = "signing-key.pem"
SESSION_KEY = "session-key"
SESSION_KEY_BYTES = 32


def signing_key(path: Path) -> SigningKey:
    """Read the signing key, or make one."""
    data = _read_or_make(path, lambda: SigningKey.generate().to_pem())
    try:
        return SigningKey.from_pem(data)
    except InvalidValue as error:
        raise InvalidValue(f"{path}: {error}") from None


def session_key(path: Path) -> bytes:
    """Read the key of the session cookies, or make one."""
    data = _read_or_make(path, lambda: secrets.token_bytes(SESSION_KEY_BYTES))
    if len(data) != SESSION_KEY_BYTES:
        raise InvalidValue(f"{path} is not a session key: remove it, and a new one is made (everybody signs in anew)")
    return data


def _read_or_make(path: Path, make: Callable[[], bytes]) -> bytes:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write_new(path, make())
    return path.read_bytes()


def _write_new(path: Path, data: bytes) -> None:
    """Write the whole file under another name first, so that nobody reads half a key; the first one to finish wins."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink()
