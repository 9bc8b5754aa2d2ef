"""The least variance of any private mechanism for one of k categories, and the subset selection that attains it.

Reference: Ye, Barg (2018), Optimal schemes for discrete distribution estimation under locally differential privacy.
"""

from __future__ import annotations


def variance_of_picks(size: int, picks: int, odds: float) -> float:
    """Return (k−1)²(dE + k − d)² / (k d (k−d) (E−1)²), the total variance of subset selection with d picks."""
    k, d = size, picks
    return ((k - 1) * (d * odds + k - d) / (odds - 1)) ** 2 / (k * d * (k - d))


def best_picks(size: int, odds: float) -> int:
    """Return the number of picks with the least total variance: one of the two neighbours of k/(E + 1)."""
    # (dE + k − d)²/(d (k − d)) falls until d = k/(E + 1) and rises after it.
    below = min(size - 1, max(1, int(size / (odds + 1))))
    return min((below, min(below + 1, size - 1)), key=lambda picks: variance_of_picks(size, picks, odds))


def ye_barg_bound(size: int, odds: float) -> float:
    """Return the least total variance of any design on k categories with these odds (Ye, Barg 2018)."""
    return variance_of_picks(size, best_picks(size, odds), odds)
