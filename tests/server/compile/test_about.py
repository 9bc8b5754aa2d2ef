"""Who asks, where to ask back, and what people see after Send: read from a survey file."""

from __future__ import annotations

import pytest

from hushpoll_server.compile.definition import DefinitionError, compile_survey
from hushpoll_shared.about import About
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


@pytest.mark.parametrize(
    ("about", "line", "words"),
    [
        ("about: U\n", 4, "about must be a map"),
        ("about: {}\n", 4, "about must be a map"),
        ("about:\n  organisation: U\n  logo: x\n", 6, "the field 'logo' is not known"),
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
