"""Who asks, where to ask back, and what people see after Send: read from a survey file."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.samples.presented import PICTURE

from hushpoll_server.compile.definition import DefinitionError, compile_survey
from hushpoll_shared.about import About
from hushpoll_shared.appearance import LARGEST_LOGO, logo_of
from hushpoll_shared.manifest import Manifest

QUESTIONS = 'questions: [{id: q, text: "?", type: yes_no, privacy: {epsilon: "1"}}]\n'
HEAD = "survey: s\ntitle: S\nconsent: C\n"


def test_a_survey_says_who_asks_and_what_comes_after_send() -> None:
    about = (
        "about:\n  organisation: U\n  contact: mailto:a@example.org\n  thanks: T\n  link: https://example.org/next\n"
    )
    manifest = compile_survey(HEAD + about + QUESTIONS, "s.yaml").manifest
    assert manifest.about == About(
        organisation="U", contact="mailto:a@example.org", thanks="T", link="https://example.org/next"
    )
    assert Manifest.read(manifest.payload) == manifest


def test_a_survey_that_says_nothing_has_the_bytes_that_it_always_had() -> None:
    manifest = compile_survey(HEAD + QUESTIONS, "s.yaml").manifest
    assert manifest.about is None
    assert b"about" not in manifest.payload


def test_a_translation_can_have_thanks_of_its_own() -> None:
    french = "translations: {fr: {title: T, consent: C, thanks: Merci, questions: {q: {text: Q}}}}\n"
    text = HEAD + "language: en\nabout: {thanks: Thanks}\n" + french + QUESTIONS
    manifest = compile_survey(text, "s.yaml").manifest
    assert manifest.translations["fr"].thanks == "Merci"
    assert Manifest.read(manifest.payload) == manifest


def test_a_logo_is_read_from_the_file_beside_the_survey_and_is_in_the_signed_bytes(tmp_path: Path) -> None:
    (tmp_path / "logo.png").write_bytes(PICTURE)
    text = HEAD + "about: {organisation: U, logo: logo.png, accent: '#7a1f5c'}\n" + QUESTIONS
    manifest = compile_survey(text, "s.yaml", folder=tmp_path).manifest
    assert manifest.about == About(organisation="U", logo=logo_of(PICTURE), accent="#7a1f5c")
    assert Manifest.read(manifest.payload) == manifest


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"<svg onload='alert(1)'/>", "logo.png: a logo must be a PNG, JPEG or WebP file"),
        (PICTURE + bytes(LARGEST_LOGO), f"logo.png has more than {LARGEST_LOGO} bytes"),
        (None, "logo.png: No such file or directory: give the path from the survey file"),
    ],
)
def test_a_logo_that_is_no_small_picture_is_refused(tmp_path: Path, content: bytes | None, words: str) -> None:
    if content is not None:
        (tmp_path / "logo.png").write_bytes(content)
    with pytest.raises(DefinitionError, match=words):
        compile_survey(HEAD + "about: {logo: logo.png}\n" + QUESTIONS, "s.yaml", folder=tmp_path)


@pytest.mark.parametrize(
    ("about", "line", "words"),
    [
        ("about: U\n", 4, "about must be a map"),
        ("about: {}\n", 4, "about must be a map"),
        ("about:\n  organisation: U\n  slogan: x\n", 6, "the field 'slogan' is not known"),
        ("about:\n  organisation: U\n  logo: x.png\n", 6, "needs a survey that is read from a file"),
        ("about:\n  logo: data:image/svg+xml;base64,AAAA\n", 5, "a PNG, JPEG or WebP picture"),
        ("about:\n  accent: red\n", 5, 'a colour such as "#0f5c66"'),
        ("about:\n  accent: '#ffcc00'\n", 5, "accent is too light"),
        ("about:\n  organisation: U\n  link: http://example.org\n", 6, "link must be the address of a page"),
        ("about:\n  contact: me\n", 5, "or a mailbox as mailto:name@example.org"),
        ("about:\n  thanks:\n", 5, "about has a field without a text"),
        ("about:\n  link: javascript:alert(1)\n", 5, "link must be the address of a page"),
    ],
)
def test_what_cannot_be_shown_is_refused_on_its_line(about: str, line: int, words: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        compile_survey(HEAD + about + QUESTIONS, "s.yaml")
    [finding] = refused.value.findings
    assert finding.line == line
    assert words in finding.message
