"""The real command, called in this process or as a separate program."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hushpoll_client.cli import main

SURVEY = """\
survey: campus
title: Campus integrity
consent: Taking part is voluntary.
questions:
  - id: cheated
    text: Have you ever cheated?
    type: yes_no
    privacy: {odds: "3:1"}
  - id: helped
    text: "=HYPERLINK(\\"http://evil.example\\"; \\"Have you helped?\\")"
    type: yes_no
    privacy: {epsilon: "1"}
"""

Command = Callable[..., Result]
Program = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder on an instance of its own."""
    for name in ("DB", "PUBLIC_URL", "QUEUE_SIZE", "BATCH_WAIT", "LARGEST_BATCH"):
        monkeypatch.delenv(f"HUSHPOLL_{name}", raising=False)
    monkeypatch.setenv("HUSHPOLL_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def hushpoll() -> Command:
    """Call the command in this process; an error without a message fails the test."""

    def call(*words: object) -> Result:
        return CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False, prog_name="hushpoll")

    return call


@pytest.fixture
def ask(hushpoll: Command) -> Callable[..., Any]:
    """Call the command with --json; return what it prints."""

    def call(*words: object) -> Any:
        result = hushpoll(*words, "--json")
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)

    return call


@pytest.fixture
def program() -> Program:
    """Run the command as a separate program."""

    def run(*words: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "hushpoll_client", *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    return run


@pytest.fixture
def survey_file(tmp_path: Path) -> Path:
    """Write a good survey file."""
    file = tmp_path / "poll.yaml"
    file.write_text(SURVEY, encoding="utf-8")
    return file


@pytest.fixture
def manifest_file(survey_file: Path, hushpoll: Command, tmp_path: Path) -> Path:
    """Compile the survey file."""
    file = tmp_path / "manifest.json"
    assert hushpoll("survey", "compile", survey_file, "--out", file).exit_code == 0
    return file
