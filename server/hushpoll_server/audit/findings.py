"""The verdicts of an audit: what the counts say about the epsilon that a question claims, and about its design.

The risk of a wrong verdict is divided in advance. Half is for the first verdict, *violated*, evenly over the questions
(privacy.py divides it further); half is for the second, *different* (design.py). Each test has a fixed part of it, and
all parts add up to the whole, so an honest client is called violated or different with at most that probability,
however many questions and tests there are (Bonferroni). The upper bounds are no verdict; their risk is their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

from hushpoll_server.audit.bounds import most_epsilon
from hushpoll_server.audit.design import Difference, differences
from hushpoll_server.audit.elsewhere import echoes_of, events_elsewhere
from hushpoll_server.audit.privacy import Output
from hushpoll_server.audit.reports import Reports
from hushpoll_server.audit.run import Audit, Record

Verdict = Literal["consistent", "violated"]
DesignVerdict = Literal["stated", "different"]
# An honest client is called violated or different in at most one audit of 200.
LEVEL = 0.995


@dataclass(frozen=True)
class Finding:
    """What an audit says about one question.

    `difference` is the count that is farthest from the stated design; None if chance explains it. The upper bounds are
    for the question's own draws, and are left out if the design is different: then the rest of the output may show
    more. `upper` assumes a client without memory and needs every possible answer and few possible draws,
    `upper_if_symmetric` assumes that the client treats all compared answers alike. Neither is part of a verdict.
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
    difference: str | None

    @property
    def verdict(self) -> Verdict:
        """Return the first verdict: violated if even the lower bound is above the claim."""
        return "violated" if self.lower > self.claimed else "consistent"

    @property
    def design(self) -> DesignVerdict:
        """Return the second verdict: different if the reports do not follow the stated design."""
        return "stated" if self.difference is None else "different"

    def to_json(self) -> dict[str, Any]:
        """Return all figures by name."""
        return {**vars(self), "verdict": self.verdict, "design": self.design}


def findings_of(audit: Audit, record: Record, *, level: float = LEVEL) -> dict[str, Finding]:
    """Judge every question; all lower bounds and all tests of the design hold together with this level."""
    reports, risk = Reports.of(audit, record), 1 - level
    different, share = differences(reports, risk / 2), risk / 2 / len(reports.draws)
    findings = {}
    for draws, contrast in zip(reports.draws, audit.contrasts, strict=True):
        output = Output(draws.runs, contrast, echoes_of(reports, draws), events_elsewhere(reports, draws))
        findings[draws.name] = find(output, different[draws.name], share)
    return findings


def find(output: Output, difference: Difference, risk: float) -> Finding:
    """Judge one question, given the risk of a wrong lower bound."""
    mechanism = output.runs.events.mechanism
    (lower, event), (claimed, claim) = output.lower(risk), mechanism.claim
    upper, symmetric = output.upper(risk), output.pooled_together(most_epsilon, risk)
    return Finding(
        claimed=float(claimed),
        lower=lower,
        upper=None if difference.is_real else _finite(upper),
        runs=output.draws,
        event=event,
        upper_if_symmetric=None if difference.is_real else _finite(symmetric),
        inputs=output.contrast.size,
        mechanism=mechanism.name,
        claim=claim,
        difference=difference.what if difference.is_real else None,
    )


def _finite(bound: float) -> float | None:
    return bound if isfinite(bound) else None
