"""The interval that a planned survey will show, beside the margin by which its size is planned.

Sizes are planned by the normal approximation. `hushpoll estimate` shows Wilson's or the exact interval, which are wider
where reports are few. The rule here: the width comes from the estimators themselves, from the counts of surveys as the
plan expects them; which method is used and what it gives is not written down again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from hushpoll_server.estimate.estimands import SharesEstimand
from hushpoll_server.estimate.options import Options
from hushpoll_server.mechanisms import Mechanism, mechanism_for
from hushpoll_server.mechanisms.variance import ShareVariance
from hushpoll_server.plan.sizes import Sample
from hushpoll_shared.mechanisms import Design
from hushpoll_shared.question_types import QuestionType

# A margin that is off by no more than this part is as planned.
WORTH_A_WORD = 0.02
# Their mean width is within 1 % of that of all surveys.
_SURVEYS = 200
# With more answers than these no other method is chosen, and the width of the first is the same.
_MOST_ANSWERS = 20
# The same call gives the same figure.
_SEED = 13


def expected_margin(mechanism: Mechanism[Design], sample: Sample, n: int) -> float | None:
    """Return half the mean width of the interval that n respondents will give at the planned share; None for a mean."""
    return _expected_margin(mechanism.type, mechanism.design, sample, n)


def compare_margins(margin: float, expected: float | None) -> str:
    """Return whether the interval will be wider or narrower than planned, if it is worth a word."""
    if expected is None or abs(expected - margin) <= WORTH_A_WORD * margin:
        return ""
    return "wider" if expected > margin else "narrower"


# A survey asks many questions that are alike.
@lru_cache(maxsize=256)
def _expected_margin(question_type: QuestionType, design: Design, sample: Sample, n: int) -> float | None:
    mechanism = mechanism_for(question_type, design)
    variance = mechanism.variance_by_answer()
    if not isinstance(variance, ShareVariance):
        return None
    estimand = mechanism.estimand({})
    assert isinstance(estimand, SharesEstimand), "shares are estimated as shares"
    share = variance.worst_share(sample.unsampled(n)) if sample.share is None else sample.share
    # Of the designs only the choice of options bends V(f): by f(1 − f)·(1/rate − 1).
    planned = _Planned(mechanism, estimand, share, 1 / (1 + variance.curve))
    options, random = Options(level=sample.level, population=sample.population), np.random.default_rng(_SEED)
    widths = [planned.width(n, options, random) for _ in range(_SURVEYS)]
    asked = [width for width in widths if width is not None]
    return float(np.mean(asked)) / 2 if asked else None


@dataclass(frozen=True)
class _Planned:
    """A question whose first answer has the planned share; `rate` is the part of the devices that are asked of it."""

    mechanism: Mechanism[Design]
    estimand: SharesEstimand
    share: float
    rate: float

    def width(self, n: int, options: Options, random: np.random.Generator) -> float | None:
        """Return the width of the first interval in a survey of n respondents; None if nobody was asked about it."""
        names = self.estimand.shown[:_MOST_ANSWERS]
        rates = np.array([self.estimand.support.rate(share) for share in self._shares(len(names))])
        asked = random.binomial(n, self.rate, len(names)) if self.rate < 1 else np.full(len(names), n)
        counts = random.binomial(asked, rates)
        cells = list(zip(names, counts.tolist(), asked.tolist(), strict=True))
        first = replace(self.estimand, cells=cells, shown=names, reports=n).estimate(options).cells[0]
        return None if first.low is None or first.high is None else first.high - first.low

    def _shares(self, answers: int) -> list[float]:
        """Return the planned share, and what it leaves for each of the others where one answer is true."""
        cells = len(self.mechanism.type.cells)
        other = (1 - self.share) / (cells - 1) if self.mechanism.type.is_exclusive else self.share
        return [self.share, *[other] * (answers - 1)]
