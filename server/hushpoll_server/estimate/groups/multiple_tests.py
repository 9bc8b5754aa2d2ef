"""Many tests at once: p-values adjusted for the whole family of tests.

Holm keeps the chance of even one false alarm below the level, however the tests are related. Benjamini-Hochberg keeps
the expected share of false alarms among all alarms below it, and needs tests that are independent or positively
dependent.
"""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.support import Figures

Adjustment = Literal["holm", "benjamini-hochberg"]
ADJUSTMENTS: tuple[Adjustment, ...] = get_args(Adjustment)


def adjusted(p_values: ArrayLike, method: str = "holm") -> Figures:
    """Return p-values to compare with the level of the whole family, in the given order."""
    values = np.asarray(p_values, float)
    if not ((values >= 0) & (values <= 1)).all():
        raise EstimateError("a p-value is not between 0 and 1: give the p-values of the single tests")
    if method not in ADJUSTMENTS:
        raise EstimateError(f"there is no adjustment {method!r}: choose one of {', '.join(ADJUSTMENTS)}")
    order = np.argsort(values, kind="stable")
    rank = np.arange(1, values.size + 1)
    if method == "holm":
        # the running maximum of (m - i + 1) p_(i)
        sorted_values = np.maximum.accumulate((values.size - rank + 1) * values[order])
    else:
        # the running minimum, from the largest down, of m p_(i) / i
        sorted_values = np.minimum.accumulate((values.size * values[order] / rank)[::-1])[::-1]
    result = np.empty_like(values)
    result[order] = np.minimum(1.0, sorted_values)
    return result
