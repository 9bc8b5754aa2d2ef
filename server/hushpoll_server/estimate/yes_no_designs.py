"""Classical designs of yes/no questions that were asked with cards, dice, spinners or a second question.

Each of them is a pair of probabilities: that a report says yes if the answer is yes, and if it is no. So all are
estimated by the same few lines as Hushpoll's own (support.py), and have the same intervals and warnings. The rule here:
probabilities are exact fractions, and epsilon is computed from them or does not exist.

References: S. L. Warner (1965); B. G. Greenberg, A.-L. A. Abul-Ela, W. R. Simmons, D. G. Horvitz (1969), The unrelated
question randomized response model, JASA 64; R. F. Boruch (1971), forced response; A. Y. C. Kuk (1990), Biometrika 77;
N. S. Mangat (1994), JRSS B 56; J.-W. Yu, G.-L. Tian, M.-L. Tang (2008), Metrika 67 (crosswise and triangular).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self, SupportsIndex

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.joint import NAMES_ONE
from hushpoll_server.estimate.options import DEFAULT, Options
from hushpoll_server.estimate.results import Result
from hushpoll_server.estimate.shares import estimate_shares
from hushpoll_server.estimate.support import LEAST_PROBABILITY, SupportDesign
from hushpoll_shared.epsilon import Epsilon

Probability = Fraction | float | str

NO_EPSILON = (
    "This design has no finite epsilon: one of the two reports rules one of the answers out, so whoever sends it is "
    "certain to have given the other."
)


@dataclass(frozen=True)
class YesNoDesign:
    """P(report yes | answer yes), P(report yes | answer no), and the epsilon, None if no finite one exists."""

    p: Fraction
    q: Fraction
    epsilon: Epsilon | None

    @classmethod
    def of(cls, p: Fraction, q: Fraction) -> Self:
        """Return the design with these probabilities and the epsilon that follows from them."""
        if p == q:
            raise EstimateError(
                "with these probabilities a report is yes equally often whatever the answer, so nothing can be "
                "estimated: check them"
            )
        # ε = max ln(P(report | answer)/P(report | other answer)) over both reports and both answers
        pairs = ((p, q), (1 - p, 1 - q))
        if any(min(pair) == 0 < max(pair) for pair in pairs):
            return cls(p, q, None)
        return cls(p, q, Epsilon.of_odds(max(max(pair) / min(pair) for pair in pairs)))

    @property
    def support(self) -> SupportDesign:
        """Return the two probabilities as floats, inside (0, 1)."""
        least = Fraction(LEAST_PROBABILITY)
        return SupportDesign(*(min(1 - least, max(least, value)) for value in (self.p, self.q)))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what a reader of figures must know about the design."""
        return (NO_EPSILON,) if self.epsilon is None else ()


def estimate_design(
    count: SupportsIndex, n: SupportsIndex, design: YesNoDesign, *, name: str = "yes", options: Options = DEFAULT
) -> Result:
    """Estimate the share of yes from the count of reports that say yes; `name` is that of its cell."""
    epsilon = None if design.epsilon is None else float(design.epsilon)
    result = estimate_shares([(name, count, n)], design.support, epsilon=epsilon, joint=NAMES_ONE, **vars(options))
    return replace(result, warnings=(*result.warnings, *design.warnings))


def forced(truth: Probability, yes_share: Probability) -> YesNoDesign:
    """Return forced response: the truth with one probability, otherwise a forced answer that is yes with the other."""
    r, t = probability(truth, "truth"), probability(yes_share, "yes share")
    return YesNoDesign.of(r + (1 - r) * t, (1 - r) * t)


def unrelated(p: Probability, prevalence: Probability) -> YesNoDesign:
    """Return the unrelated question: the sensitive one with probability p, else one whose share of yes is known."""
    return forced(probability(p, "p"), probability(prevalence, "prevalence"))


def crosswise(p: Probability) -> YesNoDesign:
    """Return the crosswise model, whose reports say that both answers are the same.

    p is the known share of people with the harmless attribute.
    """
    same = probability(p, "p")
    return YesNoDesign.of(same, 1 - same)


def triangular(p: Probability) -> YesNoDesign:
    """Return the triangular model, whose reports say that at least one of both answers is yes.

    p is the known share of people with the harmless attribute.
    """
    return YesNoDesign.of(Fraction(1), probability(p, "p"))


def kuk(p1: Probability, p0: Probability) -> YesNoDesign:
    """Return the design with these two probabilities of a yes report: Kuk's two decks, or any other of one's own."""
    return YesNoDesign.of(probability(p1, "p1"), probability(p0, "p0"))


def mangat(p: Probability) -> YesNoDesign:
    """Return Mangat's design: people who hold the attribute say yes, all others use Warner's spinner."""
    return YesNoDesign.of(Fraction(1), 1 - probability(p, "p"))


def probability(value: Probability, name: str) -> Fraction:
    """Return an exact probability; refuse what is none."""
    try:
        exact = Fraction(value)
    except (ValueError, OverflowError, ZeroDivisionError, TypeError):
        raise EstimateError(f"the {name} is not a number: give a probability such as 0.75 or 3/4") from None
    if not 0 <= exact <= 1:
        raise EstimateError(f"the {name} is not between 0 and 1: give a probability such as 0.75 or 3/4")
    return exact


# The parameters of each design by name, in order.
CLASSICAL_DESIGNS: Mapping[str, tuple[tuple[str, ...], Callable[..., YesNoDesign]]] = {
    "forced": (("truth", "yes_share"), forced),
    "unrelated": (("p", "prevalence"), unrelated),
    "crosswise": (("p",), crosswise),
    "triangular": (("p",), triangular),
    "kuk": (("p1", "p0"), kuk),
    "mangat": (("p",), mangat),
}
