"""What the mechanisms for multiple ticks have in common: which of their designs is best depends on the shares.

The rule here: a design is chosen by what it is judged by, at the share that a researcher expects or at the worst one.
"""

from __future__ import annotations

from hushpoll_server.mechanisms.variance import AtShare
from hushpoll_shared.mechanisms.domains import Ticks
from hushpoll_shared.question_types import QuestionType

# The variance of "ticked or not" among people, if half of them ticked the option.
TICKED = 1 / 4
HALF = AtShare(0.5)


def has_ticks(question_type: QuestionType) -> bool:
    """Return whether several answers to a question can be true, so that the best design depends on their shares."""
    return isinstance(question_type.domain, Ticks)


def usual_measure(question_type: QuestionType) -> AtShare:
    """Return what designs are compared by if no share is stated."""
    return at_likely_share(len(question_type.cells), question_type.most_ticks)


def at_likely_share(options: int, most: int | None) -> AtShare:
    """Return the measure at a half, or at less if only few options may be ticked.

    With L ticks of m options the shares add up to L at most. V + S is concave in the share and rises up to a half, so
    its sum over the options is largest if all of them have L/m.
    """
    return HALF if most is None else AtShare(min(0.5, most / options))
