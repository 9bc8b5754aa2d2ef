"""The secret of an instance: the key that signs manifests.

It is a file in the instance's home that only its owner can read, created when it is first needed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

from hushpoll_server.store.files import FileThere, make_folder, whole_file
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.private_files import PRIVATE
from hushpoll_shared.signing import SigningKey

SIGNING_KEY = "signing-key.pem"


def signing_key(path: Path) -> SigningKey:
    """Read the signing key, or create one."""
    data = _read_or_make(path, lambda: SigningKey.generate().to_pem())
    try:
        return SigningKey.from_pem(data)
    except InvalidValue as error:
        raise InvalidValue(f"{path}: {error}") from None


def _read_or_make(path: Path, make: Callable[[], bytes]) -> bytes:
    if not path.exists():
        make_folder(path.parent)
        # The first process to finish wins, and none reads half a key.
        with contextlib.suppress(FileThere), whole_file(path, replace=False) as file:
            file.write(make())
    # A secret that an operator mounts, read-only or as a link, stays as it is.
    if not path.is_symlink():
        with contextlib.suppress(OSError):
            path.chmod(PRIVATE)
    return path.read_bytes()
