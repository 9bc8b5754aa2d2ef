"""Square waves and simulated surveys, for the tests of distributions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from tests.statistics.laws import chances_of_outputs
from tests.statistics.worst_cases import counters_of

from hushpoll_server.estimate.numbers.distribution import DistributionResult
from hushpoll_server.estimate.numbers.number_law import NumberLaw
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.support import Figures
from hushpoll_server.mechanisms import Bound, Mechanism, mechanism_for
from hushpoll_server.mechanisms.square_wave import SquareWaveMechanism, law_of
from hushpoll_server.plan.choose import choose_mechanism
from hushpoll_shared.mechanisms import SquareWave
from hushpoll_shared.question_types import Number


def wave(epsilon: str, *extras: str, low: str = "0", high: str = "1") -> Mechanism[SquareWave]:
    """Return the mechanism of a question that reports its distribution, on 64 bins."""
    return choose_mechanism(Number(low, high, "distribution", extras), Bound.of_epsilon(epsilon))  # type: ignore[return-value]


def small_wave(epsilon: str, bins: int, half: int, *extras: str) -> Mechanism[SquareWave]:
    """Return the same on fewer bins."""
    design = SquareWaveMechanism.of(Bound.of_epsilon(epsilon), bins, half, len(extras))
    return mechanism_for(Number("0", "1", "distribution", extras), design)


def law(mechanism: Mechanism[SquareWave]) -> NumberLaw:
    """Return the law that estimation uses."""
    return law_of(mechanism.design)


def enumerated(design: SquareWave) -> Figures:
    """Return the chances of the outputs for every answer, by the law that the mechanism's tests write down."""
    bins = [Fraction(place, design.bins) for place in range(design.bins)]
    return chances_of_outputs(design, [*bins, *range(design.extras)])


def surveys(mechanism: Mechanism[SquareWave], shares: Figures, n: int, times: int, seed: int = 1) -> Figures:
    """Return the counts of the outputs in simulated surveys, one in each row."""
    rates = shares @ enumerated(mechanism.design)
    return np.random.default_rng(seed).multinomial(n, rates / rates.sum(), size=times).astype(np.float64)


def estimate(
    mechanism: Mechanism[SquareWave], counts: Sequence[float] | Figures, **options: object
) -> DistributionResult:
    """Return the figures of a survey."""
    counted = counters_of(np.asarray(counts, np.int64))
    result = mechanism.estimand(counted).estimate(Options(**options))  # type: ignore[arg-type]
    assert isinstance(result, DistributionResult)
    return result
