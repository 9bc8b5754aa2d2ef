"""Designs: the exact probabilities of every mechanism.

A design is what a manifest fixes and everybody can check: integer thresholds over 2^64, the odds that follow from
them as a ratio of integers, and the epsilon that follows from the odds. The law here: the meaning of a design that
was ever published does not change; a different meaning gets a different name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hushpoll_shared.designs.ball import Ball
from hushpoll_shared.designs.bound import Bound
from hushpoll_shared.designs.channel import Channel
from hushpoll_shared.designs.design import Design, Draw
from hushpoll_shared.designs.laplace import Laplace
from hushpoll_shared.designs.padded import Padded
from hushpoll_shared.designs.projective import Projective
from hushpoll_shared.designs.repeated import Repeated
from hushpoll_shared.designs.subset import Subset, SubsetSelection
from hushpoll_shared.designs.warner import Warner
from hushpoll_shared.designs.wave import Wave
from hushpoll_shared.errors import InvalidValue

DESIGNS: Mapping[str, type[Design]] = {
    design.NAME: design for design in (Warner, Subset, Projective, Ball, Padded, Channel, Wave, Laplace, Repeated)
}

__all__ = [
    "DESIGNS",
    "Ball",
    "Bound",
    "Channel",
    "Design",
    "Draw",
    "Laplace",
    "Padded",
    "Projective",
    "Repeated",
    "Subset",
    "SubsetSelection",
    "Warner",
    "Wave",
    "read_design",
]


def read_design(fields: Any) -> Design:
    """Read the design that a manifest gives for a question, trusting none of its claims."""
    name = fields.get("name") if isinstance(fields, dict) else None
    if not isinstance(name, str) or name not in DESIGNS:
        raise InvalidValue("a question has a mechanism that this version does not know: update Hushpoll")
    return DESIGNS[name].read(fields)
