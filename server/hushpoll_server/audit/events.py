"""What to look for in a draw: events that are fixed by the manifest before the client draws anything.

Each input splits the possible draws into those that speak for it (they have the largest probability that the design
gives them under any answer), those that speak against it (the smallest), and the rest. A draw that speaks for x and
against x′ is E times as likely under x, so all such draws together show the whole ratio, and are frequent enough to
measure it. Where one of the draws for x is x itself, a client that leaks answers sends it more often than the others:
it is an event of its own. All others are plain: a part of the draw, this very draw, a blank.

A *mark* is an event whose probability the stated design fixes for every input.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hushpoll_server.estimate.support import Figures
from hushpoll_server.mechanisms import Mechanism
from hushpoll_server.mechanisms.mechanism import FEW_OUTPUTS, Side, whole
from hushpoll_shared.mechanisms import Design, Draw
from hushpoll_shared.mechanisms.domains import Code

MOST_PARTS = 64
BLANK = "is blank"
SPEAKS, EXACT = "speaks for the truth", "is the truth"


@dataclass(frozen=True, eq=False)
class Events:
    """The events of one mechanism and its inputs; `asked` is the part of the devices that answer the question."""

    mechanism: Mechanism[Design]
    codes: tuple[Code, ...]
    asked: float = 1.0

    @property
    def few_outputs(self) -> bool:
        """Return whether every output is an event; then an upper bound can be computed."""
        return self.mechanism.outputs <= FEW_OUTPUTS

    @property
    def has_exact(self) -> bool:
        """Return whether some draws are an input as it is."""
        return self.mechanism.has_exact

    # --- draws -------------------------------------------------------------------------------------------------------

    def is_blank(self, draw: Draw) -> bool:
        """Return whether a report leaves the question out."""
        return draw == self.mechanism.design.blank

    def side(self, place: int, draw: Draw) -> Side:
        """Return whether a draw speaks for an input, against it, or neither."""
        return Side.NEITHER if self.is_blank(draw) else self.mechanism.side(self.codes[place], draw)

    def is_exact(self, place: int, draw: Draw) -> bool:
        """Return whether a draw is an input as it is."""
        return not self.is_blank(draw) and self.mechanism.is_exact(self.codes[place], draw)

    # --- plain events ------------------------------------------------------------------------------------------------

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """Return the names of the parts that draws can have; none if there are too many."""
        return tuple(self.mechanism.part_chances(self.codes[0])) if self._has_parts else ()

    @property
    def _has_parts(self) -> bool:
        return self.mechanism.number_of_parts <= MOST_PARTS

    @property
    def number(self) -> int:
        """Return the most plain events that there can be: outputs, parts, and a blank."""
        return (self.mechanism.outputs if self.few_outputs else 0) + len(self.parts) + 1

    def plain(self, draw: Draw) -> list[str]:
        """Return the names of the plain events that a draw belongs to."""
        if self.is_blank(draw):
            return [BLANK]
        names = [whole(draw)] if self.few_outputs else []
        # A part that is the whole draw has the same name.
        return list(dict.fromkeys([*names, *(self.mechanism.parts(draw) if self.parts else ())]))

    # --- marks -------------------------------------------------------------------------------------------------------

    @cached_property
    def plain_marks(self) -> tuple[str, ...]:
        """Return the names of the marks that the draw alone decides: its parts, and a blank where one is possible."""
        return (*self.parts, BLANK) if self.asked < 1 else self.parts

    @cached_property
    def marks(self) -> tuple[str, ...]:
        """Return the names of all marks; the last ones depend on the input of the line as well."""
        return (*self.plain_marks, SPEAKS, *((EXACT,) if self.has_exact else ()))

    @cached_property
    def chances(self) -> Figures:
        """Return the probability of every mark under every input, blanks included: a row for each input."""
        return np.array([self._chances(code) for code in self.codes])

    def _chances(self, code: Code) -> list[float]:
        parts = self.mechanism.part_chances(code) if self.parts else {}
        own = {SPEAKS: self.mechanism.chance_for(code), EXACT: self.mechanism.chance_exact(code)}
        chances = {name: self.asked * chance for name, chance in {**parts, **own}.items()} | {BLANK: 1 - self.asked}
        return [chances[name] for name in self.marks]
