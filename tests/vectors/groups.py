"""Vectors of public groups: payloads that are accepted and refused, reports with codes, and bodies with wrong ones.

Each refused payload breaks exactly one rule.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.mechanisms.cases import Vector
from tests.samples.designs import warner
from tests.vectors.keys import KEY
from tests.vectors.streams import FixedTestStream

from hushpoll_client.survey import Survey
from hushpoll_shared import strict_json
from hushpoll_shared.groups import MOST_LABELS, Dimension, Groups, Label
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.presentation import TranslatedQuestion, Translation
from hushpoll_shared.question_types import YesNo
from hushpoll_shared.questions import Question
from hushpoll_shared.signing import sign

Change = Callable[[Any], object]

FACULTY = Dimension("faculty", "Faculty", (Label("arts", "Arts"), Label("engineering", "Engineering – «Technik»")))
AGE = Dimension("age", "Age", tuple(Label(name, name) for name in ("young", "middle", "old")))
LABELS = {"arts": "Lettres", "engineering": "Génie", "young": "jeune", "middle": "moyen", "old": "âgé"}


def grouped(**changes: Any) -> Manifest:
    """Return a survey with two dimensions of groups, translated."""
    translation = Translation(
        "Groupes", "S’il vous plaît.", {"cheated": TranslatedQuestion("?")}, None, changes.pop("labels", LABELS)
    )
    question = Question("cheated", "Have you?", YesNo(), warner(odds="3:1"))
    fields = {"language": "en", "translations": {"fr": translation}, "groups": Groups((FACULTY, AGE), 30), **changes}
    return Manifest("grouped", "Groups", "Please.", (question,), **fields)


def wide(number: int) -> Dimension:
    """Return a dimension with so many labels."""
    return Dimension("wide", "Wide", tuple(Label(f"w{i}", f"W {i}") for i in range(number)))


def good() -> list[str]:
    """Return payloads that are accepted."""
    plain = replace(grouped(labels={}), groups=Groups((FACULTY,), 1))
    many = replace(plain, groups=Groups((wide(MOST_LABELS),), 10**6))
    square = (wide(15), Dimension("tall", "Tall", tuple(Label(f"t{i}", f"T {i}") for i in range(15))))
    return [each.payload.decode() for each in (grouped(), plain, many, replace(plain, groups=Groups(square, 5)))]


def _groups(change: Change) -> Change:
    return lambda fields: change(fields["groups"])


def _set(**values: Any) -> Change:
    return lambda fields: fields.update(values)


def _dimension(change: Change) -> Change:
    return lambda fields: change(fields["groups"]["dimensions"][0])


def _labels(value: Any) -> Change:
    return _dimension(_set(labels=value))


def _translated(**values: Any) -> Change:
    return lambda fields: fields["translations"]["fr"].update(values)


def wrong() -> dict[str, Change]:
    """Return what can be wrong with groups."""
    two = [["arts", "Arts"], ["engineering", "Engineering"]]
    more = [[f"w{i}", f"W {i}"] for i in range(MOST_LABELS + 1)]
    four = [[name, name.upper()] for name in ("a", "b", "c")]
    dimensions = [{"id": f"d{i}", "text": "D", "labels": [[f"{n}{i}", t] for n, t in four]} for i in range(5)]
    return {
        "groups that are null": _set(groups=None),
        "groups that are a list": _set(groups=[]),
        "groups without the smallest": _groups(lambda groups: groups.pop("smallest")),
        "a smallest group of 0": _groups(_set(smallest=0)),
        "a smallest group that is true": _groups(_set(smallest=True)),
        "a smallest group that is a text": _groups(_set(smallest="30")),
        "a smallest group that is too large": _groups(_set(smallest=10**6 + 1)),
        "no dimension": _groups(_set(dimensions=[])),
        "five dimensions": _groups(_set(dimensions=dimensions)),
        "too many combinations": _groups(
            lambda groups: groups["dimensions"].append(dimensions[0] | {"labels": more[:24]})
        ),
        "too many labels": _labels(more),
        "dimensions that are an object": _groups(_set(dimensions={})),
        "a dimension with a key too many": _dimension(_set(note="")),
        "a dimension without a text": _dimension(_set(text=" ")),
        "a dimension whose name is none": _dimension(_set(id="Faculty")),
        "a dimension with the id of a question": _dimension(_set(id="cheated")),
        "two dimensions of one name": _dimension(_set(id="age")),
        "a dimension with one label": _labels(two[:1]),
        "labels that are an object": _labels(dict(two)),
        "a label that is a text": _labels(["arts", "engineering"]),
        "a label of three": _labels([[*two[0], ""], two[1]]),
        "a label whose name is none": _labels([["Arts", "Arts"], two[1]]),
        "a label whose name is a number": _labels([[1, "Arts"], two[1]]),
        "a label without a text": _labels([["arts", ""], two[1]]),
        "a label that turns the direction": _labels([["arts", "A\u202e"], two[1]]),
        "a label twice": _labels([two[0], ["arts", "Other"]]),
        "a label with the name of another dimension's": _labels([["arts", "Arts"], ["young", "Young"]]),
        "a label with the name of a dimension": _labels([["arts", "Arts"], ["age", "Age"]]),
        "two labels that look the same": _labels([two[0], ["engineering", "Arts\u200b"]]),
        "a translation without one label": _translated(groups={"arts": "Lettres"}),
        "a translation with labels in another order": _translated(groups=dict(reversed(LABELS.items()))),
        "a translation with no label": _translated(groups={}),
        "a translation whose groups are null": _translated(groups=None),
        "a translated label that is empty": _translated(groups={**LABELS, "arts": " "}),
        "two translated labels that look the same": _translated(groups={**LABELS, "arts": "Génie"}),
        "translated groups without groups": lambda fields: fields.pop("groups"),
    }


def refused() -> list[Vector]:
    """Return payloads that are refused, with the reason."""
    found = []
    for why, change in wrong().items():
        fields = json.loads(grouped().payload)
        change(fields)
        found.append({"why": why, "payload": strict_json.dumps(fields).decode()})
    return found


def reports() -> Vector:
    """Return reports with groups, labels that are refused, and bodies whose groups are wrong."""
    manifest = grouped()
    labels: tuple[list[str], ...] = ([], ["arts"], ["engineering", "old"], ["young", "arts"], ["middle"])
    made: list[dict[str, Any]] = []
    for number, names in enumerate(labels):
        seed, answers = f"grouped-{number}", {"cheated": number % 2 == 0}
        report = Survey(manifest).randomize(answers, groups=names, source=FixedTestStream(seed))
        made.append({"answers": answers, "groups": names, "seed": seed, "body": report.encode().decode()})
    body: str = made[2]["body"]
    code = '"groups":"0102"'
    assert code in body
    bad = {
        "no groups": ("not-a-report", body.replace(f"{code},", "")),
        "groups that are null": ("wrong-groups", body.replace(code, '"groups":null')),
        "groups that are a list": ("wrong-groups", body.replace(code, '"groups":["engineering"]')),
        "a short code": ("wrong-groups", body.replace(code, '"groups":"01"')),
        "a long code": ("wrong-groups", body.replace(code, '"groups":"010201"')),
        "a place that does not exist": ("wrong-groups", body.replace(code, '"groups":"0202"')),
        "a place in another spelling": ("wrong-groups", body.replace(code, '"groups":"01+2"')),
        "none in another spelling": ("wrong-groups", body.replace(code, '"groups":"01--"')),
        "a name instead of a code": ("wrong-groups", body.replace(code, '"groups":"arts"')),
    }  # fmt: skip
    return {
        "envelope": sign(manifest, KEY).decode(),
        "good": made,
        "refused": [["other"], ["arts", "engineering"], ["arts", "arts"], [""], ["faculty"], [1], [None]],
        "bad": [{"name": name, "body": text, "problem": problem} for name, (problem, text) in bad.items()],
    }
