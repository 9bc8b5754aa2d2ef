"""The verdict: what the counts say about the epsilon that a question claims.

The risk of a wrong verdict is divided in advance. Every question gets an equal part. Half of that part is for the one
or two bounds that pool all runs, the other half is divided evenly over all events and ordered pairs of inputs
(Bonferroni). The upper bounds have a separate risk of the same size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

from hushpoll_server.audit.bounds import least_epsilon, most_epsilon
from hushpoll_server.audit.counts import EventCounts
from hushpoll_server.audit.events import Events
from hushpoll_server.audit.inputs import Contrast
from hushpoll_server.audit.run import Audit, Tally
from hushpoll_server.mechanisms import mechanism_of
from hushpoll_shared.questions import Question

Verdict = Literal["consistent", "violated"]
# A client that keeps its claim is called violated in at most one audit of 200.
LEVEL = 0.995
POOLED, EXACT = "speaks for the truth", "is the truth"


@dataclass(frozen=True)
class Finding:
    """What an audit says about one question.

    `upper` assumes a client without memory and needs every possible answer and few possible reports.
    `upper_if_symmetric` assumes that the client treats all compared answers alike. Neither is part of the verdict.
    """

    claimed: float
    lower: float
    upper: float | None
    runs: int
    event: str
    upper_if_symmetric: float | None
    inputs: int
    mechanism: str
    claim: str

    @property
    def verdict(self) -> Verdict:
        """Return the verdict: violated if even the lower bound is above the claim."""
        return "violated" if self.lower > self.claimed else "consistent"

    def to_json(self) -> dict[str, Any]:
        """Return all figures by name."""
        return {**vars(self), "verdict": self.verdict}


def findings_of(audit: Audit, tallies: Sequence[Tally], *, level: float = LEVEL) -> dict[str, Finding]:
    """Judge every question; all lower bounds hold together with this level, and so do all upper bounds."""
    questions = audit.manifest.questions
    risk = (1 - level) / len(questions)
    together = zip(questions, audit.contrasts, tallies, strict=True)
    return {question.id: find(question, contrast, tally, risk) for question, contrast, tally in together}


def find(question: Question, contrast: Contrast, tally: Tally, risk: float) -> Finding:
    """Judge one question."""
    mechanism = mechanism_of(question)
    counts = EventCounts(Events(mechanism, tuple(each.code for each in contrast.inputs)), contrast, tally)
    lower, event = lower_bound(counts, risk)
    claimed, claim = mechanism.claim
    return Finding(
        claimed=float(claimed),
        lower=lower,
        upper=_finite(counts.upper(risk)),
        runs=counts.runs,
        event=event,
        upper_if_symmetric=_finite(counts.pooled_together(most_epsilon, risk)),
        inputs=len(contrast.inputs),
        mechanism=mechanism.name,
        claim=claim,
    )


def lower_bound(counts: EventCounts, risk: float) -> tuple[float, str]:
    """Return the largest lower bound, and the event that it comes from."""
    pooled = {POOLED: counts.pooled} | ({EXACT: counts.pooled_exact} if counts.events.has_exact else {})
    bounds = [(bound(least_epsilon, risk / 2 / len(pooled)), event) for event, bound in pooled.items()]
    # Epsilon is never below 0.
    return max((0.0, "none"), counts.largest(risk / 2), *bounds)


def _finite(bound: float) -> float | None:
    return bound if isfinite(bound) else None
