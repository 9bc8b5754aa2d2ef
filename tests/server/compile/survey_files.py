"""Survey files for tests, one question per line."""

from __future__ import annotations

from pathlib import Path

import pytest

from hushpoll_server.compile.definition import DefinitionError, compile_survey
from hushpoll_shared.manifest import Manifest

HEAD = "survey: campus\ntitle: Campus\nconsent: Taking part is voluntary.\n"
CHOICE = "type: single_choice, options: [never, once, often]"
TICKS = "type: multi_choice, options: [a, b, c, d]"
SCALE = "type: scale, min: 1, max: 5"
NUMBER = "type: number, min: 0, max: 40"


def survey(*questions: str, head: str = "") -> str:
    """Return a survey; the first question is on line 5, or later by the lines of the head."""
    lines = [f"  - {{id: q{number}, text: x, {question}}}\n" for number, question in enumerate(questions, start=1)]
    return HEAD + head + "questions:\n" + "".join(lines)


def manifest_of(text: str, folder: Path | None = None) -> Manifest:
    """Compile a survey that clients accept."""
    manifest = compile_survey(text, "poll.yaml", folder=folder).manifest
    # A client accepts exactly these bytes.
    assert Manifest.read(manifest.payload) == manifest
    return manifest


def error_of(text: str, folder: Path | None = None) -> tuple[int, str]:
    """Return the line and the message of the only error."""
    with pytest.raises(DefinitionError) as caught:
        compile_survey(text, "poll.yaml", folder=folder)
    [finding] = caught.value.findings
    return finding.line, finding.message
