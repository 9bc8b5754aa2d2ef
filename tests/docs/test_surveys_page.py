"""docs/surveys.md is true: its examples compile, and lint says of them what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from hushpoll_client.cli import main
from hushpoll_server.compile.advice import advise
from hushpoll_server.compile.definition import compile_survey
from hushpoll_server.compile.question_types import FIELDS_OF_TYPE
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Ball
from hushpoll_shared.presentation import When

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "surveys.md").read_text(encoding="utf-8")
EVERY_TYPE = DOCS / "examples" / "every-type.yaml"
LANGUAGES = DOCS / "examples" / "two-languages.yaml"
HEAD = "survey: s\ntitle: S\nconsent: Taking part is voluntary.\n"


def lint(folder: Path, name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(folder)
    (folder / name).write_text(text, encoding="utf-8")
    return CliRunner().invoke(main, ["survey", "lint", name], catch_exceptions=False).stdout


def test_the_example_of_every_type_stands_on_the_page_and_compiles_without_a_warning() -> None:
    text = EVERY_TYPE.read_text(encoding="utf-8")
    assert f"```yaml\n{text.split(chr(10), 1)[1]}```" in PAGE
    compiled = compile_survey(text, EVERY_TYPE.name)
    assert compiled.warnings == ()
    assert {question.type.NAME for question in compiled.manifest.questions} == {*FIELDS_OF_TYPE, "pair"}


def test_the_example_of_languages_stands_on_the_page_and_compiles_without_a_warning() -> None:
    text = LANGUAGES.read_text(encoding="utf-8")
    assert f"```yaml\n{text.split(chr(10), 1)[1]}```" in PAGE
    compiled = compile_survey(text, LANGUAGES.name)
    assert compiled.warnings == ()
    manifest = compiled.manifest
    assert Manifest.read(manifest.payload) == manifest
    assert manifest.languages == ("en", "ar", "fr")
    assert [question.when for question in manifest.questions] == [None, When("cheated", (True,)), None]


def test_the_question_that_is_shown_sometimes_is_the_one_on_the_page() -> None:
    # It stands there twice: alone where it is explained, and in the example.
    _, start, rest = LANGUAGES.read_text(encoding="utf-8").partition("  - id: frequency\n")
    question = start + rest.partition("  - id: stress\n")[0]
    assert f"```yaml\n{question}```" in PAGE


def test_lint_says_of_the_first_example_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example = (DOCS / "examples" / "campus-integrity.yaml").read_text(encoding="utf-8")
    said = lint(tmp_path, "campus-integrity.yaml", example, monkeypatch)
    assert f"$ hushpoll survey lint campus-integrity.yaml\n{said}```" in PAGE


def test_a_likely_share_saves_what_the_page_says() -> None:
    [question] = re.findall(r"^```yaml\n(  - id: channels\n.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    stated, without = (
        compile_survey(f"{HEAD}questions:\n{text}    reason: x\n", "ticks.yaml")
        for text in (question, question.replace("    likely_share: 0.1\n", ""))
    )
    designs = [compiled.manifest.questions[0].design for compiled in (without, stated)]
    assert [design.asked for design in designs if isinstance(design, Ball)] == [4, 3]
    [advice] = advise(stated)
    assert "needs 13 % fewer respondents than without it" in advice.notes[0]
    assert "three of the eight options instead of four, and 13 % fewer respondents are needed" in " ".join(PAGE.split())


def test_lint_says_of_ten_questions_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ten = "".join(f"  - {{id: q{number}, text: x, type: yes_no}}\n" for number in range(10))
    text = f"{HEAD}respondents: 3000\nepsilon_total: 2\nquestions:\n{ten}"
    assert f"```\n{lint(tmp_path, 'ten.yaml', text, monkeypatch).splitlines()[-2]}\n```" in PAGE


def test_the_split_by_weights_is_the_one_on_the_page() -> None:
    questions = "".join(f"  - {{id: q{w}, text: x, type: yes_no, weight: {w}}}\n" for w in (1, 8, 27))
    manifest = compile_survey(f"{HEAD}epsilon_total: 3\nquestions:\n{questions}", "weights.yaml").manifest
    found = re.search(r"a total of 3 give\s+([\d.]+), ([\d.]+) and ([\d.]+)\. Parts", PAGE)
    assert found
    for part, question in zip(found.groups(), manifest.questions, strict=True):
        # The realised epsilon is at most the part, and within one step of 2^-64 of it.
        assert 0 <= Epsilon.parse(part).units - question.design.epsilon.units < 1000
