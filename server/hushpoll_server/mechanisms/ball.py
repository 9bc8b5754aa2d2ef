"""The sampled Hamming ball on the server: a draw says of some options whether they are ticked.

Utility: t and τ are those with the least computed variance at the share that is expected.
Statement, proof and references: docs/mechanisms/ball.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import eq
from typing import ClassVar

import numpy as np

from hushpoll_server.estimate.intervals import Limits
from hushpoll_server.estimate.joint import held_by_both
from hushpoll_server.estimate.support import Figures, clamp
from hushpoll_server.mechanisms.bound import Bound
from hushpoll_server.mechanisms.mechanism import Code, Counters, Side
from hushpoll_server.mechanisms.method import DUCHI, Method, chances
from hushpoll_server.mechanisms.notation import Notation
from hushpoll_server.mechanisms.supporting import Supporting
from hushpoll_server.mechanisms.thresholds import largest_threshold, log_likelier
from hushpoll_server.mechanisms.ticks import HALF, TICKED, usual_measure
from hushpoll_server.mechanisms.variance import Measure, Rank, ShareVariance
from hushpoll_shared.mechanisms import Ball, Draw
from hushpoll_shared.mechanisms.ball import MOST_ASKED, ball_size
from hushpoll_shared.mechanisms.domains import Ticks
from hushpoll_shared.question_types import QuestionType


@dataclass(frozen=True)
class Patterns:
    """The sampled Hamming ball: bits of the asked options, flipped together.

    With bits coded ±1, a reported bit is the true one times a flip; `single` = E[flip] and `double` = E[flip·flip'].
    """

    together: float
    single: float
    double: float

    @property
    def exact(self) -> bool:
        """Return whether the shares determine the joint probability: only if no report asks both."""
        return self.together == 0

    @property
    def exclusive(self) -> bool:
        """Return whether the options exclude each other: they do not."""
        return False

    def both(self, first: Figures, second: Figures) -> Limits:
        """Return P(report supports both | both asked) for two shares, as bounds."""
        held = held_by_both(first, second)
        bounds = (self._both(clamp(first), clamp(second), each) for each in (held.low, held.high))
        low, high = sorted(bounds, key=np.sum)
        return Limits(low, high)

    def _both(self, first: Figures, second: Figures, held: Figures) -> Figures:
        # E[1_i 1_j] = E[(1 + y_i)(1 + y_j)]/4 with E[y_i] = c(2f_i - 1), E[y_i y_j] = c₂(1 - 2f_i - 2f_j + 4f_ij)
        product = 1 - 2 * first - 2 * second + 4 * held
        return (1 + self.single * (2 * first - 1) + self.single * (2 * second - 1) + self.double * product) / 4


class BallMechanism(Supporting[Ball]):
    """The sampled Hamming ball: m options, t asked, at least τ of them reported as they are."""

    DESIGN: ClassVar = Ball

    @classmethod
    def best(cls, question_type: QuestionType, bound: Bound) -> Ball | None:
        """Return the best design for questions with several true answers, None for others."""
        return cls.best_by(question_type, bound, usual_measure(question_type))

    @classmethod
    def best_by(cls, question_type: QuestionType, bound: Bound, measure: Measure) -> Ball | None:
        """Return the best design by a measure."""
        match question_type.domain:
            case Ticks(options):
                return cls.of(bound, options, measure)
        return None

    @classmethod
    def of(cls, bound: Bound, options: int, measure: Measure = HALF) -> Ball:
        """Return the best design by a measure; without one for options that half of the people tick."""
        odds = float(bound.odds)
        leans = [best_lean(asked, odds) for asked in range(1, min(options, MOST_ASKED) + 1)]
        _, asked, agree = min(leans, key=lambda best: measure(ball_variance(options, best[1], best[0])))
        inside = ball_size(asked, agree)
        return Ball(options, asked, agree, largest_threshold(bound, inside, (1 << asked) - inside))

    @property
    def notation(self) -> Notation:
        """Return that a draw is a row of marks."""
        return Notation.MARKS

    def counters(self, draw: Draw) -> tuple[str, ...]:
        """Return the counters of the options that were asked, and of those that are reported as ticked."""
        asked = (f"{option}?" for option, mark in enumerate(draw) if mark != "-")
        return (*asked, *(str(option) for option, mark in enumerate(draw) if mark == "1"))

    def supports(self, counts: Counters) -> list[int]:
        """Return the number of draws that report each option as ticked."""
        return [counts.get(str(option), 0) for option in range(self.design.options)]

    def asked(self, counts: Counters, place: int) -> int:
        """Return the number of draws that asked about an option."""
        return counts.get(f"{place}?", 0)

    def support_rows(self, draws: Sequence[Draw]) -> Figures:
        """Return 1 for options that are reported as ticked, 0 for those that are not, NaN for those not asked."""
        marks = {"1": 1.0, "0": 0.0, "-": np.nan}
        return np.array([[marks[mark] for mark in draw] for draw in draws]).reshape(len(draws), self.design.options)

    @property
    def method(self) -> Method:
        """Return the options that are asked and how often each is reported as it is."""
        design = self.design
        sizes = f"t = {design.asked} of m = {design.options} options, τ = {design.agree}"
        return Method(
            sentence=(
                "the device draws t of the m options at random and reports of each whether it is ticked; reports that "
                "agree with the truth in at least τ places are likelier than the others, so that an option is reported "
                "as ticked with probability p if it is ticked and with probability q = 1 − p if it is not (sampled "
                "Hamming ball, after Duchi et al. 2018)"
            ),
            parameters=f"{sizes}, {chances(design.p, design.q)}",
            references=(DUCHI,),
        )

    @property
    def joint(self) -> Patterns:
        """Return how the bits of two asked options are flipped together."""
        design, t, keep = self.design, self.design.asked, float(self.design.keep)
        if t == 1:
            return Patterns(0.0, float(design.p - design.q), 0.0)
        chances = np.array([math.comb(t, a) for a in range(t + 1)], float)
        near = np.arange(t + 1) >= design.agree
        chances *= np.where(near, keep / design.inside, (1 - keep) / design.outside)
        # With a agreements the flips add up to s = 2a - t, and s² = t + Σ over ordered pairs of flip·flip'.
        total = 2 * np.arange(t + 1) - t
        double = float(chances @ (total**2 - t)) / (t * (t - 1))
        together = t * (t - 1) / (design.options * (design.options - 1))
        return Patterns(together, float(design.p - design.q), double)

    def variance_at(self, share: float) -> float:
        """Return the variance of an option with this share, from the randomizing and the choice of options alone."""
        return self.variance_by_answer().at(share, 0.0)

    def variance(self) -> float:
        """Return the variance of an option that half of the people tick."""
        return self.variance_at(0.5)

    def compared_by(self, measure: Measure) -> Rank:
        """Return the measure of the variance of an option."""
        return measure(self.variance_by_answer())

    def lower_bound(self) -> float:
        """Return the lower bound for designs with these odds, averaged over independent options of share one half."""
        odds, options = float(self.design.odds), self.design.options
        # For one option alone Warner's design is the best, and all options share the information in a report.
        return max(odds / (odds - 1) ** 2, options / (4 * _most_information(odds, options)) - 0.25)

    def figure_variance(self) -> float:
        """Return the variance of the share of an option that half of the people tick."""
        return self.variance() + TICKED

    def variance_by_answer(self) -> ShareVariance:
        """Return the variance of a share, to which the choice of options adds a parabola."""
        return ball_variance(self.design.options, self.design.asked, float(self.design.p - self.design.q))

    def log_likeliest(self) -> float:
        """Return ln of the largest probability of a draw."""
        # The options to ask are drawn independently of the answer.
        asked = math.log(math.comb(self.design.options, self.design.asked))
        return log_likelier(self.design, self.design.inside, self.design.outside) - asked

    @property
    def outputs(self) -> int:
        """Return the number of ways to mark t of the options."""
        return math.comb(self.design.options, self.design.asked) << self.design.asked

    def side(self, code: Code, draw: Draw) -> Side:
        """Return FOR if the draw agrees with the ticks in at least τ places."""
        return Side.FOR if _agreement(code, draw) >= self.design.agree else Side.AGAINST

    @property
    def has_exact(self) -> bool:
        """Return True: draws that agree in all places are the answer as it is."""
        return True

    def is_exact(self, code: Code, draw: Draw) -> bool:
        """Return whether the draw agrees with the ticks in all asked places."""
        return _agreement(code, draw) == self.design.asked

    def chance_for(self, code: Code) -> float:  # noqa: ARG002 (the same for all answers)
        """Return the probability of a draw that agrees in at least τ places."""
        return float(self.design.keep)

    def chance_exact(self, code: Code) -> float:  # noqa: ARG002 (the same for all answers)
        """Return the probability of the one pattern that agrees in all asked places."""
        return float(self.design.keep / self.design.inside)

    @property
    def number_of_parts(self) -> int:
        """Return the number of events: each option asked, reported as ticked, reported as not ticked."""
        return 3 * self.design.options

    @property
    def supported(self) -> None:
        """Return None: options are ticked independently of each other."""

    def least_likely(self, draw: Draw) -> None:
        """Return None: a draw names no single answer."""

    def parts(self, draw: Draw) -> list[str]:
        """Return what the draw says about each option that it asks."""
        return super().parts(draw) + [f"denies {option}" for option, mark in enumerate(draw) if mark == "0"]

    def part_chances(self, code: Code) -> Mapping[str, float]:
        """Return, for each option, how often it is asked, reported as ticked, and reported as not ticked."""
        asked, p, q = self.design.asked / self.design.options, float(self.design.p), float(self.design.q)
        chances = {f"supports {option}?": asked for option in range(self.design.options)}
        for option, tick in enumerate(code):
            ticked = p if tick else q
            chances |= {f"supports {option}": asked * ticked, f"denies {option}": asked * (1 - ticked)}
        return chances


def contrast(asked: int, agree: int, odds: float) -> float:
    """Return c = E[2·agreement/t − 1], by how much a report leans toward the answer."""
    weights = [math.comb(asked, a) * (odds if a >= agree else 1) for a in range(asked + 1)]
    # Divided before they are summed: the odds of a large epsilon would overflow.
    return sum((2 * a / asked - 1) * (weight / sum(weights)) for a, weight in enumerate(weights))


def best_lean(asked: int, odds: float) -> tuple[float, int, int]:
    """Return the largest c with t asked options, t, and its τ: at every share it has the least variance."""
    return max((contrast(asked, agree, odds), asked, agree) for agree in range(asked // 2 + 1, asked + 1))


def ball_variance(options: int, asked: int, lean: float) -> ShareVariance:
    """Return the variance of one option, given the answers: (m/t)·(1/c² − 1)/4 + (m/t − 1)·f(1 − f)."""
    inverse_rate = options / asked
    return ShareVariance(inverse_rate * (1 / lean**2 - 1) / 4, curve=inverse_rate - 1)


def _agreement(code: Code, draw: Draw) -> int:
    """Return the number of asked options that are reported as they are."""
    return sum(map(eq, draw, _written(code)))


@lru_cache(maxsize=1 << 12)
def _written(code: tuple[int, ...]) -> str:
    """Return the ticks as a draw writes them."""
    return "".join(map(str, code))


def _most_information(odds: float, options: int) -> float:
    """Return a bound on Σ_j E[x_j | report]² over all reports that the odds allow, for independent fair bits x_j = ±1.

    A report that a set A of answers makes E times as likely as the others has Σ_j E[x_j | report]² =
    (E−1)²·W(A) / (1 + (E−1)μ)², μ = |A|/2^m, with W(A) = Σ_j (2^−m Σ_{x∈A} x_j)². It is at most μ(1−μ) by Parseval, at
    most 2μ²·ln(1/μ) by the level-1 inequality, and at most mμ². A set of more than half has the W of its complement
    and a smaller factor, so none is better.
    """
    # The best share is a few times 1/E; no set is smaller than 2^−m.
    shares = (2 ** (-step / 64) for step in range(64, 64 * min(options, 60) + 1))
    return max(((odds - 1) / (1 + (odds - 1) * share)) ** 2 * _level_one(share, options) for share in shares)


def _level_one(share: float, options: int) -> float:
    return min(share * (1 - share), 2 * share**2 * math.log(1 / share), options * share**2)


MECHANISM = BallMechanism
