"""What to look for in a report: events that are fixed by the manifest before the client draws anything.

Each input splits the possible reports into those that speak for it (they have the largest probability that the design
gives them under any answer), those that speak against it (the smallest), and the rest. A report that speaks for x and
against x′ is E times as likely under x, so all such reports together show the whole ratio, and are frequent enough to
measure it. Where one of the reports for x is x itself, a client that leaks answers sends it more often than the others:
it is an event of its own. All others are plain: this output, this category in the report, an output at or below t.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from hushpoll_server.mechanisms import Mechanism
from hushpoll_server.mechanisms.mechanism import Side
from hushpoll_shared.mechanisms import Design, Draw
from hushpoll_shared.mechanisms.domains import Code

# Up to this many outputs, every single one is an event, and an upper bound can be computed.
MOST_OUTPUTS = 32
MOST_PARTS = 64
BLANK = "blank"

_OUTPUT = "is "


@dataclass(frozen=True, eq=False)
class Events:
    """The events of one mechanism and its inputs."""

    mechanism: Mechanism[Design]
    codes: tuple[Code, ...]

    @cached_property
    def outputs(self) -> int:
        """Return the number of possible draws."""
        return self.mechanism.outputs

    @property
    def few_outputs(self) -> bool:
        """Return whether every output is an event."""
        return self.outputs <= MOST_OUTPUTS

    @cached_property
    def parts(self) -> int:
        """Return the number of parts that draws can have; 0 if there are too many, or the outputs are the events."""
        parts = self.mechanism.number_of_parts
        return parts if parts <= MOST_PARTS else 0

    @cached_property
    def tails(self) -> tuple[int, ...]:
        """Return the outputs at which tails begin; none where the outputs have no order."""
        return self.mechanism.tails

    @property
    def number(self) -> int:
        """Return the number of plain events: outputs, parts, two tails each, and a blank report."""
        return (self.outputs if self.few_outputs else 0) + self.parts + 2 * len(self.tails) + 1

    def _is_blank(self, draw: Draw) -> bool:
        return draw == self.mechanism.design.blank

    def sides(self, draw: Draw) -> tuple[Side, ...]:
        """Return, for each input, whether a draw speaks for it, against it, or neither."""
        if self._is_blank(draw):
            return (Side.NEITHER,) * len(self.codes)
        return tuple(self.mechanism.side(code, draw) for code in self.codes)

    @property
    def has_exact(self) -> bool:
        """Return whether some reports are an input as it is."""
        return self.mechanism.has_exact

    def exact(self, draw: Draw) -> tuple[bool, ...]:
        """Return, for each input, whether a draw is the input as it is."""
        return tuple(not self._is_blank(draw) and self.mechanism.is_exact(code, draw) for code in self.codes)

    def plain(self, draw: Draw) -> list[str]:
        """Return the names of the plain events that a draw belongs to."""
        if self._is_blank(draw):
            return [BLANK]
        names = [f"{_OUTPUT}{draw}"] if self.few_outputs else []
        if self.parts:
            names += self.mechanism.parts(draw)
        if self.tails:
            output = int(draw, 16)
            names += [f"at most {tail}" if output <= tail else f"above {tail}" for tail in self.tails]
        return names

    def is_output(self, name: str) -> bool:
        """Return whether a plain event is a single output."""
        return name.startswith(_OUTPUT)
