"""How often one whole report, the draws of all questions together, can come by chance.

The law here: whatever people answered, honest reports raise an alarm with probability at most `ALARM` at one look. It
is a bound and no model: it holds for every distribution of the answers, however they are associated.

Let V be the whole report and v one of its values. Given the answers a, the draws of the questions are independent, so
P(V = v | a) = ∏ X_j with X_j = P(V_j = v_j | a_j) between low_j and high_j. Two bounds follow, each at half of `ALARM`:

1. P(V = v | a) ≤ P* = ∏ high_j. For c ≥ nP* + 1 the chance of c equal reports is convex in their mean, and the means of
   all v add up to n, so P(some v comes c times) ≤ P(Bin(n, P*) ≥ c)/P*; Chernoff bounds the tail.
2. Products are supermodular: for any order of the questions, ∏ X_j ≤ α + Σ β_j (X_j − low_j)/(high_j − low_j), where
   α = ∏ low and β_j is what the product gains when X_j is raised after those before it. So the share of v cannot be
   larger than the shares of its parts allow. N_v − nα − Σ β_j (N_j − n low_j)/(high_j − low_j) is a sum of n
   independent bounded terms with mean at most 0, and Hoeffding bounds it. v and the order are chosen by the data, so
   the bound is multiplied by the number of both.

With one yes/no question nothing can be told: equal reports are normal there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch

from hushpoll_shared.designs import (
    Ball,
    Channel,
    Design,
    Laplace,
    Padded,
    Repeated,
    SubsetSelection,
)
from hushpoll_shared.designs.two_weights import TwoWeights
from hushpoll_shared.randomness import SPAN

# For one look. Reports are looked through again when there are a fiftieth more of them: fewer than a thousand times up
# to ten million reports, so a survey raises a false alarm with probability below one in a million.
ALARM = 1e-9
# A few equal reports move no estimate, even where chance never gives them.
LEAST = 5
# Questions whose orders are tried; with more of them the first bound is sharp enough.
MOST_ORDERED = 20
# Where the two chances of a draw differ by less, floating point cannot tell them apart.
_NEXT_TO_NOTHING = 1e-9


@dataclass(frozen=True)
class Part:
    """One question of a whole report: how likely its draw can be, and how many reports have it.

    `low`, `draws` and `count` (the least chance, the number of possible draws and the reports with this one) are known
    where the counters tell them.
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
    def is_told(self) -> bool:
        """Tell whether the counters say how common the draw is, and the draw says something about the answer."""
        return self.count is not None and self.high - self.low > _NEXT_TO_NOTHING


def is_beyond_chance(times: int, reports: int, parts: Sequence[Part], *, ask: int | None = None) -> bool:
    """Tell whether one whole report came more often than honest devices give, whatever people answered."""
    if times < LEAST:
        return False
    bound = min(_log_by_design(times, reports, parts, ask), _log_by_parts(times, reports, parts, ask))
    return bound + math.log(2) <= math.log(ALARM)


def _log_by_design(times: int, reports: int, parts: Sequence[Part], ask: int | None) -> float:
    """Return ln(P(Bin(n, P*) ≥ c)/P*), bounded from above; 0 where it says nothing."""
    likeliest = sorted((part.log_high for part in parts), reverse=True)[:ask]
    # Which questions a device answers is drawn, each choice as likely as any other.
    log_chance = math.fsum(likeliest) - (math.log(math.comb(len(parts), ask)) if ask else 0.0)
    if times < reports * math.exp(log_chance) + 1:
        return 0.0
    # n·KL(c/n ‖ P*) = c ln(c/(nP*)) + (n − c) ln((n − c)/(n(1 − P*)))
    others = reports - times
    distance = times * (math.log(times / reports) - log_chance)
    if others:
        distance += others * (math.log(others / reports) - math.log1p(-math.exp(log_chance)))
    return -log_chance - distance


def _log_by_parts(times: int, reports: int, parts: Sequence[Part], ask: int | None) -> float:
    """Return the logarithm of Hoeffding's bound for the share of a report beside those of its parts."""
    if ask is not None or not all(part.is_told for part in parts) or not 2 <= len(parts) <= MOST_ORDERED:
        return 0.0
    # The most common parts first: this order gives the least bound.
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
    spread = max(0.0, 1 - sum(slopes)) - least
    if excess <= 0:
        return 0.0
    tried = sum(math.log(part.draws) for part in parts) + math.lgamma(len(parts) + 1)
    return tried - 2 * excess**2 / (reports * spread**2)


def _share(part: Part, reports: int) -> float:
    """Return the unbiased share of the people whose answer makes a draw likely."""
    return ((part.count or 0) / reports - part.low) / (part.high - part.low)


@singledispatch
def log_likeliest(design: Design) -> float:
    """Return ln of the largest probability that a design gives to any draw, under any answer."""
    raise NotImplementedError(type(design).__name__)


@log_likeliest.register
def _two_weights(design: TwoWeights) -> float:
    return max(_log(design.threshold, SPAN * design.inside), _log(SPAN - design.threshold, SPAN * design.outside))


@log_likeliest.register
def _subset(design: SubsetSelection) -> float:
    with_truth, without = math.comb(design.size - 1, design.picks - 1), math.comb(design.size - 1, design.picks)
    return max(_log(design.threshold, SPAN * with_truth), _log(SPAN - design.threshold, SPAN * without))


@log_likeliest.register
def _ball(design: Ball) -> float:
    # Which options are asked is drawn before the answer is looked at.
    return _two_weights(design) - math.log(math.comb(design.options, design.asked))


@log_likeliest.register
def _padded(design: Padded) -> float:
    # β·odds, with β the chance of a set that holds no option of the padded answer
    inner = design.inner
    beta = _log(SPAN - inner.threshold, SPAN * math.comb(inner.size - 1, inner.picks))
    return beta + _log(design.odds.numerator, design.odds.denominator)


@log_likeliest.register
def _repeated(design: Repeated) -> float:
    most = max(design.p, design.q)
    return _log(most.numerator, most.denominator)


@log_likeliest.register
def _channel(design: Channel) -> float:
    return _log(max(map(max, design.weights)), SPAN)


@log_likeliest.register
def _laplace(design: Laplace) -> float:
    # (1 − A)/(1 + A) at the truth; what lies beyond the reach is put on its last output
    alpha = design.threshold / SPAN
    return math.log(max((1 - alpha) / (1 + alpha), alpha**design.reach / (1 + alpha)))


def _log(numerator: int, denominator: int) -> float:
    return math.log(numerator) - math.log(denominator)
