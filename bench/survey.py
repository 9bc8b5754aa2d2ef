"""The surveys that are measured, and reports to them from the real client."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

from bench.processes import HUSHPOLL, output_of

NAME = "bench"


def write_definition(folder: Path, questions: int) -> Path:
    """Write a survey file with that many questions; one with nine of them has reports of about 360 bytes."""
    file = folder / f"survey-{questions}.json"
    file.write_text(json.dumps({"survey": NAME, "title": "Benchmark", "questions": list(_questions(questions))}))
    return file


def compile_manifest(folder: Path, questions: int) -> Path:
    """Compile such a survey into a signed manifest."""
    file, key = folder / f"manifest-{questions}.json", folder / "key.pem"
    definition = write_definition(folder, questions)
    output_of([*HUSHPOLL, "survey", "compile", str(definition), "--out", str(file), "--key", str(key)])
    return file


def write_answers(folder: Path, questions: int, lines: int) -> Path:
    """Write invented answers, the same ones every time: what is measured is not what is answered."""
    file = folder / f"answers-{questions}-{lines}.ndjson"
    invent = random.Random(lines)  # noqa: S311 (nobody's answers)
    names = [question["id"] for question in _questions(questions)]
    with file.open("w") as out:
        for _ in range(lines):
            out.write(json.dumps({name: invent.random() < 0.3 for name in names}) + "\n")
    return file


def _questions(number: int) -> Iterator[dict[str, object]]:
    for index in range(1, number + 1):
        yield {
            "id": f"question-number-{index:03}",
            "text": f"Is it so ({index})?",
            "type": "yes_no",
            "privacy": {"epsilon": "0.4"},
        }
