"""Honest clients are called violated or different no more often than the level allows, however much is looked for."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.samples.surveys import two_questions
from tests.vectors.surveys import surveys

from hushpoll_client.survey import Survey
from hushpoll_server.audit import comparisons, design, privacy
from hushpoll_server.audit.findings import Finding, findings_of
from hushpoll_server.audit.run import Audit
from hushpoll_shared.manifest import Manifest

SOME, PANEL = (surveys()[name][0] for name in ("some", "panel"))
# Each device answers two of three questions.
TWO_OF_THREE = replace(SOME, ask=2)


class Seeded:
    """Bytes that are the same in every run."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def take(self, count: int) -> bytes:
        return self._random.randbytes(count)


def audit(manifest: Manifest, runs: int, seed: int, *, level: float, one_at_a_time: bool = False) -> dict[str, Finding]:
    """Audit the real client in this process, with a plan and draws from one seed."""
    source, survey = Seeded(seed), Survey(manifest)
    audited = Audit(manifest, runs, one_at_a_time, source.take)
    reports = (survey.randomize(answers, source=source).encode() for answers in audited.answers())
    return findings_of(audited, audited.collect(reports), level=level)


def is_refused(finding: Finding) -> bool:
    return (finding.verdict, finding.design) != ("consistent", "stated")


@pytest.mark.parametrize(
    ("manifest", "runs", "one_at_a_time"),
    [(two_questions(), 50, False), (two_questions(), 50, True), (PANEL, 40, False), (TWO_OF_THREE, 10, False)],
    ids=["two", "two, one at a time", "panel", "two of three"],
)
def test_at_a_level_of_one_half_at_most_half_of_the_audits_refuse_an_honest_client(
    manifest: Manifest, runs: int, one_at_a_time: bool
) -> None:
    audits = [audit(manifest, runs, seed, level=0.5, one_at_a_time=one_at_a_time) for seed in range(12)]
    refused = sum(any(map(is_refused, findings.values())) for findings in audits)
    # Exact limits and shared-out risks are careful: about one in eight is seen.
    assert refused <= 6


@pytest.mark.parametrize("manifest", [SOME, TWO_OF_THREE], ids=["one of three", "two of three"])
def test_an_honest_client_of_a_survey_by_lot_is_consistent_and_as_stated(manifest: Manifest) -> None:
    assert not any(map(is_refused, audit(manifest, 100, 1, level=0.9).values()))


def test_the_risks_of_all_tests_add_up_to_no_more_than_the_level_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    spent = {"violated": 0.0, "different": 0.0}

    def one_bound(*counts: Any) -> Any:
        spent["violated"] += counts[-1]
        return np.float64(0)

    def many_bounds(favourable: Any, *others: Any) -> tuple[float, int]:
        spent["violated"] += len(favourable) * others[-1]
        return 0.0, 0

    def largest(tests: design.Tests, risk: float) -> design.Difference:
        spent["different"] += tests.number * risk
        return design.NO_DIFFERENCE

    monkeypatch.setattr(privacy, "least_epsilon", one_bound)
    for module in (privacy, comparisons):
        monkeypatch.setattr(module, "largest_epsilon", many_bounds)
    monkeypatch.setattr(design.Tests, "largest", largest)
    audit(TWO_OF_THREE, 60, 1, level=0.9)
    # Half of the risk is for each verdict; some of it is kept for events that did not occur.
    assert 0.03 < spent["violated"] <= 0.05 * (1 + 1e-9)
    assert spent["different"] == pytest.approx(0.05)
