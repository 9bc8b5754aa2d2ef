"""Surveys with public groups and reports, for the pages that filter, compare, cross and regress."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import unescape
from typing import Any

from tests.samples.surveys import KEY, two_questions
from tests.vectors.groups import AGE, FACULTY
from tests.vectors.streams import FixedTestStream
from tests.vectors.surveys import surveys

from hushpoll_client.survey import Survey
from hushpoll_server.estimate.options import FEWEST_REPORTS
from hushpoll_server.services import Services
from hushpoll_shared.groups import Groups
from hushpoll_shared.manifest import Manifest

# How many reports each combination of labels has; Arts has 120, middle 4, and nobody is young and an engineer.
CAMPUS = (
    (100, ("arts", "young")),
    (60, ("engineering", "old")),
    (16, ("arts", "old")),
    (4, ("arts", "middle")),
    (1, ()),
)
SMALLEST = 30


def publish_campus(
    services: Services,
    groups: Sequence[tuple[int, tuple[str, ...]]] = CAMPUS,
    *,
    minimum_reports: int = FEWEST_REPORTS,
) -> Manifest:
    """Publish a survey with two questions and two dimensions, and store these reports."""
    manifest = two_questions(groups=Groups((FACULTY, AGE), SMALLEST), population=10_000)
    services.surveys.publish(manifest, KEY, minimum_reports=minimum_reports)
    for number, labels in groups:
        answers = ({"cheated": place % 3 == 0, "helped": place % 4 > 0} for place in range(number))
        take(services, manifest, answers, labels)
    return manifest


def publish_everything(services: Services, number: int) -> Manifest:
    """Publish a survey with a question of every type and a dimension, and store so many reports of each group."""
    manifest, answers = surveys()["everything"]
    manifest = replace(manifest, population=None, groups=Groups((FACULTY,), 1))
    services.surveys.publish(manifest, KEY)
    for label in FACULTY.ids if number else ():
        take(services, manifest, (answers[place % 2] for place in range(number)), (label,))
    return manifest


def take(services: Services, manifest: Manifest, answers: Iterable[dict[str, Any]], labels: tuple[str, ...]) -> None:
    """Let seeded devices answer, and store their reports."""
    seed = ",".join(labels)
    bodies = [
        Survey(manifest).randomize(each, groups=labels, source=FixedTestStream(f"{seed}-{place}")).encode()
        for place, each in enumerate(answers)
    ]
    services.collect.take(manifest.survey, bodies)


def text_of(page: str) -> str:
    """Return a page as people read its signs."""
    return unescape(page).replace("\N{NO-BREAK SPACE}", " ").replace("\N{MINUS SIGN}", "-")
