"""The survey whose pages are measured: public groups, a cross table that it counts, and questions of other types."""

from __future__ import annotations

import random
from pathlib import Path

from bench import survey
from bench.processes import HUSHPOLL, output_of

GROUPS = ("arts", "engineering")
DECLARED = ("cheated", "helped")
WAYS = ["phone", "notes", "neighbour", "essay"]
_PRIVACY = {"epsilon": "1"}
QUESTIONS: list[dict[str, object]] = [
    {"id": "cheated", "text": "Cheated?", "type": "yes_no", "privacy": _PRIVACY},
    {"id": "helped", "text": "Helped?", "type": "yes_no", "privacy": _PRIVACY},
    {"id": "works", "text": "Works?", "type": "yes_no", "privacy": _PRIVACY},
    {"id": "mood", "text": "How are you?", "type": "scale", "min": 1, "max": 5, "privacy": _PRIVACY},
    {"id": "ways", "text": "How?", "type": "multi_choice", "options": WAYS, "privacy": _PRIVACY},
    {"id": "hours", "text": "Hours?", "type": "number", "min": 0, "max": 40, "report": "mean", "privacy": _PRIVACY},
]

_PAGE = f"/surveys/{survey.NAME}"
# What a researcher opens whose figures are all in counters.
COUNTED = {
    "results page": _PAGE,
    "public groups compared": f"{_PAGE}/compare?question=cheated&by=group",
    "declared cross table": f"{_PAGE}/cross?questions={DECLARED[0]}&questions={DECLARED[1]}",
    "report for paper": f"{_PAGE}/report",
}


def write_definition(folder: Path) -> Path:
    """Write the survey file."""
    return survey.write_survey(
        folder / "explored.json",
        survey.NAME,
        QUESTIONS,
        groups={name: name.title() for name in GROUPS},
        smallest_group=2,
        cross_tables=[list(DECLARED)],
    )


def write_reports(folder: Path, lines: int) -> None:
    """Let the real client make reports of both groups."""
    manifest, made = survey.compiled(folder, write_definition(folder)), []
    for number, group in enumerate(GROUPS):
        answers = folder / f"answers-{group}.ndjson"
        invent = random.Random(number)  # noqa: S311 (nobody's answers)
        survey.write_lines(answers, (_answers(invent) for _ in range(lines // len(GROUPS))))
        randomize = ["randomize", "--manifest", str(manifest), "--group", group]
        made.append(output_of([*HUSHPOLL, *randomize], input_file=answers))
    survey.reports_in(folder).write_bytes(b"".join(made))


def _answers(invent: random.Random) -> dict[str, object]:
    cheated = invent.random() < 0.3
    return {
        "cheated": cheated,
        "helped": invent.random() < (0.6 if cheated else 0.2),
        "works": invent.random() < 0.5,
        "mood": invent.randint(1, 5),
        "ways": [way for way in WAYS if invent.random() < 0.3],
        "hours": invent.randint(0, 40),
    }
