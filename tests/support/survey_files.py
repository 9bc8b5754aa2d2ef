"""Survey files for tests, one question a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from hushpoll_server.surveys.definition import DefinitionError, compile_survey
from hushpoll_shared.manifest import Manifest

HEAD = "survey: campus\ntitle: Campus\nconsent: Taking part is voluntary.\n"
CHOICE = "type: single_choice, options: [never, once, often]"
TICKS = "type: multi_choice, options: [a, b, c, d]"
SCALE = "type: scale, min: 1, max: 5"
NUMBER = "type: number, min: 0, max: 40"


def survey(*questions: str, head: str = "") -> str:
    """Write a survey; the first question stands on line 5, or as much later as the head is long."""
    lines = [f"  - {{id: q{number}, text: x, {question}}}\n" for number, question in enumerate(questions, start=1)]
    return HEAD + head + "questions:\n" + "".join(lines)


def manifest_of(text: str, folder: Path | None = None) -> Manifest:
    """Compile a survey that clients take."""
    manifest = compile_survey(text, "poll.yaml", folder=folder).manifest
    # A client takes exactly these bytes.
    assert Manifest.read(manifest.payload) == manifest
    return manifest


def error_of(text: str, folder: Path | None = None) -> tuple[int, str]:
    """Give the line and the message of the only error."""
    with pytest.raises(DefinitionError) as caught:
        compile_survey(text, "poll.yaml", folder=folder)
    [finding] = caught.value.findings
    return finding.line, finding.message
