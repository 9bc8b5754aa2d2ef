"""The addresses of servers: how they are written, and which are safe to use.

The rule here: reports and pages travel over TLS or stay on this machine; browsers make the same exception (secure
contexts). An address has one spelling, with no character that could add a directive to a policy.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

from hushpoll_shared.errors import InvalidValue

_LOOPBACK: Final = re.compile(r"localhost|127(\.\d{1,3}){3}|::1", re.ASCII)

_ADDRESS: Final = re.compile(
    r"https?://([a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?(/[a-z0-9._~-]+)*/*", re.ASCII | re.IGNORECASE
)


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine, which no other machine can reach by that name."""
    return _LOOPBACK.fullmatch(host) is not None


def read_address(url: str) -> str:
    """Return the address of a server in its one spelling: scheme and host in lower case, no slash at the end."""
    # Python refuses some IPv6 addresses and ports only when it splits them.
    with suppress(ValueError):
        parts = urlsplit(url)
        if _ADDRESS.fullmatch(url) and parts.port != 0:
            return parts._replace(netloc=parts.netloc.lower(), path=parts.path.rstrip("/")).geturl()
    raise InvalidValue(
        "the server's address must be https://, a host and perhaps a path, such as https://polls.example.org"
    )


def check_address(url: str) -> str:
    """Return the address of a server in its one spelling; refuse one where anything could be read in transit."""
    address = read_address(url)
    parts = urlsplit(address)
    if parts.scheme != "https" and not is_loopback(parts.hostname or ""):
        raise InvalidValue("the server's address must start with https:// (http:// is for this machine only)")
    return address
