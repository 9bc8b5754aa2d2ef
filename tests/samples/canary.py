"""A survey for tests of leaks, and random bytes with which every draw is the opposite answer.

A true answer anywhere is then a leak.
"""

from __future__ import annotations

import os

from tests.samples.designs import warner

from hushpoll_shared.manifest import Manifest
from hushpoll_shared.question_types import YesNo
from hushpoll_shared.questions import Question
from hushpoll_shared.report import ID_BYTES

DESIGN = warner(odds="3:1")
# No 64-bit draw of these bytes is below a threshold, so no coin keeps the truth.
LOSING_BYTE = 0xFF


# The same in a browser; ids stay random.
LOSING_SCRIPT = f"""(() => {{
  const {{ getRandomValues }} = Crypto.prototype;
  Crypto.prototype.getRandomValues = function (bytes) {{
    return bytes.length === {ID_BYTES} ? getRandomValues.call(this, bytes) : bytes.fill({LOSING_BYTE});
  }};
}})()"""


class LosingStream:
    """A source whose coins never keep the truth; ids are random."""

    def take(self, count: int) -> bytes:
        return os.urandom(count) if count == ID_BYTES else bytes([LOSING_BYTE]) * count


def canary_survey() -> Manifest:
    """Make a survey with two questions; with losing bytes its reports hold the opposite of each answer."""
    questions = tuple(Question(name, f"Is it {name}?", YesNo(), DESIGN) for name in ("first", "second"))
    return Manifest("canary", "Canary", "Taking part is voluntary.", questions)
