"""How long a device waits before it contacts a server again.

The rules here: never less than the server asked for; randomized, with secure random bytes, so that devices that were
turned away together do not come back together; bounded, whatever a server sends and whatever a clock shows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.randomness import ByteSource, SecureBytes, uniform

# The most seconds for which a server can silence a device, before they are randomized up to twice that: surveys close.
LONGEST_WAIT = 60 * 60
# Reports that wait together are sent at random times within this many seconds.
LONGEST_DELAY = 60 * 60

_SECONDS = re.compile("[0-9]+", re.ASCII)
_DATE = re.compile("[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT", re.ASCII)


@dataclass(frozen=True)
class Retry:
    """How often a call tries a server that does not ask for time, and how long it pauses in between.

    `attempts` are the requests of one call of `survey` or `submit`: with 1, which is the default, nothing sleeps. Each
    pause is about twice the one before, from `first_pause` up to `longest_pause` seconds, and randomized up to twice
    that. Every try sends the same bytes.
    """

    attempts: int = 1
    first_pause: float = 1.0
    longest_pause: float = 64.0

    def __post_init__(self) -> None:
        """Refuse settings that would never try, or never pause."""
        if type(self.attempts) is not int or self.attempts < 1:
            raise InvalidValue("attempts must be a whole number of at least 1")
        if not 0.001 <= self.first_pause <= self.longest_pause <= LONGEST_WAIT:
            raise InvalidValue(
                f"pauses must be between 0.001 and {LONGEST_WAIT} seconds, and longest_pause not below first_pause"
            )

    def pauses(self) -> Iterator[float]:
        """Yield pauses without end."""
        seconds = self.first_pause
        while True:
            yield randomized_wait(seconds)
            seconds = min(2 * seconds, self.longest_pause)

    def pauses_between_attempts(self) -> Iterator[float]:
        """Yield one pause fewer than there are attempts."""
        return islice(self.pauses(), self.attempts - 1)


def asked_for(headers: Mapping[str, str]) -> int:
    """Return the seconds that a server asks a client to wait; 0 without a valid Retry-After."""
    text = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(text):
        return min(int(text), LONGEST_WAIT) if len(text) < 10 else LONGEST_WAIT
    # A date is compared with the server's own, because the device's clock may be wrong by years.
    until, now = _moment(text), _moment(headers.get("date", "").strip())
    return 0 if until is None or now is None else min(max(0, until - now), LONGEST_WAIT)


def randomized_wait(seconds: float) -> float:
    """Return a random time between this many seconds and twice as many; 0 stays 0."""
    return seconds + uniform(SecureBytes(), math.ceil(1000 * seconds)) / 1000 if seconds else 0.0


def later(source: ByteSource) -> float:
    """Return a random delay in seconds for a report that would otherwise be sent together with another."""
    return (1 + uniform(source, 1000 * LONGEST_DELAY)) / 1000


def left(moment: float, now: float, *, longest: int = 2 * LONGEST_WAIT) -> float:
    """Return the seconds that are left until a moment."""
    seconds = moment - now
    # A wait longer than any that is ever set means that the clock was set back.
    return seconds if 0 < seconds <= longest else 0.0


def _moment(date: str) -> int | None:
    from email.utils import parsedate_to_datetime

    try:
        return int(parsedate_to_datetime(date).timestamp()) if _DATE.fullmatch(date) else None
    except ValueError:
        return None
