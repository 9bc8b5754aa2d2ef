"""How fast mechanisms are: many reports at once, compared with other libraries, and one at a time in Python.

All libraries randomize the same codes at the same epsilon and then estimate from their own reports, in turn, on one
processor. Each round gives one ratio: Hushpoll to the fastest of the others. Time is this process's CPU time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.processes import processors
from bench.results import Benchmark, Effort, Figure, Watcher, at_least
from bench.rivals import K_ARY, SETS, Way, installed
from hushpoll_client.survey import Survey
from hushpoll_server.bulk import aggregate, randomize
from hushpoll_server.bulk.keystream import Keystream
from hushpoll_server.mechanisms.bound import Bound
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Subset
from hushpoll_shared.question_types import YesNo
from hushpoll_shared.questions import Question
from hushpoll_shared.randomness import SecureBytes

SIZE = 128
EPSILON = "1"
US = "Hushpoll"
STEPS = ("randomizing", "aggregating")
GOALS = {
    (K_ARY, "randomizing"): at_least(30),
    (SETS, "randomizing"): at_least(20),
    (K_ARY, "aggregating"): at_least(60),
    (SETS, "aggregating"): at_least(15),
}
SINGLE_GOAL = at_least(100_000)
# The least time of a measurement.
_LEAST_SECONDS = 0.05

# Reports per second, for each step and way of a round.
Rates = dict[tuple[str, Way], float]


def measure(effort: Effort, watcher: Watcher) -> list[Figure]:
    """Measure bulk speed, round by round, then single reports."""
    others, notes = installed(SIZE, float(EPSILON))
    for note in notes:
        watcher.note(note)
    ways = [*our_ways(), *others]
    if others:
        watcher.note(
            "The libraries are called once for each report, as their examples do. In a compiled loop around them "
            "the functions of multi-freq-ldpy are about twice as fast."
        )
    with _one_processor():
        rounds = [_round(ways, _number(effort), watcher) for _ in range(_rounds(effort))]
        watcher.step("one report at a time")
        answers = [{"q": number % 3 == 0} for number in range(_number(effort))]
        single = median(_rate(_draw_one_by_one, answers)[0] for _ in range(_rounds(effort)))
    what = "yes/no, one report at a time in Python"
    return [*figures(rounds), Figure(what=what, value=single, unit="/s", goal=SINGLE_GOAL)]


def figures(rounds: Sequence[Rates]) -> list[Figure]:
    """Return the ratios to the fastest of the others, where there are any, and all the speeds."""
    ratios, speeds = [], []
    for family, step in GOALS:
        ways = [way for (its_step, way) in rounds[0] if (way.family, its_step) == (family, step)]
        where = f"{family}, {step}"
        if len(ways) > 1:
            ratio = median(_ratio(rates, step, ways) for rates in rounds)
            what, goal = f"{where}: / the fastest library", GOALS[family, step]
            ratios.append(Figure(what=what, value=ratio, unit="×", goal=goal))
        for way in ways:
            speed = median(rates[step, way] for rates in rounds)
            name = way.library if way.library == US else f"{way.library} {way.functions.split(', ')[STEPS.index(step)]}"
            speeds.append(Figure(what=f"{where}: {name}", value=speed, unit="/s"))
    return ratios + speeds


def _ratio(rates: Rates, step: str, ways: Sequence[Way]) -> float:
    [ours] = [rates[step, way] for way in ways if way.library == US]
    return ours / max(rates[step, way] for way in ways if way.library != US)


def our_ways() -> Iterator[Way]:
    """Yield Hushpoll's way in each family."""
    source, bound = Keystream(), Bound.of_epsilon(EPSILON)
    one, several = SubsetMechanism.of(bound, SIZE, picks=1), SubsetMechanism.of(bound, SIZE)

    def draw_one(codes: NDArray[Any]) -> NDArray[Any]:
        return randomize.index(codes, size=SIZE, threshold=one.threshold, source=source)

    def draw_several(codes: NDArray[Any]) -> NDArray[Any]:
        return randomize.subset(codes, size=SIZE, picks=several.picks, threshold=several.threshold, source=source)

    def estimate(design: Subset, count: Callable[[Any, int], NDArray[Any]]) -> Callable[[NDArray[Any]], object]:
        p, q = float(design.p), float(design.q)
        return lambda reports: (count(reports, SIZE) / len(reports) - q) / (p - q)

    yield Way(K_ARY, US, "index, count_indices", draw_one, estimate(one, aggregate.count_indices))
    yield Way(SETS, US, "subset, count_masks", draw_several, estimate(several, aggregate.count_masks))


def _round(ways: Sequence[Way], number: int, watcher: Watcher) -> Rates:
    # Nobody's answers: the speed does not depend on them.
    codes = np.random.default_rng(number).integers(SIZE, size=number, dtype=np.uint8)
    rates: Rates = {}
    for way in ways:
        watcher.step(f"{way.family}: {way.library}")
        # Each gets its codes in the form that it processes fastest.
        its_codes: Any = codes if way.library == US else codes.tolist()
        rates["randomizing", way], reports = _rate(way.randomize, its_codes)
        rates["aggregating", way], _ = _rate(way.aggregate, reports)
    return rates


def _rate(work: Callable[[Any], Any], items: Any) -> tuple[float, Any]:
    """Return the reports per second, and the last result."""
    began, calls, result = time.process_time(), 0, None
    while (took := time.process_time() - began) < _LEAST_SECONDS:
        result = work(items)
        calls += 1
    return calls * len(items) / took, result


def _draw_one_by_one(answers: Sequence[dict[str, bool]]) -> None:
    question = Question("q", "Is it so?", YesNo(), SubsetMechanism.of(Bound.of_epsilon(EPSILON), 2))
    survey = Survey(Manifest("bench", "Benchmark", "Taking part is voluntary.", (question,)))
    source = SecureBytes()
    for answer in answers:
        survey.randomize(answer, source=source).encode()


@contextmanager
def _one_processor() -> Iterator[None]:
    on, others = processors()
    if not on:
        yield
        return
    os.sched_setaffinity(0, on)
    try:
        yield
    finally:
        os.sched_setaffinity(0, on | others)


def _number(effort: Effort) -> int:
    return effort.choose(full=2**18, quick=2**13)


def _rounds(effort: Effort) -> int:
    return effort.choose(full=3, quick=1)


def _steps(effort: Effort) -> int:
    others, _ = installed(SIZE, float(EPSILON))
    return _rounds(effort) * (len(GOALS) // 2 + len(others)) + 1


BENCHMARK = Benchmark("mechanisms", f"Mechanisms in bulk, {SIZE} categories, epsilon {EPSILON}", _steps, measure)
