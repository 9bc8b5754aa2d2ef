"""Surveys and reports for tests."""

from __future__ import annotations

import secrets
from typing import Any

from tests.samples.designs import warner

from hushpoll_shared.manifest import Manifest
from hushpoll_shared.question_types import YesNo
from hushpoll_shared.questions import Question
from hushpoll_shared.report import Report
from hushpoll_shared.signing import SigningKey

KEY = SigningKey.generate()


def two_questions(**changes: Any) -> Manifest:
    """Make a survey with two yes/no questions."""
    questions = (
        Question("cheated", "Have you ever cheated in an exam here?", YesNo(), warner(odds="3:1")),
        Question("helped", "Have you ever helped somebody else to cheat?", YesNo(), warner(epsilon="1")),
    )
    fields = {"survey": "campus", "title": "Campus integrity", "consent": "Taking part is voluntary."}
    return Manifest(**{**fields, "questions": questions, **changes})


def make_report(manifest: Manifest, *draws: int, report_id: str | None = None) -> Report:
    """Make a report to yes/no questions with given draws, or with random ones."""
    ids = [question.id for question in manifest.questions]
    chosen = map(str, draws or [secrets.randbelow(2) for _ in ids])
    return Report(manifest.survey, manifest.id, report_id or secrets.token_hex(16), dict(zip(ids, chosen, strict=True)))
