"""How long a device waits before it contacts a server again.

The rules here: never less than the server asked for; randomized, with secure random bytes, so that devices that were
turned away together do not come back together; bounded, whatever a server sends and whatever a clock shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hushpoll_shared.randomness import ByteSource, SecureBytes, uniform

# The most seconds for which a server can silence a device, before they are randomized up to twice that: surveys close.
LONGEST_WAIT = 60 * 60
# A server that does not ask for time is tried after a second, then after twice as long each time, up to these seconds.
LONGEST_PAUSE = 64
# Reports that wait together are sent at random times within this many seconds.
LONGEST_DELAY = 60 * 60

_SECONDS = re.compile("[0-9]+", re.ASCII)
_DATE = re.compile("[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT", re.ASCII)


def asked_for(headers: Mapping[str, str]) -> int:
    """Return the seconds that a server asks a client to wait; 0 without a valid Retry-After."""
    text = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(text):
        return min(int(text), LONGEST_WAIT) if len(text) < 10 else LONGEST_WAIT
    # A date is compared with the server's own, because the device's clock may be wrong by years.
    until, now = _moment(text), _moment(headers.get("date", "").strip())
    return 0 if until is None or now is None else min(max(0, until - now), LONGEST_WAIT)


def randomized_wait(seconds: int) -> float:
    """Return a random time between this many seconds and twice as many; 0 stays 0."""
    return seconds + uniform(SecureBytes(), 1000 * seconds) / 1000 if seconds else 0.0


def later(source: ByteSource) -> float:
    """Return a random delay in seconds for a report that would otherwise be sent together with another."""
    return (1 + uniform(source, 1000 * LONGEST_DELAY)) / 1000


def left(moment: float, now: float, *, longest: int = 2 * LONGEST_WAIT) -> float:
    """Return the seconds that are left until a moment."""
    seconds = moment - now
    # A wait longer than any that is ever set means that the clock was set back.
    return seconds if 0 < seconds <= longest else 0.0


def pauses() -> Iterator[float]:
    """Yield the pauses between tries of a server that does not ask for time: each about twice the one before."""
    seconds = 1
    while True:
        yield randomized_wait(seconds)
        seconds = min(2 * seconds, LONGEST_PAUSE)


def _moment(date: str) -> int | None:
    from email.utils import parsedate_to_datetime

    try:
        return int(parsedate_to_datetime(date).timestamp()) if _DATE.fullmatch(date) else None
    except ValueError:
        return None
