"""The shared half of every mechanism: its design with the exact probabilities, and the only list of mechanisms.

A design is what a manifest fixes and everybody can check: integer thresholds over 2^64, the odds that follow from
them as a ratio of integers, and the epsilon that follows from the odds. The rule here: the meaning of a published
design never changes; a different meaning gets a different name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms.ball import Ball
from hushpoll_shared.mechanisms.channel import Channel
from hushpoll_shared.mechanisms.design import Design, Draw
from hushpoll_shared.mechanisms.laplace import Laplace
from hushpoll_shared.mechanisms.privset import PrivSet
from hushpoll_shared.mechanisms.projective import Projective
from hushpoll_shared.mechanisms.repeated import Repeated
from hushpoll_shared.mechanisms.square_wave import SquareWave
from hushpoll_shared.mechanisms.subset import Subset

DESIGNS: Mapping[str, type[Design]] = {
    design.NAME: design for design in (Subset, Projective, Ball, PrivSet, Channel, SquareWave, Laplace, Repeated)
}

__all__ = [
    "DESIGNS",
    "Ball",
    "Channel",
    "Design",
    "Draw",
    "Laplace",
    "PrivSet",
    "Projective",
    "Repeated",
    "SquareWave",
    "Subset",
    "read_design",
]


def read_design(fields: Any) -> Design:
    """Read the design of a question from a manifest, trusting none of its claims."""
    name = fields.get("name") if isinstance(fields, dict) else None
    if not isinstance(name, str) or name not in DESIGNS:
        raise InvalidValue("a question has a mechanism that this version does not know: update Hushpoll")
    return DESIGNS[name].read(fields)
