"""The device's half of every mechanism: the only place where an answer becomes something that may be sent.

Each module has a function `draw` for the design of its name. The rules here: an answer is a code made by `answers`, and
a code outside its design's domain is refused before a byte is drawn, because it would have no odds; how many bytes a
draw takes does not depend on the code, and no branch depends on a coin; the order of the draws is that of
docs/wire-format.md and never changes. The server cannot import this room.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms import DESIGNS, Design, Draw
from hushpoll_shared.randomness import ByteSource


class DrawFunction(Protocol):
    """What each module of this room offers, for the design of its name."""

    def __call__(self, design: Any, source: ByteSource, code: Any, /) -> Draw:
        """Draw the report to a code of the design's domain."""


# The list of mechanisms is that of the shared core; if a half is missing here, the import fails.
DRAWS: Mapping[type[Design], DrawFunction] = {
    design: import_module(f"{__name__}.{name}").draw for name, design in DESIGNS.items()
}


def draw(design: Design, source: ByteSource, code: Any) -> Draw:
    """Draw the report to a code; refuse a code outside the design's domain, which would have no odds."""
    if not design.domain.holds(code):
        raise InvalidValue("an answer is outside the domain of its mechanism")
    return DRAWS[type(design)](design, source, code)
