"""A published survey with every type of question, public groups and cross tables, and reports to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tests.samples.designs import warner
from tests.samples.surveys import KEY
from tests.vectors.groups import AGE, FACULTY
from tests.vectors.streams import FixedTestStream
from tests.vectors.surveys import surveys

from hushpoll_client.survey import Survey
from hushpoll_server.collect.batch import Stored
from hushpoll_server.services import Services
from hushpoll_server.settings import load_settings
from hushpoll_shared.groups import Groups
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.question_types import YesNo
from hushpoll_shared.questions import Question

CROSSED = (("cheated", "way"), ("cheated", "turned"))
SMALLEST = 20
# How many reports of ten have each combination of labels; of the middle-aged there are too few.
GROUPS: Mapping[tuple[str, ...], int] = {("arts", "young"): 4, ("engineering", "old"): 4, ("arts",): 1, (): 1}


def everything(**changes: Any) -> Manifest:
    """Make the survey; one of its questions tells the truth less than half of the time."""
    manifest, _ = surveys()["everything"]
    turned = Question("turned", "Is it the other way round?", YesNo(), warner(p="1/4"))
    groups, questions = Groups((FACULTY, replace(AGE, id="years")), SMALLEST), (*manifest.questions, turned)
    return replace(manifest, **{"questions": questions, "groups": groups, "population": None, **changes})


def bodies_of(manifest: Manifest, number: int) -> list[bytes]:
    """Randomize two ways to answer, in turn, with the labels in turn."""
    _, answers = surveys()["everything"]
    drawn, source = Survey(manifest), FixedTestStream("exported")
    labels = [labels for labels, times in GROUPS.items() for _ in range(times)]
    people = (({**answers[place % 3 % 2], "turned": place % 4 == 0}, labels[place % 10]) for place in range(number))
    return [
        drawn.randomize(answer, source=source, groups=groups if manifest.groups else ()).encode()
        for answer, groups in people
    ]


def publish(number: int = 200, **changes: Any) -> Manifest:
    """Publish the survey in the instance of the environment, with reports."""
    manifest, services = everything(**changes), Services(load_settings())
    services.surveys.publish(manifest, KEY, CROSSED)
    verdicts = services.collect.take(manifest.survey, bodies_of(manifest, number)) if number else []
    services.close()
    assert set(verdicts) <= {Stored.ACCEPTED}
    return manifest
