"""The long form of the tests of audits: real programs at the default number of runs, and many honest audits."""

from __future__ import annotations

import pytest
from tests.samples.surveys import two_questions
from tests.server.audit.test_broken_clients import PROGRAM, audit
from tests.server.audit.test_honest_clients import audit as audit_seeded
from tests.server.audit.test_honest_clients import is_refused
from tests.vectors.surveys import surveys


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_ten_thousand_runs_find_the_truth_sent_three_percent_too_often_by_every_mechanism() -> None:
    findings = audit(surveys()["everything"][0], 10_000, PROGRAM, level=0.995)
    assert {(finding.verdict, finding.design) for finding in findings.values()} == {("violated", "different")}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("one_at_a_time", [False, True])
def test_of_a_thousand_honest_audits_at_a_level_of_nine_tenths_at_most_a_hundred_refuse(one_at_a_time: bool) -> None:
    audits = (audit_seeded(two_questions(), 50, seed, level=0.9, one_at_a_time=one_at_a_time) for seed in range(1000))
    assert sum(any(map(is_refused, findings.values())) for findings in audits) <= 100
