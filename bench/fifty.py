"""The dashboard of surveys with fifty questions, each survey with all of them of one type.

The first look computes every figure; the second finds them remembered, as long as no report has arrived. What a look
costs depends on the questions, not on the number of reports.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from bench import survey
from bench.instance import Running, send
from bench.processes import HUSHPOLL, output_of
from bench.reading import Reader
from bench.results import Effort, Figure, Watcher, below

QUESTIONS = 50
GOAL_SECONDS = 1.0
_OPTIONS = ["one", "two", "three", "four", "five"]
_NUMBER = {"type": "number", "min": 0, "max": 40}
TYPES: dict[str, dict[str, object]] = {
    "yes_no": {"type": "yes_no"},
    "single_choice": {"type": "single_choice", "options": _OPTIONS},
    "multi_choice": {"type": "multi_choice", "options": _OPTIONS},
    "scale": {"type": "scale", "min": 1, "max": 5},
    "number, mean": {**_NUMBER, "report": "mean"},
    "number, distribution": {**_NUMBER, "report": "distribution"},
    "pair": {},
}
MIXED = "mixed"


def names() -> tuple[str, ...]:
    """Return the name of each survey: its type."""
    return (*TYPES, MIXED)


def figures(server: Running, reader: Reader, folder: Path, effort: Effort, watcher: Watcher) -> Iterator[Figure]:
    """Publish each survey, send reports, and look twice."""
    for place, name in enumerate(names()):
        watcher.step(f"{QUESTIONS} questions: {name}")
        yield from _figures(server, reader, folder, f"fifty-{place}", name, effort.choose(full=1_000, quick=100))


def _figures(
    server: Running, reader: Reader, folder: Path, survey_name: str, name: str, reports: int
) -> Iterator[Figure]:
    definition = survey.write_survey(folder / f"{survey_name}.json", survey_name, list(_questions(name)))
    publish = ["survey", "publish", str(definition), "--key", str(survey.key_in(folder))]
    output_of([*HUSHPOLL, *publish], environment=server.instance.environment)
    made = folder / f"{survey_name}.ndjson"
    made.write_bytes(_reports(folder, definition, name, reports))
    send(
        server.port,
        f"/api/v1/surveys/{survey_name}/reports",
        expected="200",
        reports=made,
        batch=reports,
        requests=1,
        connections=1,
        header=f"Authorization: Bearer {server.instance.token}",
    )
    first = reader.look(f"/surveys/{survey_name}")
    second = min(reader.look(f"/surveys/{survey_name}") for _ in range(3))
    what = f"{QUESTIONS} × {name}"
    yield Figure(what=f"{what}, second look", value=second, unit="s", goal=below(GOAL_SECONDS))
    yield Figure(what=f"{what}, first look", value=first, unit="s")


def _reports(folder: Path, definition: Path, name: str, reports: int) -> bytes:
    manifest, answers = survey.compiled(folder, definition), definition.with_suffix(".answers")
    invent = random.Random(reports)  # noqa: S311 (nobody's answers)
    survey.write_lines(answers, (_answers(name, invent) for _ in range(reports)))
    return output_of([*HUSHPOLL, "randomize", "--manifest", str(manifest)], input_file=answers)


def _types(name: str) -> list[str]:
    """Return the type of each question."""
    kinds = list(TYPES) if name == MIXED else [name]
    return [kinds[place % len(kinds)] for place in range(QUESTIONS)]


def _questions(name: str) -> Iterator[dict[str, object]]:
    privacy = {"privacy": {"epsilon": "1"}}
    for place, kind in enumerate(_types(name)):
        about: dict[str, object] = {"id": f"q{place}", "text": f"How is it ({place})?"}
        if kind != "pair":
            yield {**about, **TYPES[kind], **privacy}
            continue
        parts = [f"q{place}-first", f"q{place}-second"]
        for part in parts:
            yield {"id": part, "text": f"Is it so ({part})?", "type": "yes_no"}
        yield {"id": about["id"], "pair": parts, **privacy}


def _answers(name: str, invent: random.Random) -> dict[str, object]:
    answers: dict[str, object] = {}
    for place, kind in enumerate(_types(name)):
        if kind == "pair":
            answers |= {f"q{place}-{part}": invent.random() < 0.3 for part in ("first", "second")}
        else:
            answers[f"q{place}"] = _answer(kind, invent)
    return answers


def _answer(kind: str, invent: random.Random) -> object:
    match kind:
        case "yes_no":
            return invent.random() < 0.3
        case "single_choice":
            return invent.choice(_OPTIONS)
        case "multi_choice":
            return [option for option in _OPTIONS if invent.random() < 0.3]
        case "scale":
            return invent.randint(1, 5)
    return invent.randint(0, 40)
