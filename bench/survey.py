"""The surveys that are measured, and reports to them from the real client."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from bench.processes import HUSHPOLL, output_of

NAME = "bench"
# A report to nine questions has 370 bytes.
QUESTIONS = 9


def write_definition(folder: Path, questions: int) -> Path:
    """Write a survey file with this many questions."""
    return write_survey(folder / f"survey-{questions}.json", NAME, list(_questions(questions)))


def write_survey(file: Path, name: str, questions: Sequence[Mapping[str, object]], **more: object) -> Path:
    """Write a survey file with these questions."""
    file.write_text(json.dumps({"survey": name, "title": "Benchmark", **more, "questions": questions}))
    return file


def compile_manifest(folder: Path, questions: int) -> Path:
    """Compile such a survey into a signed manifest."""
    return compiled(folder, write_definition(folder, questions))


def compiled(folder: Path, definition: Path) -> Path:
    """Compile a survey file into a manifest that the folder's key signs."""
    file = definition.with_suffix(".manifest")
    output_of([*HUSHPOLL, "survey", "compile", str(definition), "--out", str(file), "--key", str(key_in(folder))])
    return file


def write_answers(folder: Path, questions: int, lines: int) -> Path:
    """Write invented answers, the same ones every time: the speed does not depend on them."""
    file = folder / f"answers-{questions}-{lines}.ndjson"
    invent = random.Random(lines)  # noqa: S311 (nobody's answers)
    write_lines(file, ({name: invent.random() < 0.3 for name in names(questions)} for _ in range(lines)))
    return file


def write_lines(file: Path, lines: Iterable[object]) -> None:
    """Write one JSON value in each line."""
    with file.open("w") as out:
        out.writelines(json.dumps(line) + "\n" for line in lines)


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
