"""Broken clients, each a real program with one fault: which verdict finds it.

The faults are in broken_client.py. Every one shows far beyond what its verdict needs, so that none is missed by chance
in more than one audit of a million. `python -m tests.server.audit.table` prints what becomes of all of them at the
default number of runs.
"""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.mechanisms.cases import choices
from tests.samples.surveys import two_questions
from tests.server.audit.broken_client import FAULTS
from tests.vectors.keys import KEY
from tests.vectors.surveys import epsilon

from hushpoll_server.audit.findings import Finding, findings_of
from hushpoll_server.audit.run import Audit
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_server.plan.choose import choose_design
from hushpoll_server.simulate.respondents import ClientFailed, randomize
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.question_types import Number, YesNo
from hushpoll_shared.questions import Question
from hushpoll_shared.signing import sign

PROGRAM = (sys.executable, str(Path(__file__).with_name("broken_client.py")))
VIOLATED, CONSISTENT = "violated", "consistent"
DIFFERENT, STATED = "different", "stated"
FINE = (CONSISTENT, STATED)


def survey(*questions: Question, ask: int | None = None) -> Manifest:
    return Manifest("broken", "Broken", "Please.", questions, ask=ask)


TWO = two_questions()
TWELVE = survey(Question("way", "Which way?", choices(12), SubsetMechanism.of(epsilon("1"), 12)))
DECLINABLE = survey(
    Question("asked", "Were you?", YesNo(("decline",)), SubsetMechanism.of(epsilon("1"), 3)), TWO.questions[1]
)
HOURS = Number("0", "40")
NUMBER = survey(Question("hours", "How long?", HOURS, choose_design(HOURS, epsilon("1"))))
ONE_OF_TWO = survey(*TWO.questions, ask=1)


@dataclass(frozen=True)
class Case:
    """A fault, the survey that it is tried on, and the verdicts on its questions; none where the audit stops."""

    fault: str
    verdicts: tuple[tuple[str, str], ...] = ()
    manifest: Manifest = field(default=TWO, repr=False)
    runs: int = 2000

    def __str__(self) -> str:
        return self.fault


CASES = (
    Case("order_of_keys"),
    Case("blank"),
    Case("escape"),
    Case("last_bit_of_the_id", ((VIOLATED, DIFFERENT), FINE)),
    Case("id_of_one_option", ((VIOLATED, DIFFERENT), (CONSISTENT, DIFFERENT))),
    Case("counting_ids", ((CONSISTENT, DIFFERENT), (CONSISTENT, DIFFERENT))),
    Case("version_in_the_id", ((CONSISTENT, DIFFERENT), (CONSISTENT, DIFFERENT))),
    Case("shared_coin", ((VIOLATED, DIFFERENT), (VIOLATED, DIFFERENT))),
    Case("second_draw", ((VIOLATED, DIFFERENT), (CONSISTENT, DIFFERENT))),
    Case("leaning_draw", ((VIOLATED, DIFFERENT), (CONSISTENT, DIFFERENT)), runs=4000),
    Case("previous_draw", ((CONSISTENT, DIFFERENT), FINE), runs=4000),
    Case("previous_answer", ((CONSISTENT, DIFFERENT), FINE)),
    Case("previous_coin", ((VIOLATED, DIFFERENT), FINE), runs=4000),
    Case("too_noisy", ((CONSISTENT, DIFFERENT), FINE), runs=4000),
    Case("constant", ((CONSISTENT, DIFFERENT), FINE), runs=500),
    Case("second_chance", ((VIOLATED, DIFFERENT), FINE), runs=1000),
    Case("one_option_in_the_clear", ((VIOLATED, DIFFERENT),), TWELVE, runs=1000),
    Case("decline_in_the_clear", ((VIOLATED, DIFFERENT), FINE), DECLINABLE, runs=1000),
    Case("biased_at_one_end", ((CONSISTENT, DIFFERENT),), NUMBER, runs=4000),
    Case("same_question", ((CONSISTENT, DIFFERENT), (CONSISTENT, DIFFERENT)), ONE_OF_TWO, runs=500),
)


def audit(manifest: Manifest, runs: int, program: tuple[str, ...], level: float = 0.999999) -> dict[str, Finding]:
    """Audit a program."""
    audited = Audit(manifest, runs)
    with closing(randomize(sign(manifest, KEY), audited.answers(), program)) as reports:
        return findings_of(audited, audited.collect(reports), level=level)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_broken_client_is_found(case: Case) -> None:
    program = (*PROGRAM, case.fault)
    if not case.verdicts:
        with pytest.raises(ClientFailed, match="is not in the one spelling of a report"):
            audit(case.manifest, 10, program)
        return
    findings = audit(case.manifest, case.runs, program)
    assert tuple((finding.verdict, finding.design) for finding in findings.values()) == case.verdicts


def test_every_fault_is_tried() -> None:
    assert {case.fault for case in CASES} == FAULTS.keys()
    assert len(CASES) >= 14
