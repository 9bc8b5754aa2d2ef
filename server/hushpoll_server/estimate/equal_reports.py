"""How often one whole report, the draws to all questions together, can be repeated by chance.

The rule here: whatever people answered, honest reports raise an alarm with probability at most
`FALSE_ALARM_PROBABILITY` at one look. It is a bound, not a model: it holds for every distribution of the answers,
however they are associated.

Let V be the whole report and v one of its values. Given the answers a, the draws of the questions are independent, so
P(V = v | a) = ∏ X_j with X_j = P(V_j = v_j | a_j) between low_j and high_j. Two bounds follow, each at half of
that probability:

1. P(V = v | a) ≤ P* = ∏ high_j. For c ≥ nP* + 1 the chance of c equal reports is convex in their mean, and the means of
   all v add up to n, so P(some v occurs c times) ≤ P(Bin(n, P*) ≥ c)/P*; Chernoff bounds the tail.
2. Products are supermodular: for any order of the questions, ∏ X_j ≤ α + Σ β_j (X_j − low_j)/(high_j − low_j), where
   α = ∏ low and β_j is the gain of the product when X_j is raised after those before it. So the share of v cannot be
   larger than the shares of its parts allow. N_v − nα − Σ β_j (N_j − n low_j)/(high_j − low_j) is a sum of n
   independent bounded terms with mean at most 0, and Hoeffding bounds it. v and the order are chosen by the data, so
   the bound is multiplied by the number of choices of both.

With one yes/no question nothing can be concluded: equal reports are normal there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

# For one look. Reports are checked again whenever their number has grown by a fiftieth: fewer than a thousand times up
# to ten million reports, so a survey raises a false alarm with probability below one in a million.
FALSE_ALARM_PROBABILITY = 1e-9
# Fewer equal reports change no estimate, even where chance never produces them.
FEWEST_EQUAL_REPORTS = 5
# The second bound is used for at most this many questions; with more, the first is sharp enough.
MOST_QUESTIONS = 20
# Floating point cannot distinguish the two chances of a draw if they differ by less.
_LEAST_DIFFERENCE = 1e-9


@dataclass(frozen=True)
class DrawChance:
    """One question of a whole report: how likely its draw can be, and how many reports have it.

    `low`, `draws` and `count` (the least chance, the number of possible draws and the reports with this one) are known
    where the counters give them.
    """

    log_high: float
    low: float = 0.0
    draws: int = 0
    count: int | None = None

    @property
    def high(self) -> float:
        """Return the largest chance of the draw under any answer."""
        return math.exp(self.log_high)

    @property
    def is_informative(self) -> bool:
        """Return whether the counters show how common the draw is, and the draw depends on the answer."""
        return self.count is not None and self.high - self.low > _LEAST_DIFFERENCE


def is_beyond_chance(times: int, reports: int, parts: Sequence[DrawChance], *, ask: int | None = None) -> bool:
    """Return whether one whole report is repeated more often than honest devices can, whatever people answered."""
    if times < FEWEST_EQUAL_REPORTS:
        return False
    bound = min(_log_by_design(times, reports, parts, ask), _log_by_parts(times, reports, parts, ask))
    return bound + math.log(2) <= math.log(FALSE_ALARM_PROBABILITY)


def _log_by_design(times: int, reports: int, parts: Sequence[DrawChance], ask: int | None) -> float:
    """Return ln(P(Bin(n, P*) ≥ c)/P*), bounded from above; 0 where the bound is vacuous."""
    likeliest = sorted((part.log_high for part in parts), reverse=True)[:ask]
    # The questions that a device answers are drawn, each choice equally likely.
    log_chance = math.fsum(likeliest) - (math.log(math.comb(len(parts), ask)) if ask else 0.0)
    if times < reports * math.exp(log_chance) + 1:
        return 0.0
    # n·KL(c/n ‖ P*) = c ln(c/(nP*)) + (n − c) ln((n − c)/(n(1 − P*)))
    others = reports - times
    distance = times * (math.log(times / reports) - log_chance)
    if others:
        distance += others * (math.log(others / reports) - math.log1p(-math.exp(log_chance)))
    return -log_chance - distance


def _log_by_parts(times: int, reports: int, parts: Sequence[DrawChance], ask: int | None) -> float:
    """Return the logarithm of Hoeffding's bound on the share of a report, given those of its parts."""
    if ask is not None or not all(part.is_informative for part in parts) or not 2 <= len(parts) <= MOST_QUESTIONS:
        return 0.0
    # The most common parts first: this order gives the smallest bound.
    ordered = sorted(parts, key=lambda part: -_share(part, reports))
    alpha, excess, slopes = math.prod(part.low for part in ordered), float(times), list[float]()
    product = alpha
    for part in ordered:
        gained = product / part.low * part.high
        slopes.append((gained - product) / (part.high - part.low))
        excess -= (gained - product) * _share(part, reports) * reports
        product = gained
    excess -= reports * alpha
    # A report that is v adds 1 − Σ slopes; one that shares all parts but one adds −Σ slopes + that one's slope.
    least = min(1 - sum(slopes), -(sum(slopes) - min(slopes)))
    width = max(0.0, 1 - sum(slopes)) - least
    if excess <= 0:
        return 0.0
    tried = sum(math.log(part.draws) for part in parts) + math.lgamma(len(parts) + 1)
    return tried - 2 * excess**2 / (reports * width**2)


def _share(part: DrawChance, reports: int) -> float:
    """Return the unbiased share of the people whose answer makes a draw likely."""
    return ((part.count or 0) / reports - part.low) / (part.high - part.low)
