"""Closed forms to compare the channel with: worst-case variances of known unbiased mechanisms for a value in [−1, 1].

References: Duchi, Jordan, Wainwright 2018; Wang et al. 2019 (Piecewise and Hybrid).
"""

import math

# Below this epsilon Hybrid is Duchi's mechanism alone.
_HYBRID_FROM = 0.60935


def duchi_reach(odds: float) -> float:
    """Return B = (E+1)/(E−1): Duchi's two outputs are −B and B."""
    return (odds + 1) / (odds - 1)


def duchi_variance(epsilon: float, value: float = 0.0) -> float:
    """Return B² − x², worst in the middle."""
    # B = (E+1)/(E−1) = 1/tanh(ε/2)
    return 1 / math.tanh(epsilon / 2) ** 2 - value * value


def piecewise_variance(epsilon: float, value: float = 1.0) -> float:
    """Return x²/(s−1) + (s+3)/(3(s−1)²) with s = e^(ε/2), worst at the ends."""
    less = math.expm1(epsilon / 2)
    return value * value / less + (less + 4) / (3 * less * less)


def hybrid_variance(epsilon: float) -> float:
    """Return the worst variance of Piecewise with probability 1 − e^(−ε/2), else Duchi."""
    share = -math.expm1(-epsilon / 2) if epsilon > _HYBRID_FROM else 0.0
    # The x² terms of both parts cancel at this share, up to rounding: the worst value is at an end or in the middle.
    return max(
        share * piecewise_variance(epsilon, value) + (1 - share) * duchi_variance(epsilon, value)
        for value in (0.0, 1.0)
    )
