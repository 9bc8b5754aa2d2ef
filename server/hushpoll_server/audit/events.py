"""What to look for in a report: events that are fixed by the manifest before the client draws anything.

Each input splits the possible reports into those that speak for it (they have the largest probability that the design
gives them under any answer), those that speak against it (the smallest), and the rest. A report that speaks for x and
against x′ is E times as likely under x, so all such reports together show the whole ratio, and often enough to measure
it. Where one report among those for x is x itself, a client that leaks the truth gives it more often than the others:
it is an event of its own. All others are plain: this output, this category in the report, an output at or below t.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import compress
from math import comb
from typing import Any

from hushpoll_server.audit.inputs import ROUNDING, Code
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
)
from hushpoll_shared.designs.grid import between_points, bin_of
from hushpoll_shared.designs.projective import point
from hushpoll_shared.randomness import SPAN

FOR, NEITHER, AGAINST = 1, 0, -1
# Every single output is an event, and an upper bound can be given, up to so many outputs.
MOST_OUTPUTS = 32
MOST_CELLS = 64
TAILS = 8
BLANK = "blank"

_OUTPUT = "is "


@dataclass(frozen=True)
class Events:
    """The events of one design and its inputs; `look` says which of them a draw belongs to."""

    design: Design
    codes: tuple[Code, ...]

    @cached_property
    def outputs(self) -> int:
        """Give the number of possible draws."""
        return _OUTPUTS[type(self.design)](self.design)

    @property
    def few_outputs(self) -> bool:
        """Tell whether every output is an event."""
        return self.outputs <= MOST_OUTPUTS

    @cached_property
    def cells(self) -> int:
        """Give the number of cells that draws can support, 0 if they are too many or the outputs themselves."""
        cells = _CELLS.get(type(self.design), lambda _: 0)(self.design)
        return cells if cells <= MOST_CELLS else 0

    @cached_property
    def tails(self) -> tuple[int, ...]:
        """Give the outputs of an ordered alphabet at which tails begin."""
        if not isinstance(self.design, Channel | Wave | Laplace):
            return ()
        if isinstance(self.design, Laplace):
            # Beyond the range there is little to see.
            return tuple(self.design.reach + self.design.steps * tail // TAILS for tail in range(TAILS + 1))
        return tuple(self.outputs * tail // TAILS for tail in range(1, TAILS))

    @property
    def number(self) -> int:
        """Give the number of plain events: outputs, cells, two tails each, and a blank report."""
        return (self.outputs if self.few_outputs else 0) + self.cells + 2 * len(self.tails) + 1

    def sides(self, draw: Draw) -> tuple[int, ...]:
        """Give, for each input, whether a draw speaks for it, against it, or neither."""
        if draw == self.design.blank:
            return (NEITHER,) * len(self.codes)
        side = _SIDE[type(self.design)]
        return tuple(side(self.design, code, draw) for code in self.codes)

    @property
    def has_exact(self) -> bool:
        """Tell whether some reports are an input as it is."""
        return isinstance(self.design, Ball) or type(self.design) in _EXACT_OUTPUT

    @cached_property
    def _exact_outputs(self) -> tuple[int, ...]:
        return tuple(_EXACT_OUTPUT[type(self.design)](self.design, code) for code in self.codes)

    def exact(self, draw: Draw) -> tuple[bool, ...]:
        """Give, for each input, whether a draw is the input as it is."""
        if draw == self.design.blank:
            return (False,) * len(self.codes)
        if isinstance(self.design, Ball):
            return tuple(_agreement(code, draw) == self.design.asked for code in self.codes)
        return tuple(int(str(draw), 16) == output for output in self._exact_outputs)

    def plain(self, draw: Draw) -> list[str]:
        """Name the plain events that a draw belongs to."""
        if draw == self.design.blank:
            return [BLANK]
        names = [f"{_OUTPUT}{draw}"] if self.few_outputs else []
        if self.cells:
            names += [f"supports {cell}" for cell in self.design.supported_cells(draw)]
        if self.cells and isinstance(self.design, Ball):
            names += [f"denies {option}" for option, mark in enumerate(str(draw)) if mark == "0"]
        if self.tails:
            output = int(str(draw), 16)
            names += [f"at most {tail}" if output <= tail else f"above {tail}" for tail in self.tails]
        return names

    def is_output(self, name: str) -> bool:
        """Tell whether a plain event is a single output."""
        return name.startswith(_OUTPUT)


def _warner_side(design: Warner, code: int, draw: int) -> int:
    # A spinner below one half speaks for the answer that it does not show.
    return FOR if (draw == code) == (2 * design.threshold > SPAN) else AGAINST


def _category_side(design: Design, code: int, draw: str) -> int:
    return FOR if str(code) in design.supported_cells(draw) else AGAINST


def _projective_side(design: Projective, code: int, draw: str) -> int:
    category, report = (point(index, design.dimension, design.field) for index in (code, int(draw, 16)))
    product = sum(x * y for x, y in zip(category, report, strict=True))
    return FOR if product % design.field == 0 else AGAINST


def _ball_side(design: Ball, code: tuple[int, ...], draw: str) -> int:
    return FOR if _agreement(code, draw) >= design.agree else AGAINST


def _agreement(code: Any, draw: Any) -> int:
    """Count the asked options that are reported as they are."""
    return sum(mark == str(bit) for mark, bit in zip(draw, code, strict=True))


def _padded_side(design: Padded, code: tuple[int, ...], draw: str) -> int:
    ticked = list(compress(range(design.options), code))
    padded = {*ticked, *range(design.options + len(ticked), design.options + design.most)}
    shared = len(padded & set(map(int, design.supported_cells(draw))))
    if shared == 0:
        return AGAINST
    return FOR if shared == min(design.picks, design.most) else NEITHER


def _wave_side(design: Wave, code: Fraction | int, draw: str) -> int:
    return FOR if 0 <= int(draw, 16) - _first_near(design, code) < design.inside else AGAINST


def _first_near(design: Wave, code: Fraction | int) -> int:
    return design.first_near(code) if isinstance(code, int) else bin_of(code, design.bins)


def _laplace_side(design: Laplace, code: Fraction, draw: str) -> int:
    # Outputs at or beyond one end of the range are α^Δ times as likely under the other.
    output = int(draw, 16) - design.reach
    if code not in (0, 1) or 0 < output < design.steps:
        return NEITHER
    return FOR if (output <= 0) == (code == 0) else AGAINST


def _channel_side(design: Channel, code: Fraction | int, draw: str) -> int:
    return _output_side(design, code, int(draw, 16))


def _output_side(design: Channel, code: Fraction | int, output: int) -> int:
    column = [row[output] for row in design.weights]
    # Exact: the largest over the smallest weight against the odds.
    if max(column) < design.odds * (1 - ROUNDING) * min(column):
        return NEITHER
    weight = _weight(design, code, output)
    if weight >= max(column) * (1 - ROUNDING):
        return FOR
    return AGAINST if weight <= min(column) * (1 + ROUNDING) else NEITHER


def _weight(design: Channel, code: Fraction | int, output: int) -> Fraction:
    """Give the weight of an output at a place, between two points of the grid too, or for an extra."""
    if isinstance(code, int):
        return Fraction(design.weights[design.inputs + code][output])
    below, threshold = between_points(code, design.steps)
    low, high = (design.weights[row][output] for row in (below, below + 1))
    return low + Fraction(threshold, SPAN) * (high - low)


def _exact_output_of_channel(design: Channel, code: Fraction | int) -> int:
    # A channel has no output that is the truth. Of those that speak for it, the most likely one stands for it.
    telling = [output for output in range(len(design.values)) if _output_side(design, code, output) == FOR]
    return max(telling, key=lambda output: _weight(design, code, output), default=-1)


_EXACT_OUTPUT: Mapping[type[Design], Callable[[Any, Any], int]] = {
    Channel: _exact_output_of_channel,
    Wave: lambda design, code: _first_near(design, code) + design.half,
    Laplace: lambda design, code: round(code * design.steps) + design.reach,
}
_SIDE: Mapping[type[Design], Callable[[Any, Any, Any], int]] = {
    Warner: _warner_side,
    Subset: _category_side,
    Projective: _projective_side,
    Ball: _ball_side,
    Padded: _padded_side,
    Channel: _channel_side,
    Wave: _wave_side,
    Laplace: _laplace_side,
    Repeated: _category_side,
}
_OUTPUTS: Mapping[type[Design], Callable[[Any], int]] = {
    Warner: lambda _: 2,
    Subset: lambda design: comb(design.size, design.picks),
    Projective: lambda design: design.points,
    Ball: lambda design: comb(design.options, design.asked) << design.asked,
    Padded: lambda design: comb(design.inner.size, design.picks),
    Channel: lambda design: len(design.values),
    Wave: lambda design: design.outputs,
    Laplace: lambda design: design.outputs,
    Repeated: lambda design: design.size,
}
# Designs whose draws support several cells, or cells that are not the outputs.
_CELLS: Mapping[type[Design], Callable[[Any], int]] = {
    Subset: lambda design: design.size,
    Ball: lambda design: 3 * design.options,
    Padded: lambda design: design.inner.size,
}
