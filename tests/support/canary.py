"""A design for tests of leaks: the draw is the opposite answer, so a true answer anywhere is a leak."""

from __future__ import annotations

from hushpoll_shared.designs import Warner
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.questions import Question, YesNo
from hushpoll_shared.randomness import SPAN

# The draw is the answer itself 2 times in 10^9.
OPPOSITE = Warner(SPAN - Warner.from_epsilon("20").threshold)


def canary_survey() -> Manifest:
    """Make a survey with two questions whose reports hold the opposite of each answer."""
    questions = tuple(Question(name, f"Is it {name}?", YesNo(), OPPOSITE) for name in ("first", "second"))
    return Manifest("canary", "Canary", "Taking part is voluntary.", questions)
