"""How wide the square wave is, and on how many bins: the choices of a question that reports a distribution.

`half` follows the closed form of Li et al. (2020), b = (εE − E + 1)/(2E(E − 1 − ε)) on [0, 1], which maximises an upper
bound of the mutual information between truth and report; here 2·half + 1 bins are as near as can be to the width 2b.
"""

import math

# On so many bins the width of one costs less than the noise at any usual n and epsilon.
BINS = 32
# Below this epsilon the closed form loses all digits; it tends to one half.
_SMALLEST_EPSILON = 1e-4


def choose_half(bins: int, odds: float) -> int:
    """Return how many bins on each side of the truth's count as near."""
    # (2h + 1)/bins = 2b
    return max(0, round(wave_reach(math.log(odds)) * bins - 0.5))


def wave_reach(epsilon: float) -> float:
    """Return b, half of the width of the wave when the range is 1."""
    if epsilon < _SMALLEST_EPSILON:
        return 0.5
    less = math.expm1(epsilon)
    odds = less + 1
    return (epsilon * odds - less) / (2 * odds * (less - epsilon))
