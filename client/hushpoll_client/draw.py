"""The draws of every mechanism: the one place where an answer becomes something that may be sent.

The laws here: an answer is a code made by `answers`, and a code outside its design's domain is refused before a byte is
drawn, because it would have no odds; how many bytes a draw takes does not depend on that code, and no
branch runs on a coin; the order of the draws is that of docs/wire-format.md and never changes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import compress
from typing import Any

from hushpoll_shared.designs import (
    Ball,
    Channel,
    Design,
    Draw,
    Laplace,
    Padded,
    Projective,
    Repeated,
    Subset,
    Warner,
    Wave,
    wire,
)
from hushpoll_shared.designs.ball import pattern
from hushpoll_shared.designs.grid import between_points, bin_of
from hushpoll_shared.designs.projective import index_of, point, write_digits
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.randomness import ByteSource, bernoulli, choose, u64, uniform


def draw_warner(design: Warner, source: ByteSource, answer_bit: int) -> int:
    """Give the answer if a 64-bit draw is below the threshold, the opposite answer if not.

    It is `draw_subset` for two categories, where the other one is certain: the same bytes give the same draw.
    """
    _check_category(answer_bit, 2)
    # answer XOR 1 XOR [u < t]: arithmetic, because a branch on the coin is visible in the timing.
    return answer_bit ^ 1 ^ bernoulli(source, design.threshold)


def draw_members(design: Subset, source: ByteSource, code: int) -> list[int]:
    """Draw a set: `picks` of the other categories, the last of them replaced by the truth if the coin says so."""
    _check_category(code, design.size)
    keep = bernoulli(source, design.threshold)
    # Numbering the others from 0 skips the truth.
    members = [other + (other >= code) for other in choose(source, design.size - 1, design.picks)]
    members[-1] += keep * (code - members[-1])
    return members


def draw_subset(design: Subset, source: ByteSource, code: int) -> str:
    """Draw a set that contains the truth with probability threshold / 2^64."""
    return design.write(draw_members(design, source, code))


def draw_projective(design: Projective, source: ByteSource, code: int) -> str:
    """Draw a point that is at right angles to the truth with probability threshold / 2^64."""
    _check_category(code, design.size)
    field, dimension = design.field, design.dimension
    keep = bernoulli(source, design.threshold)
    near = point(uniform(source, design.inside), dimension - 1, field)
    far = write_digits(uniform(source, design.outside), dimension - 1, field)
    truth = point(code, dimension, field)
    pivot = truth.index(1)
    report = [f + keep * (n - f) for n, f in zip(near, far, strict=True)]
    # ⟨truth, report⟩ becomes 0 inside and 1 outside by the choice of one coordinate, where the truth is 1.
    others = truth[:pivot] + truth[pivot + 1 :]
    product = sum(x * y for x, y in zip(others, report, strict=True))
    report.insert(pivot, (1 - keep - product) % field)
    return wire.write_index(index_of(report, field), design.points - 1)


def draw_ball(design: Ball, source: ByteSource, ticks: tuple[int, ...]) -> str:
    """Draw some options, and ticks for them that agree with the truth in many places more often than not."""
    _check_ticks(ticks, design.options, design.options)
    asked = sorted(choose(source, design.options, design.asked))
    keep = bernoulli(source, design.threshold)
    near, far = uniform(source, design.inside), design.inside + uniform(source, design.outside)
    flips = pattern(design.asked, far + keep * (near - far))
    marks = ["-"] * design.options
    for place, option in enumerate(asked):
        marks[option] = "01"[ticks[option] ^ (flips >> place & 1)]
    return "".join(marks)


def draw_padded(design: Padded, source: ByteSource, ticks: tuple[int, ...]) -> str:
    """Draw one of the ticked options and the blanks that fill them up, and report it by subset selection."""
    _check_ticks(ticks, design.options, design.most)
    slot = uniform(source, design.most)
    ticked = list(compress(range(design.options), ticks))
    padded = ticked + [design.options + blank for blank in range(len(ticked), design.most)]
    return draw_subset(design.inner, source, padded[slot])


def draw_channel(design: Channel, source: ByteSource, place: Fraction | int) -> str:
    """Round to a point of the grid without bias, then draw an output from its row; an extra has a row of its own."""
    _check_place(place, design.extras)
    below, threshold = (design.inputs + place, 0) if isinstance(place, int) else between_points(place, design.steps)
    row = below + bernoulli(source, threshold)
    output = bisect_right(design.table[row], u64(source))
    return wire.write_index(output, len(design.values) - 1)


def draw_wave(design: Wave, source: ByteSource, place: Fraction | int) -> str:
    """Draw an output near the truth's bin, or near an extra, with probability threshold / 2^64."""
    _check_place(place, design.extras)
    truth = design.first_near(place) if isinstance(place, int) else bin_of(place, design.bins)
    keep = bernoulli(source, design.threshold)
    near = truth + uniform(source, design.inside)
    far = uniform(source, design.outside)
    far += (far >= truth) * design.inside
    return wire.write_index(far + keep * (near - far), design.outputs - 1)


def draw_laplace(design: Laplace, source: ByteSource, place: Fraction) -> str:
    """Round to a point of the grid without bias, then add the difference of two geometric numbers."""
    _check_place(place, 0)
    below, threshold = between_points(place, design.steps)
    row = below + bernoulli(source, threshold)
    noisy = row + _geometric(source, design.threshold) - _geometric(source, design.threshold)
    output = min(max(noisy, -design.reach), design.steps + design.reach) + design.reach
    return wire.write_index(output, design.outputs - 1)


def draw_repeated(design: Repeated, source: ByteSource, permanent: int) -> str:
    """Draw this wave's report from the permanent draw of the answer."""
    return draw_subset(design.second, source, permanent)


def _check_category(code: int, size: int) -> None:
    if type(code) is not int or not 0 <= code < size:
        raise InvalidValue("an answer is outside the domain of its mechanism")


def _check_ticks(ticks: tuple[int, ...], options: int, most: int) -> None:
    if len(ticks) != options or sum(ticks) > most:
        raise InvalidValue("an answer has other ticks than its mechanism takes")
    for tick in ticks:
        _check_category(tick, 2)


def _check_place(place: Fraction | int, extras: int) -> None:
    if isinstance(place, int):
        _check_category(place, extras)
    elif not 0 <= place <= 1:
        raise InvalidValue("an answer is outside the range of its mechanism")


def _geometric(source: ByteSource, threshold: int) -> int:
    """Count how often in a row a 64-bit draw is below the threshold."""
    count = 0
    while bernoulli(source, threshold):
        count += 1
    return count


DRAW_OF_DESIGN: Mapping[type[Design], Callable[[Any, ByteSource, Any], Draw]] = {
    Warner: draw_warner,
    Subset: draw_subset,
    Projective: draw_projective,
    Ball: draw_ball,
    Padded: draw_padded,
    Channel: draw_channel,
    Wave: draw_wave,
    Laplace: draw_laplace,
    Repeated: draw_repeated,
}
