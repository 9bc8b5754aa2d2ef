"""Simulated surveys with a known association, for tests of regression."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hushpoll_server.estimate.support import SupportDesign

Reports = NDArray[np.bool_]
Numbers = NDArray[np.float64]


def warner(epsilon: float) -> SupportDesign:
    """Return Warner's design."""
    p = 1 / (1 + math.exp(-epsilon))
    return SupportDesign(p, 1 - p)


def simulated(
    rng: np.random.Generator, n: int, design: SupportDesign, intercept: float = -0.5, slope: float = 1.0
) -> tuple[Reports, Numbers, Reports]:
    """Return the reports, a standard normal covariate, and the true answers."""
    x = rng.normal(size=n)
    answers = rng.random(n) < special.expit(intercept + slope * x)
    return rng.random(n) < np.where(answers, design.p, design.q), x, answers
