"""What cannot be seen makes no other text, and nothing turns the direction of reading, in every language."""

from __future__ import annotations

import json
import subprocess
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.running.tools import Tools
from tests.vectors.presentation import shown
from tests.vectors.read import vectors
from tests.vectors.texts import texts

from hushpoll_shared import strict_json
from hushpoll_shared.errors import ManifestRefused
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.texts import are_told_apart, normal_form

VECTORS = vectors("texts")
ROOT = Path(__file__).parents[2]
# Every code point that is a text, and its normal form if that is another.
PRINT_FORMS = """
import { normalForm } from "./client/js/src/texts.js";
const forms = {};
for (let point = 0; point < 0x110000; point += 1) {
  if (point >= 0xd800 && point < 0xe000) continue;
  const character = String.fromCodePoint(point);
  const form = normalForm(`a${character}a`);
  if (form !== `a${character}a`) forms[point] = form;
}
console.log(JSON.stringify(forms));
"""


def test_the_vectors_are_what_is_written_here() -> None:
    assert texts() == VECTORS


@pytest.mark.parametrize("case", VECTORS["normal"], ids=lambda case: str(case["name"]))
def test_a_text_has_the_normal_form_of_the_vectors_and_keeps_it(case: dict[str, Any]) -> None:
    assert normal_form(case["text"]) == case["normal"]
    assert normal_form(case["normal"]) == case["normal"]


def test_python_and_javascript_agree_on_every_code_point(tools: Tools) -> None:
    command = [str(tools.node), "--input-type=module", "--eval", PRINT_FORMS]
    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    forms = {int(point): form for point, form in json.loads(printed).items()}
    assert len(forms) > 5000
    points = (point for point in range(0x110000) if not 0xD800 <= point < 0xE000)
    differing = [p for p in points if normal_form(f"a{chr(p)}a") != forms.get(p, f"a{chr(p)}a")]
    # A character that is younger than this Python has no decomposition here.
    assert [hex(point) for point in differing if unicodedata.category(chr(point)) != "Cn"] == []
    assert all(len(forms[point]) > 2 for point in differing)


PLACES: dict[str, Any] = {
    "title": ("title",),
    "consent": ("consent",),
    "question": ("questions", 0, "text"),
    "option": ("questions", 1, "options", 1, 1),
    "label": ("questions", 4, "labels", 0, 1),
    "part of a pair": ("questions", 6, "parts", 0, "text"),
    "translated title": ("translations", "fr", "title"),
    "translated question": ("translations", "fr", "questions", "cheated", "text"),
    "translated option": ("translations", "fr", "questions", "often", "options", 0),
}


def changed(place: tuple[Any, ...], character: str) -> bytes:
    """Put a character into a text of a manifest."""
    fields = json.loads(shown().payload)
    holder = fields
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] += character
    return strict_json.dumps(fields)


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
def test_a_manifest_whose_text_is_turned_by_an_invisible_character_is_refused(place: tuple[Any, ...]) -> None:
    for character in VECTORS["refused"]:
        with pytest.raises(ManifestRefused, match="turns the direction of reading"):
            Manifest.read(changed(place, character))


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
def test_marks_that_languages_need_are_not_refused(place: tuple[Any, ...]) -> None:
    for character in VECTORS["allowed"]:
        Manifest.read(changed(place, character))


def test_a_marked_text_is_written_as_it_is() -> None:
    manifest = replace(shown(), title="می‌خواهم")
    assert Manifest.read(manifest.payload).title == "می\u200cخواهم"


@pytest.mark.parametrize(
    "twin",
    [
        "Yes\u200b",
        "\u2060Yes",
        "Y\u00ades",
        "\ufeffYes",
        "Yes ",
        "\tYes\n",
        "Yes\u3000",
        "Yes\x00",
        "Yes\ufe0f",
        "Y\U000e0041es",
        "\u202dYes\u202c",
    ],
)
def test_two_texts_that_look_the_same_are_not_told_apart(twin: str) -> None:
    assert not are_told_apart(["Yes", "No", twin])


def test_blanks_and_accents_are_compared_as_they_are_shown() -> None:
    assert normal_form(" A\u00a0 few\n times ") == "A few times"
    assert not are_told_apart(["Caf\u00e9", "Cafe\u0301"])
    assert not are_told_apart(["Caf\u00e9", "Cafe\u200b\u0301"])


@pytest.mark.parametrize("unseen", ["", " ", "\u200b", "\u2060\u00ad", "\x07"])
def test_a_text_that_cannot_be_seen_is_none(unseen: str) -> None:
    assert not are_told_apart(["Yes", unseen])


def test_texts_that_look_different_are_told_apart() -> None:
    assert are_told_apart(["Yes", "yes", "Yes.", "m\u00b2", "m2", "نعم", "می\u200cروم", "👩\u200d👧", "1", "10"])
