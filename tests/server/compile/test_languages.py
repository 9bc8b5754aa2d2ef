"""The language of a survey file, its translations, the sites that may embed it: what is read, and what is missing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.server.compile.survey_files import HEAD, error_of, manifest_of, survey

from hushpoll_server.compile.definition import DefinitionError, compile_survey
from hushpoll_shared.presentation import TranslatedQuestion, Translation

QUESTIONS: list[dict[str, Any]] = [
    {"id": "cheated", "text": "Have you?", "type": "yes_no", "privacy": {"epsilon": 1}},
    {"id": "often", "text": "How often?", "type": "single_choice", "options": {"n": "never", "o": "often"},
     "privacy": {"epsilon": 1}},
    {"id": "stress", "text": "Stress?", "type": "scale", "min": 1, "max": 5, "labels": {"1": "none", "5": "much"},
     "privacy": {"epsilon": 1}},
    {"id": "job", "text": "A job?", "type": "yes_no"},
    {"id": "debts", "text": "Debts?", "type": "single_choice", "options": ["none", "some"]},
    {"id": "both", "pair": ["debts", "job"], "privacy": {"epsilon": 1}},
]  # fmt: skip
FRENCH: dict[str, Any] = {
    "cheated": {"text": "L’avez-vous fait ?"},
    "often": {"text": "Combien ?", "options": {"o": "souvent", "n": "jamais"}},
    "stress": {"text": "Stress ?", "labels": ["aucun", "beaucoup"]},
    "job": {"text": "Un emploi ?"},
    "debts": {"text": "Des dettes ?", "options": ["aucune", "quelques-unes"]},
}


def file(*, language: Any = "en", tag: str = "fr", questions: Any = FRENCH, own: Any = QUESTIONS, **texts: Any) -> str:
    """Return a survey with one translation, as JSON; `None` leaves a text out."""
    translation = {"title": "Campus", "consent": "C’est volontaire.", "questions": questions, **texts}
    fields = {"survey": "campus", "title": "Campus", "consent": "Please.", "language": language,
              "translations": {tag: {key: value for key, value in translation.items() if value is not None}},
              "questions": own}  # fmt: skip
    return json.dumps({key: value for key, value in fields.items() if value is not None}, indent=1)


def without(name: str, *path: str) -> dict[str, Any]:
    questions = json.loads(json.dumps(FRENCH))
    place = questions[name] if path else questions
    del place[path[0] if path else name]
    return dict(questions)


def with_(name: str, **changes: Any) -> dict[str, Any]:
    return {**FRENCH, name: {**FRENCH.get(name, {}), **changes}}


def warnings_of(text: str) -> list[str]:
    return [finding.message for finding in compile_survey(text, "poll.yaml").warnings]


def test_a_translation_is_read_in_the_manifests_order_with_lists_and_maps() -> None:
    texts = {
        "cheated": TranslatedQuestion("L’avez-vous fait ?"),
        "often": TranslatedQuestion("Combien ?", ("jamais", "souvent")),
        "stress": TranslatedQuestion("Stress ?", (), ("aucun", "beaucoup")),
        # A pair without a text of its own has that of its parts, in their order.
        "both": TranslatedQuestion("Des dettes ? × Un emploi ?"),
        "debts": TranslatedQuestion("Des dettes ?", ("aucune", "quelques-unes")),
        "job": TranslatedQuestion("Un emploi ?"),
    }
    manifest = manifest_of(file())
    assert manifest.translations == {"fr": Translation("Campus", "C’est volontaire.", texts)}
    assert manifest.languages == ("en", "fr")


def test_labels_may_be_a_map_of_points() -> None:
    manifest = manifest_of(file(questions=with_("stress", labels={"5": "beaucoup", "1": "aucun"})))
    assert manifest.translations["fr"].questions["stress"].labels == ("aucun", "beaucoup")


def test_translations_are_written_in_the_order_of_their_tags() -> None:
    fields = json.loads(file())
    fields["translations"] = dict.fromkeys(("fr", "de", "zh-Hant", "ar"), fields["translations"]["fr"])
    assert manifest_of(json.dumps(fields)).languages == ("en", "ar", "de", "fr", "zh-Hant")


def test_a_bare_no_is_norwegian() -> None:
    manifest = manifest_of(survey("type: yes_no", head="language: no\n"))
    assert manifest.language == "no"
    translated = "translations:\n  no: {title: T, consent: C, questions: {q1: {text: Har du?}}}\n"
    assert manifest_of(survey("type: yes_no", head=f"language: en\n{translated}")).languages == ("en", "no")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (file(title=None), "the translation into fr has no title: add title: …"),
        (file(consent=None), "the translation into fr has no consent: add consent: …"),
        (file(questions=None), "the translation into fr has no questions"),
        (file(questions=[]), "the translation into fr has no questions"),
        (file(questions=without("often")), "the translation into fr lacks: often: add often: {text: …}"),
        (file(questions={"job": {"text": "?"}}), "lacks: cheated, often, stress, debts: add cheated"),
        (file(questions=without("job")), "the translation into fr lacks: job"),
        (file(own=[*QUESTIONS[:5], {**QUESTIONS[5], "text": "Both"}]), "the translation into fr lacks: both"),
        (file(questions=without("stress", "text")), "the translation into fr of stress has no text: add text: …"),
        (file(questions=with_("other", text="?")), "the field 'other' is not known"),
        (file(questions=with_("cheate", text="?")), "did you mean cheated?"),
        (file(questions=with_("often", option=["a", "b"])), "did you mean options?"),
        (file(questions={**FRENCH, "cheated": "?"}), "this must be a map with fields such as text: …"),
        (file(questions=with_("cheated", text=" ")), "text is empty"),
        (file(title=3), "title must be a text of 1 to 10000 characters"),
        (file(questions=with_("often", options=["jamais"])), "options must be 2 texts in the survey's order, or a map"),
        (file(questions=with_("often", options="jamais")), "options must be 2 texts"),
        (file(questions=with_("often", options={"n": "jamais"})), "the options o are missing here: translate all"),
        (file(questions=with_("often", options={"x": "jamais"})), "no option 'x': its options are n, o"),
        (file(questions=with_("often", options=["jamais", 3])), "a translation must be a text: put it in quotes"),
        (file(questions=with_("often", options=["jamais", ""])), "a translation is empty"),
        (file(questions=with_("stress", labels={"1": "a", "2": "b"})), "no label '2': its labels are 1, 5"),
        (file(questions=with_("stress", labels=["a"])), "labels must be 2 texts"),
        (file(questions=with_("cheated", options=["non", "oui"])), "the question has no options: remove them here"),
        (file(questions=with_("often", labels=["a", "b"])), "the question has no labels: remove them here"),
        (file(language=None), "add a line such as language: en"),
        (file(language="fr"), "fr is the survey's own language: remove this translation"),
        (file(language="English"), 'language must be the tag of a language such as "en"'),
        (file(language=False), 'write "no" in quotes'),
        (file(language=1), "language must be the tag of a language"),
        (file(tag="en_GB"), "the key of a translation must be the tag of a language"),
        (file(tag="false"), 'write "no" in quotes'),
        (survey("type: yes_no", head="language: en\ntranslations: [fr]\n"), "translations must be a map of languages"),
        (survey("type: yes_no", head="language: en\ntranslations: {}\n"), "translations must be a map of languages"),
        (
            survey("type: yes_no", head="language: en\ntranslations: {fr: Bonjour}\n"),
            "this must be a map with fields such as title",
        ),
    ],
)
def test_what_is_missing_or_too_much_is_named_with_the_cure(text: str, words: str) -> None:
    assert words in error_of(text)[1]


def test_slips_are_shown_on_their_lines_and_all_at_once() -> None:
    text = HEAD + (
        "language: en\n"
        "translations:\n"
        "  fr:\n"
        "    title: T\n"
        "    questions:\n"
        "      q1: {text: Une ?}\n"
        "      q2:\n"
        "        text: Deux ?\n"
        "        options:\n"
        "        - jamais\n"
        "        - 3\n"
        "  de: {title: T, consent: C, questions: {q1: {text: Eins?}}}\n"
        "questions:\n"
        "  - {id: q1, text: x, type: yes_no}\n"
        "  - {id: q2, text: x, type: single_choice, options: [a, b]}\n"
    )
    with pytest.raises(DefinitionError) as caught:
        compile_survey(text, "poll.yaml")
    assert [finding.line for finding in caught.value.findings] == [7, 14, 15]


def test_what_is_wrong_with_a_question_is_said_only_there() -> None:
    own = [QUESTIONS[0], {**QUESTIONS[1], "options": ["a"]}, *QUESTIONS[2:]]
    assert "between 2 and" in error_of(file(own=own))[1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (file(tag="eo"), "Hushpoll is not translated into eo: its buttons and explanations are shown in English"),
        (file(language="tlh-QO"), "Hushpoll is not translated into tlh-QO"),
        (file(consent="Réponses anonymes."), "do not promise anonymity"),
        (file(title="Encuesta anónima"), "do not promise anonymity"),
        (file(consent="إجاباتك مجهولة الهوية."), "do not promise anonymity"),
        (file(questions=with_("cheated", text="Est-ce anonyme ?")), "do not promise anonymity"),
        (file(questions=with_("cheated", text="Alors, {{name}} ?")), "piped"),
        (file(questions=without("often", "options")), "the options of often are not translated into fr"),
        (file(questions=without("stress", "labels")), "the labels of stress are not translated into fr"),
    ],
)
def test_lint_warns_of_what_people_would_read(text: str, words: str) -> None:
    said = [message for message in warnings_of(text) if "no words in fr" not in message]
    assert len(said) == 1
    assert words in said[0]


def test_a_region_of_a_language_with_words_needs_no_warning() -> None:
    assert warnings_of(survey('type: yes_no, privacy: {epsilon: "1"}', head="language: en-GB\n")) == []


@pytest.mark.parametrize("hosts", ["[]", "[https://example.org]", '["https://a.example:8443", https://b.example]'])
def test_embed_names_the_sites_that_may_show_the_form(hosts: str) -> None:
    manifest = manifest_of(survey("type: yes_no", head=f"embed: {hosts}\n"))
    assert len(manifest.hosts) == hosts.count("https")


def test_http_is_for_this_machine_and_lint_says_so() -> None:
    text = survey('type: yes_no, privacy: {epsilon: "1"}', head='embed: ["http://localhost:5000"]\n')
    assert warnings_of(text) == ["http is only for trying things out on this machine: publish with https hosts only"]


@pytest.mark.parametrize(
    ("hosts", "words"),
    [
        ("https://example.org", "embed must be a list"),
        ("[https://example.org/]", "without a path"),
        ("[http://example.org]", "must be written as https://example.org"),
        ("[Https://Example.org]", "in lower case"),
        ("[example.org]", "must be written as https://example.org"),
        ('["https://*.example.org"]', "must be written as https://example.org"),
        ("[[]]", "must be written as https://example.org"),
        ("[https://a.org, https://a.org]", "at most 20 different ones"),
        (f"[{', '.join(f'https://h{i}.org' for i in range(21))}]", "at most 20 different ones"),
    ],
)
def test_what_is_no_site_is_refused_with_the_cure(hosts: str, words: str) -> None:
    line, message = error_of(survey("type: yes_no", head=f"embed: {hosts}\n"))
    assert line == 4
    assert words in message
