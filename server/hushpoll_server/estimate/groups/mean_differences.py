"""The difference of two means of different people, such as those of two public groups.

By variance recovery (MOVER) from the limits that each mean has already: with normal limits they are those of Welch, and
where limits reach further on one side, because few answered, so do those of the difference. The rule here: test and
interval agree. The p-value is that of a normal law whose quantile at the level is the distance of the interval's end.

References: B. L. Welch (1947), Biometrika 34; G. Y. Zou, A. Donner (2008), Statistics in Medicine 27.
"""

from __future__ import annotations

import math

from scipy import special

from hushpoll_server.estimate.combine import Combined
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.intervals import normal_quantile
from hushpoll_server.estimate.numbers.means import MeanResult


def difference_of_means(first: MeanResult, second: MeanResult) -> Combined:
    """Return how much larger the first mean is than the second; the two groups have no people in common."""
    if first.level != second.level or {first.coverage, second.coverage} != {"pointwise"}:
        raise EstimateError("the two means have limits of different kinds: estimate both pointwise at one level")
    (x, error, low, high), (y, other_error, other_low, other_high) = _figures(first), _figures(second)
    gap = x - y
    # L = D - √((x - l₁)² + (u₂ - y)²)        U = D + √((u₁ - x)² + (y - l₂)²)
    below, above = math.hypot(x - low, other_high - y), math.hypot(high - x, y - other_low)
    toward_0 = below if gap > 0 else above
    z = normal_quantile(first.level) * abs(gap) / toward_0 if toward_0 else math.inf
    # Where all reports of both agree their errors would be 0: the limits know better.
    se = math.hypot(error, other_error) or max(below, above) / normal_quantile(first.level)
    return Combined(
        estimate=gap,
        se=se,
        low=gap - below,
        high=gap + above,
        level=first.level,
        method="mover",
        p_value=2 * float(special.ndtr(-z)),
    )


def _figures(result: MeanResult) -> tuple[float, float, float, float]:
    mean = result.mean
    if mean.estimate is None or mean.se is None or mean.low is None or mean.high is None:
        raise EstimateError("a mean has no limits yet: collect more reports")
    return mean.estimate, mean.se, mean.low, mean.high
