"""The surveys that are measured, and reports to them from the real client."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

from bench.processes import HUSHPOLL, output_of

NAME = "bench"
# A report to nine questions has 370 bytes.
QUESTIONS = 9


def write_definition(folder: Path, questions: int) -> Path:
    """Write a survey file with this many questions."""
    file = folder / f"survey-{questions}.json"
    file.write_text(json.dumps({"survey": NAME, "title": "Benchmark", "questions": list(_questions(questions))}))
    return file


def compile_manifest(folder: Path, questions: int) -> Path:
    """Compile such a survey into a signed manifest."""
    file, key = folder / f"manifest-{questions}.json", key_in(folder)
    definition = write_definition(folder, questions)
    output_of([*HUSHPOLL, "survey", "compile", str(definition), "--out", str(file), "--key", str(key)])
    return file


def write_answers(folder: Path, questions: int, lines: int) -> Path:
    """Write invented answers, the same ones every time: the speed does not depend on them."""
    file = folder / f"answers-{questions}-{lines}.ndjson"
    invent = random.Random(lines)  # noqa: S311 (nobody's answers)
    with file.open("w") as out:
        for _ in range(lines):
            out.write(json.dumps({name: invent.random() < 0.3 for name in names(questions)}) + "\n")
    return file


def write_reports(folder: Path, lines: int) -> None:
    """Let the real client make reports to the survey of nine questions, one per line."""
    manifest = compile_manifest(folder, QUESTIONS)
    answers = write_answers(folder, QUESTIONS, lines)
    reports = output_of([*HUSHPOLL, "randomize", "--manifest", str(manifest)], input_file=answers)
    reports_in(folder).write_bytes(reports)


def reports_in(folder: Path) -> Path:
    """Return the path of the reports in a folder."""
    return folder / "reports.ndjson"


def key_in(folder: Path) -> Path:
    """Return the path of the key that signs the surveys of a folder."""
    return folder / "key.pem"


def names(number: int = QUESTIONS) -> list[str]:
    """Return the names of the questions."""
    return [f"question-number-{index:03}" for index in range(1, number + 1)]


def _questions(number: int) -> Iterator[dict[str, object]]:
    for index, name in enumerate(names(number), 1):
        yield {"id": name, "text": f"Is it so ({index})?", "type": "yes_no", "privacy": {"epsilon": "0.4"}}
