"""A survey of every design with small counts, and the search for figures that are no numbers."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

from hushpoll_client.survey import Survey
from hushpoll_server.collect.tally import Counts, tally
from hushpoll_server.surveys.definition import Compiled, compile_survey
from hushpoll_shared.questions import Kind, MultiChoice, Number, Pair

EPSILONS = ("0.1", "1", "8", "30")
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
  - {{id: padded, text: M, type: multi_choice, options: [a, b, c, d, e, f, g, h], max_picks: 1, privacy: {privacy}}}
  - {{id: mean, text: N, type: number, min: 0, max: 40, privacy: {privacy}}}
  - {{id: some, text: N, type: number, min: -1.5, max: 2, decline: true, privacy: {privacy}}}
  - {{id: laplace, text: N, type: number, min: 0, max: 40, mechanism: laplace, privacy: {privacy}}}
  - {{id: wave, text: D, type: number, min: 0, max: 40, report: distribution, privacy: {privacy}}}
  - {{id: waves, text: D, type: number, min: 0, max: 40, report: distribution, decline: true, privacy: {privacy}}}
  - {{id: first, text: P, type: yes_no}}
  - {{id: second, text: P, type: single_choice, options: [x, y, z], decline: true}}
  - {{id: both, pair: [first, second], privacy: {privacy}}}
"""


@cache
def every_design(epsilon: str) -> Compiled:
    """Compile a survey with every design at this epsilon."""
    return compile_survey(_DEFINITION.format(privacy=f'{{epsilon: "{epsilon}"}}'), "every-design.yaml")


def some_counts(compiled: Compiled, n: int, choose: random.Random) -> Counts:
    """Let n devices answer by chance, or all of them send the same, once or a million times."""
    device = Survey(compiled.manifest)
    draws = [device.randomize(some_answers(compiled, choose)).answers for _ in range(n)]
    counts = tally(compiled.manifest, draws[:1] * n if choose.random() < 0.3 else draws, compiled.crossed)
    times = choose.choice((1, 1, 50, 10**6))
    return Counts({key: times * count for key, count in counts.items()})


def some_answers(compiled: Compiled, choose: random.Random) -> dict[str, Any]:
    """Answer every question by chance."""
    asked = {
        name: kind
        for question in compiled.manifest.questions
        for name, kind in (
            [(part.id, part.kind) for part in question.kind.parts]
            if isinstance(question.kind, Pair)
            else [(question.id, question.kind)]
        )
    }
    return {name: _answer(kind, choose) for name, kind in asked.items()}


def _answer(kind: Kind, choose: random.Random) -> Any:
    if isinstance(kind, Number):
        return round(choose.uniform(float(kind.low), float(kind.high)), 1)
    if isinstance(kind, MultiChoice):
        return [option.id for option in kind.options if choose.random() < 0.4][: kind.most]
    return choose.choice(kind.answers)


def no_numbers(value: object, path: str = "") -> Iterator[str]:
    """Name the figures that JSON cannot hold."""
    if isinstance(value, float) and not math.isfinite(value):
        yield f"{path} is {value}"
    for key, each in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from no_numbers(each, f"{path}.{key}")
