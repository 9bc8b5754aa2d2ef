"""Public groups in a survey file: one dimension or several, translated, and never an answer."""

from __future__ import annotations

import pytest

from hushpoll_server.compile.definition import Compiled, DefinitionError, compile_survey
from hushpoll_shared.groups import Groups

QUESTION = """
questions:
  - id: cheated
    text: Have you ever cheated?
    type: yes_no
    privacy: {odds: "3:1"}
  - id: field
    text: What do you study?
    type: single_choice
    options: {law: Law, medicine: "Medicine "}
    privacy: {epsilon: "1"}
"""


def compiled(text: str) -> Compiled:
    return compile_survey(f"survey: campus\ntitle: Campus\nconsent: Please.\n{text}{QUESTION}", "campus.yaml")


def groups_in(text: str) -> Groups:
    groups = compiled(text).manifest.groups
    assert groups is not None
    return groups


def errors(text: str) -> str:
    with pytest.raises(DefinitionError) as caught:
        compiled(text)
    return str(caught.value)


def test_a_map_of_labels_is_one_dimension() -> None:
    groups = groups_in("groups: {arts: Arts, engineering: Engineering}\n")
    [dimension] = groups.dimensions
    assert (dimension.id, dimension.ids) == ("group", ("arts", "engineering"))
    assert [label.text for label in dimension.labels] == ["Arts", "Engineering"]
    assert groups.smallest == 30


def test_several_dimensions_have_names_and_perhaps_texts() -> None:
    groups = groups_in(
        "groups:\n  faculty: {text: Faculty, labels: {arts: Arts, engineering: Engineering}}\n"
        "  age: {young: under 25, older: 25 or older}\nsmallest_group: 5\n"
    )
    assert [(each.id, each.text) for each in groups.dimensions] == [("faculty", "Faculty"), ("age", "age")]
    assert groups.smallest == 5


def test_lint_says_that_groups_are_public() -> None:
    warnings = [finding.message for finding in compiled("groups: {arts: Arts, engineering: Engineering}\n").warnings]
    assert any("groups are public" in message and "no epsilon covers that" in message for message in warnings)


@pytest.mark.parametrize(
    "label",
    [
        "law: The law",
        "jurists: LAW",
        "health: medicine",
        'doctors: "Medi\u200bcine"',
        "yes: People who did",
        "a: Ｙｅｓ",
        "b: Yes.",
    ],
)
def test_a_label_that_is_an_answer_is_refused(label: str) -> None:
    message = errors(f"groups: {{arts: Arts, {label}}}\n")
    assert "line 4" in message
    assert "is an answer to the question" in message


def test_a_dimension_that_repeats_a_question_is_refused_on_its_own_line() -> None:
    message = errors("groups:\n  age: {young: under 25, older: 25 or older}\n  study: {law: L, other: O}\n")
    assert "line 6: the group law is an answer to the question field" in message


@pytest.mark.parametrize(
    ("text", "cure"),
    [
        ("groups: [arts, engineering]", "groups must be a map of labels"),
        ("groups: {}", "groups must be a map of labels"),
        ("groups: {arts: Arts}", "with one there is nothing to compare"),
        ("groups: {Arts: Arts, engineering: Engineering}", "a group's label"),
        ("groups: {arts: 1, engineering: Engineering}", "the text of a group"),
        ("groups: {arts: ~, engineering: Engineering}", "is empty"),
        ("groups: {arts: Arts, engineering: Arts}", "look the same"),
        ("groups: {faculty: {arts: Arts, engineering: Engineering}, age: old}", "age must be a map of labels"),
        ("groups: {cheated: {a: A, b: B}}", "a question and a dimension of groups have the same id"),
        ("groups: {a: {arts: A, b: B}, c: {arts: C, d: D}}", "two groups or dimensions have the same name"),
        ("smallest_group: 10", "there are no groups"),
        ("groups: {a: A, b: B}\nsmallest_group: 0", "smallest_group must be a whole number"),
    ],
)
def test_an_error_has_its_cure(text: str, cure: str) -> None:
    assert cure in errors(f"{text}\n")


TRANSLATED = """language: en
groups: {{arts: Arts, engineering: Engineering}}
translations:
  fr:
    title: Campus
    consent: S’il vous plaît.
    {groups}
    questions: {{cheated: {{text: Oui ?}}, field: {{text: Quoi ?}}}}
"""


def test_labels_are_translated_all_or_none() -> None:
    manifest = compiled(TRANSLATED.format(groups="groups: {engineering: Génie, arts: Lettres}")).manifest
    assert manifest.translations["fr"].groups == {"arts": "Lettres", "engineering": "Génie"}
    untranslated = compiled(TRANSLATED.format(groups="thanks: Merci"))
    assert not untranslated.manifest.translations["fr"].groups
    assert any("the groups are not translated into fr" in finding.message for finding in untranslated.warnings)
    assert "engineering are missing here" in errors(TRANSLATED.format(groups="groups: {arts: Lettres}"))
    assert "has no group" in errors(TRANSLATED.format(groups="groups: {arts: L, engineering: G, law: D}"))
    assert "groups must be a map" in errors(TRANSLATED.format(groups="groups: [Lettres]"))


@pytest.mark.parametrize("groups", ["groups: {arts: Droit, engineering: G}", "groups: {arts: Oui, engineering: Non}"])
def test_a_label_that_is_an_answer_in_a_translation_is_refused(groups: str) -> None:
    text = TRANSLATED.format(groups=groups).replace("{text: Quoi ?}", "{text: Quoi ?, options: [Droit, Médecine]}")
    assert "is an answer to the question" in errors(text)


def test_a_label_that_is_an_answer_in_a_translation_only_is_refused() -> None:
    text = TRANSLATED.format(groups="thanks: Merci").replace("arts: Arts", "arts: Droit")
    assert "is an answer to the question" in errors(
        text.replace("{text: Quoi ?}", "{text: Quoi ?, options: [Droit, M]}")
    )
