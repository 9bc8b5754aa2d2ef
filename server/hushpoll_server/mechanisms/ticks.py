"""What the mechanisms for multiple ticks have in common."""

from __future__ import annotations

from hushpoll_shared.question_types import QuestionType

# The variance of "ticked or not" among people, if half of them ticked the option.
TICKED = 1 / 4


def likely_share(question_type: QuestionType) -> float:
    """Return the share at which mechanisms are compared: a half, or less if only few options may be ticked."""
    return min(0.5, (question_type.most_ticks or len(question_type.cells)) / len(question_type.cells))
