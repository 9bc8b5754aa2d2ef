"""How much a yes/no design makes of its epsilon: its variance beside that of the best design with the same epsilon.

Every yes/no design with this epsilon is Warner's with something done to its reports afterwards (Kairouz, Oh, Viswanath
2014), so none has a smaller variance at any share, and the efficiency is at most 1. With efficiency ½ a survey needs
twice the respondents for the same interval. The rule here: a design without a finite epsilon has no efficiency, as no
design with an epsilon can be set beside it.

References: P. Kairouz, S. Oh, P. Viswanath (2014), Extremal mechanisms for local differential privacy, NIPS; S. L.
Warner (1965), JASA 60.
"""

from fractions import Fraction

from hushpoll_server.estimate.classical.matrix_design import MatrixDesign
from hushpoll_server.estimate.yes_no_designs import YesNoDesign


def efficiency(design: YesNoDesign | MatrixDesign, share: float) -> float | None:
    """Return the variance of Warner's design with the same epsilon at this share, divided by that of the design.

    For a matrix of two answers the share is that of the first; for one of more answers there is no efficiency.
    """
    if design.epsilon is None:
        return None
    if isinstance(design, MatrixDesign):
        return _matrix_efficiency(design, share) if len(design.answers) == 2 else None
    exact = _possible(share)
    odds = max(max(pair) / min(pair) for pair in ((design.p, design.q), (1 - design.p, 1 - design.q)))
    return float(_best(odds, exact) / _variance(design.p, design.q, exact))


def _matrix_efficiency(design: MatrixDesign, share: float) -> float:
    odds = max(max(column) / min(column) for column in zip(*design.chances, strict=True))
    possible = _possible(share)
    rates = float(possible) * design.matrix[0] + float(1 - possible) * design.matrix[1]
    # Var = Σ λ v² - f² for the values v of the reports
    variance = float(rates @ design.values[:, 0] ** 2) - float(possible) ** 2
    return float(_best(odds, possible)) / variance


def _possible(share: float) -> Fraction:
    return Fraction(min(1.0, max(0.0, share)))


def _best(odds: Fraction, share: Fraction) -> Fraction:
    return _variance(odds / (1 + odds), 1 / (1 + odds), share)


def _variance(p: Fraction, q: Fraction, share: Fraction) -> Fraction:
    """Return the variance of one debiased report: λ(1 - λ)/(p - q)²."""
    rate = q + share * (p - q)
    return rate * (1 - rate) / (p - q) ** 2
