"""The draws of every mechanism: the one place where an answer becomes something that may be sent.

The laws here: an answer is a code made by `answers`; how many bytes a draw takes and which branches it runs do not
depend on that code; the order of the draws is that of docs/wire-format.md and never changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hushpoll_shared.designs import Design, Warner
from hushpoll_shared.randomness import ByteSource, bernoulli

Draw = Callable[[Design, ByteSource, int], int]


def draw_warner(design: Warner, source: ByteSource, answer_bit: int) -> int:
    """Give the answer if a 64-bit draw is below the threshold, the opposite answer if not.

    Privacy: the odds of one draw under the two answers are threshold : 2^64 − threshold.
    """
    # answer XOR 1 XOR [u < t]: arithmetic, because a branch on the coin is visible in the timing.
    return answer_bit ^ 1 ^ bernoulli(source, design.threshold)


DRAW_OF_DESIGN: Mapping[type[Design], Draw] = {Warner: draw_warner}
