"""How browsers write the host and the origin of an address."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from hushpoll_shared.addresses import LOOPBACK

DEFAULT_PORTS: Final = {"http": 80, "https": 443}


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


_LOOPBACK_HOST: Final = re.compile(
    rf"({'|'.join(re.escape(_bracketed(name)) for name in LOOPBACK)})(:\d{{1,5}})?", re.ASCII
)


def host_of(url: str) -> str:
    """Return the Host header that a browser sends to an address: it omits the default port."""
    parts = urlsplit(url)
    host = _bracketed(parts.hostname or "")
    return host if parts.port in (None, DEFAULT_PORTS[parts.scheme]) else f"{host}:{parts.port}"


def origin_of(url: str) -> str:
    """Return the origin of the pages below an address."""
    return f"{urlsplit(url).scheme}://{host_of(url)}"


def is_loopback_host(host: str) -> bool:
    """Return whether a Host header names this machine, with any port."""
    return _LOOPBACK_HOST.fullmatch(host) is not None
