"""How browsers write the host and the origin of an address."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from hushpoll_shared.addresses import is_loopback

DEFAULT_PORTS: Final = {"http": 80, "https": 443}
# A Host header: a name, or an IPv6 address in brackets, and perhaps a port.
_HOST: Final = re.compile(r"(?:\[(?P<bracketed>[^\]]*)\]|(?P<name>[^:]*))(?::\d{1,5})?", re.ASCII)


def host_of(url: str) -> str:
    """Return the Host header that a browser sends to an address: it omits the default port."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
    return host if parts.port in (None, DEFAULT_PORTS[parts.scheme]) else f"{host}:{parts.port}"


def origin_of(url: str) -> str:
    """Return the origin of the pages below an address."""
    return f"{urlsplit(url).scheme}://{host_of(url)}"


def is_loopback_host(host: str) -> bool:
    """Return whether a Host header names this machine, with any port."""
    parts = _HOST.fullmatch(host)
    return parts is not None and is_loopback(parts["bracketed"] or parts["name"] or "")
