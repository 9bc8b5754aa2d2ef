"""Variances to plan with, as functions of the true answers: without privacy, and the least that privacy allows."""

from __future__ import annotations

from hushpoll_server.mechanisms.variance import MeanVariance, ShareVariance, Variance
from hushpoll_shared.mechanisms.domains import Numbers
from hushpoll_shared.question_types import QuestionType


def is_mean(question_type: QuestionType) -> bool:
    """Return whether the figure of a question is a mean; a distribution is also judged by its mean."""
    return isinstance(question_type.domain, Numbers)


def without_privacy(question_type: QuestionType) -> Variance:
    """Return the variance of answers that are not randomized."""
    if is_mean(question_type):
        return MeanVariance((1.0, 1.0), question_type.half_range)
    return ShareVariance(0.0)


def best_possible(question_type: QuestionType, odds: float) -> Variance:
    """Return a lower bound for all designs: Warner's variance for the two answers that are furthest apart."""
    # E/(E − 1)² for answers 0 and 1, four times as much for −1 and 1
    warner = odds / (odds - 1) ** 2
    if is_mean(question_type):
        return MeanVariance.even(4 * warner, question_type.half_range)
    return ShareVariance(warner)
