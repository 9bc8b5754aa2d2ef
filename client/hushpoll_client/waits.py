"""How long a device leaves a server alone.

The laws here: never less than the server asked for; spread by chance, with secure random bytes, so that devices that
were sent away together do not come back together; bounded, whatever a server writes and whatever a clock shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hushpoll_shared.randomness import ByteSource, SecureBytes, uniform

# A server cannot silence a device for longer than an hour, or two by chance: surveys close.
LONGEST_WAIT = 60 * 60
# A server that says nothing is tried after a second, then after twice as long each time, up to this.
LONGEST_PAUSE = 64
# Reports that wait together are spread over this many seconds.
SPREAD = 60 * 60

_SECONDS = re.compile("[0-9]+", re.ASCII)
_DATE = re.compile("[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT", re.ASCII)


def asked_for(headers: Mapping[str, str]) -> int:
    """Give the seconds for which an answer asks to be left alone; none if it does not say so in a form of HTTP."""
    text = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(text):
        return min(int(text), LONGEST_WAIT) if len(text) < 10 else LONGEST_WAIT
    # A date counts from the server's own: the clock of the device may be wrong by years.
    until, now = _moment(text), _moment(headers.get("date", "").strip())
    return 0 if until is None or now is None else min(max(0, until - now), LONGEST_WAIT)


def spread(seconds: int) -> float:
    """Give a time by chance, from so many seconds to twice as many; nothing stays nothing."""
    return seconds + uniform(SecureBytes(), 1000 * seconds) / 1000 if seconds else 0.0


def later(source: ByteSource) -> float:
    """Give the seconds after which a report is sent that would else go out with another."""
    return (1 + uniform(source, 1000 * SPREAD)) / 1000


def left(moment: float, now: float, *, longest: int = 2 * LONGEST_WAIT) -> float:
    """Give the seconds that are left until a moment."""
    seconds = moment - now
    # Longer than any that was ever set: the clock was turned back.
    return seconds if 0 < seconds <= longest else 0.0


def pauses() -> Iterator[float]:
    """Give the pauses between tries of a server that does not say when: each about twice the one before."""
    seconds = 1
    while True:
        yield spread(seconds)
        seconds = min(2 * seconds, LONGEST_PAUSE)


def _moment(date: str) -> int | None:
    from email.utils import parsedate_to_datetime

    try:
        return int(parsedate_to_datetime(date).timestamp()) if _DATE.fullmatch(date) else None
    except ValueError:
        return None
