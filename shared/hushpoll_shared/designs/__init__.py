"""Designs: the exact probabilities of every mechanism.

A design is what a manifest fixes and everybody can check: integer thresholds over 2^64, the odds that follow from
them as a ratio of integers, and the epsilon that follows from the odds. The law here: the meaning of a design that
was ever published does not change; a different meaning gets a different name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hushpoll_shared.designs.warner import Warner
from hushpoll_shared.errors import InvalidValue

Design = Warner

DESIGN_OF_TYPE: Mapping[str, type[Design]] = {"yes_no": Warner}

__all__ = ["DESIGN_OF_TYPE", "Design", "Warner", "read_design"]


def read_design(question_type: str, fields: Any) -> Design:
    """Read the design that a manifest gives for a question of this type, trusting none of its claims."""
    try:
        design = DESIGN_OF_TYPE[question_type]
    except (KeyError, TypeError):
        raise InvalidValue("a question is of a type that this version does not know: update Hushpoll") from None
    return design.read(fields)
