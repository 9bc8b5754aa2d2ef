"""A survey of every design with small counts, and the search for figures that are not numbers."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

from hushpoll_client.survey import Survey
from hushpoll_server.compile.definition import Compiled, compile_survey
from hushpoll_server.counting.tally import SurveyCounts, tally
from hushpoll_shared.question_types import MultiChoice, Number, QuestionType
from hushpoll_shared.questions import asked as asked_of

EPSILONS = ("0.1", "1", "4", "8", "30")
PROMISES = (
    *((method, coverage) for method in (None, "wilson", "exact", "wald") for coverage in ("pointwise", "simultaneous")),
    (None, "anytime"),
)

_DEFINITION = """
survey: every-design
title: Every design
consent: Taking part is voluntary.
cross_tables: [[warner, choice], [choice, scale], [warner, declined]]
questions:
  - {{id: warner, text: W, type: yes_no, privacy: {privacy}}}
  - {{id: declined, text: W, type: yes_no, decline: true, privacy: {privacy}}}
  - {{id: choice, text: C, type: single_choice, options: [a, b, c, d, e], privacy: {privacy}}}
  - {{id: scale, text: S, type: scale, min: 1, max: 5, decline: true, privacy: {privacy}}}
  - {{id: points, text: S, type: scale, min: 1, max: 5, report: mean, privacy: {privacy}}}
  - {{id: ball, text: M, type: multi_choice, options: [a, b, c, d], privacy: {privacy}}}
  - {{id: few, text: M, type: multi_choice, options: [a, b, c, d, e, f, g, h], max_picks: 1, privacy: {privacy}}}
  - {{id: mean, text: N, type: number, min: 0, max: 40, privacy: {privacy}}}
  - {{id: some, text: N, type: number, min: -1.5, max: 2, decline: true, privacy: {privacy}}}
  - {{id: laplace, text: N, type: number, min: 0, max: 40, mechanism: laplace, privacy: {privacy}}}
  - {{id: wave, text: D, type: number, min: 0, max: 40, report: distribution, privacy: {privacy}}}
  - {{id: waves, text: D, type: number, min: 0, max: 40, report: distribution, decline: true, privacy: {privacy}}}
  - {{id: drinks, text: D, type: number, min: 0, max: 40, report: distribution, point_masses: [0, 40],
     privacy: {privacy}}}
  - {{id: zero, text: D, type: number, min: -5, max: 5, report: distribution, point_masses: [0], decline: true,
     does_not_apply: true, privacy: {privacy}}}
  - {{id: first, text: P, type: yes_no}}
  - {{id: second, text: P, type: single_choice, options: [x, y, z], decline: true}}
  - {{id: both, pair: [first, second], privacy: {privacy}}}
"""


@cache
def every_design(epsilon: str) -> Compiled:
    """Return a survey with every design at this epsilon."""
    return compile_survey(_DEFINITION.format(privacy=f'{{epsilon: "{epsilon}"}}'), "every-design.yaml")


def some_counts(compiled: Compiled, n: int, choose: random.Random) -> SurveyCounts:
    """Return the counts of n random devices, or of devices that all send the same, once or a million times."""
    device = Survey(compiled.manifest)
    draws = [device.randomize(some_answers(compiled, choose)).draws for _ in range(n)]
    counts = tally(compiled.manifest, draws[:1] * n if choose.random() < 0.3 else draws, compiled.crossed)
    times = choose.choice((1, 1, 50, 10**6))
    return {
        question: Counter({name: times * count for name, count in counters.items()})
        for question, counters in counts.items()
    }


def some_answers(compiled: Compiled, choose: random.Random) -> dict[str, Any]:
    """Return a random answer to every question."""
    asked = {
        name: each
        for question in compiled.manifest.questions
        for name, each in asked_of(question.id, question.type).items()
        if name in question.answer_ids
    }
    return {name: _answer(each, choose) for name, each in asked.items()}


def _answer(question_type: QuestionType, choose: random.Random) -> Any:
    if isinstance(question_type, Number):
        beside = [*question_type.extras, *map(float, question_type.point_masses)]
        if beside and choose.random() < 0.5:
            return choose.choice(beside)
        return round(choose.uniform(*map(float, question_type.range)), 1)
    if isinstance(question_type, MultiChoice):
        return [option.id for option in question_type.options if choose.random() < 0.4][: question_type.most]
    return choose.choice(question_type.answers)


def no_numbers(value: object, path: str = "") -> Iterator[str]:
    """Return the names of the figures that JSON cannot represent."""
    if isinstance(value, float) and not math.isfinite(value):
        yield f"{path} is {value}"
    for key, each in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from no_numbers(each, f"{path}.{key}")
