"""Every language has all sentences, with the same numbers, and none promises more than the English one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from tests.mechanisms.cases import home
from tests.samples.designs import warner
from tests.samples.every_type import every_type
from tests.samples.surveys import KEY, two_questions
from tests.server.respond.test_label import survey_of

import hushpoll_shared.mechanisms
import hushpoll_shared.words
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.laplace import LaplaceMechanism
from hushpoll_server.paths import template_folder
from hushpoll_server.respond import label
from hushpoll_server.services import Services
from hushpoll_server.words import ENGLISH, for_page
from hushpoll_server.words.sentences import mechanism_name
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import DESIGNS, Design
from hushpoll_shared.presentation import TranslatedQuestion, Translation
from hushpoll_shared.question_types import EXTRAS, AnyQuestionType, Scale, YesNo
from hushpoll_shared.questions import Question
from hushpoll_shared.scripts import script_folder
from hushpoll_shared.words import Words, interface, known

RESPOND = Path(label.__file__).parent
WORDS = RESPOND.parent / "words"
MECHANISMS = Path(hushpoll_shared.mechanisms.__file__).parent
SHARED_WORDS = Path(hushpoll_shared.words.__file__).parent
GAP = re.compile(r"{(\w+)}")
NUMBER = re.compile(r"-?\d[\d.,\u202f]*\d|\d")
# What is never said (the team's list): anonymous, guaranteed, military-grade, noise is added, lie, fake.
NOT_SAID = {
    "en": r"anonym|guarante|militar|noise|\blies?\b|\blying|fake",
    "de": r"anonym|garanti|militär|rausch|\blüg|gelogen|fälsch|fake",
    "fr": r"anonym|garanti|militaire|\bbruit|mensong|\bmentir|\bfaux\b|fausse|falsifi|truqu",
    "ar": "مجهول|ضمان|مضمون|[نيت]ضمن|عسكري|ضوضاء|ضجيج|تشويش|كذب|كاذب|مزيف|مزوّر|مزور|زائف",
}
# Keys that the code composes, like those of the extras, from their names in a manifest.
BUILT = ("verdict_", "reason_", "your_", "pairs")

# Every design in the vectors, and every question of a survey with every type.
TOLD: list[tuple[AnyQuestionType, Design]] = [
    *((question.type, question.design) for question in every_type().questions),
    *((case.type, case.design("1")) for name in DESIGNS for case in home(name).CASES),
]

every_language = pytest.mark.parametrize("words", [interface(tag) for tag in known()], ids=known())


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Nothing here depends on the engine: one is enough."""
    return sqlite_url


def texts_in(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Return every text of a language with its path."""
    if isinstance(value, str):
        yield path, value
        return
    for key, part in value.items() if isinstance(value, dict) else enumerate(value):
        yield from texts_in(part, f"{path}/{key}")


def all_texts(words: Words) -> dict[str, str]:
    return dict(texts_in({**words.form, **words.page, "mechanisms": words.mechanisms}))


def shape(text: str) -> tuple[list[str], int]:
    """Return the placeholders of a text and how many parts it has."""
    return sorted(set(GAP.findall(text))), text.count("|")


def in_four_languages() -> Manifest:
    """Make a survey that is translated into Arabic, French and a language without words of the interface."""
    questions = {
        "cheated": TranslatedQuestion("هل سبق أن غششت في امتحان هنا؟"),
        "helped": TranslatedQuestion("هل سبق أن ساعدت غيرك على الغش؟"),
    }
    arabic = Translation("النزاهة في الجامعة", "المشاركة طوعية.", questions)
    french = Translation("Intégrité", "Participer est libre.", questions)
    return two_questions(language="en-GB", translations={"ar": arabic, "fr": french, "pt": french})


@every_language
def test_every_language_has_the_same_keys_gaps_and_parts(words: Words) -> None:
    ours, english = all_texts(words), all_texts(ENGLISH)
    assert list(ours) == list(english)
    assert {place: shape(text) for place, text in ours.items()} == {
        place: shape(text) for place, text in english.items()
    }
    assert all(ours.values())
    assert not set(words.form) & set(words.page)


@every_language
def test_no_language_promises_too_much(words: Words) -> None:
    said = re.compile(NOT_SAID[words.tag], re.IGNORECASE)
    assert [text for text in all_texts(words).values() if said.search(text)] == []


def test_the_list_of_what_is_not_said_finds_it() -> None:
    promises = {"en": "We guarantee it", "de": "Völlig anonym", "fr": "C'est garanti", "ar": "إجابتك مجهولة"}
    assert all(re.search(NOT_SAID[tag], promise) for tag, promise in promises.items())
    assert sorted(NOT_SAID) == list(known())


def code() -> dict[str, str]:
    """Read all code that takes words by their keys, by its language."""
    files = {
        "py": [*RESPOND.glob("*.py"), *WORDS.glob("*.py"), *SHARED_WORDS.glob("*.py"), *MECHANISMS.glob("*.py")],
        "js": [*(script_folder() / "form").rglob("*.js"), script_folder() / "src" / "sentences.js"],
        "html": [*template_folder().rglob("*.html")],
    }
    return {kind: "\n".join(file.read_text(encoding="utf-8") for file in found) for kind, found in files.items()}


def test_every_key_is_used() -> None:
    everything = "\n".join(code().values())
    keys = [key for key in (*ENGLISH.form, *ENGLISH.page) if key not in EXTRAS and not key.startswith(BUILT)]
    assert [key for key in keys if not re.search(rf"[\"'.]{key}\b|[{{,] {key}[ ,]", everything)] == []


def test_every_key_of_a_mechanism_is_used_by_its_design_or_by_a_sentence_of_it() -> None:
    for name, words in ENGLISH.mechanisms.items():
        code = "\n".join(
            (MECHANISMS / f"{each}.py").read_text(encoding="utf-8") for each in (name, "subset", "sentence")
        )
        assert [key for key in words if key != "names" and f'"{key}"' not in code] == [], name


def test_every_key_that_is_asked_for_exists() -> None:
    asked = {
        "py": r"(?:words|ENGLISH)\[\"(\w+)\"\]|fill\(\"(\w+)\"",
        "html": r"words\[[\"'](\w+)[\"']\]|words\.fill\(\"(\w+)\"|data-word=\"(\w+)\"|(?<!\.)first\.(\w+)",
        "js": r"\bwords\.(\w+)|\bwords\[\"(\w+)\"\]|\bfill\(\"(\w+)\"",
    }
    found = {kind: {"".join(keys) for keys in re.findall(asked[kind], text)} for kind, text in code().items()}
    assert all(len(found[kind]) > least for kind, least in (("py", 8), ("js", 20), ("html", 20)))
    known_keys = {*ENGLISH.form, *ENGLISH.page, "lang", "mechanisms"}
    assert {kind: keys - known_keys for kind, keys in found.items()} == {"py": set(), "js": set(), "html": set()}


@every_language
@pytest.mark.parametrize("case", TOLD, ids=lambda case: str(case[1].NAME))
def test_a_sentence_has_the_same_numbers_in_every_language(words: Words, case: tuple[AnyQuestionType, Design]) -> None:
    question = Question("q", "?", *case)
    assert mechanism_name(question, words)
    told, english = question.told(words.tag), question.told("en")
    for sentence, same in ((told.odds, english.odds), (told.sent, english.sent)):
        assert numbers_in(sentence) == numbers_in(same)
        assert not set("{|}") & set(sentence)
        assert sentence.endswith(".")


def numbers_in(sentence: str) -> set[str]:
    return {re.sub(r"[,\u202f]", "", number) for number in NUMBER.findall(sentence)}


def test_sentences_read_well_in_every_language() -> None:
    question = Question("q", "?", YesNo(), warner(odds="3:1"))
    rare = Question("q", "?", YesNo(), warner(p="0.99"))
    assert question.told("de").odds == ("Ihr Gerät sendet in 75 von 100 Fällen Ihre echte Antwort, in 25 die andere.")
    assert rare.told("de").odds == ("Ihr Gerät sendet in 99 von 100 Fällen Ihre echte Antwort, in einem die andere.")
    assert rare.told("fr").odds == ("Votre appareil envoie votre vraie réponse 99 fois sur 100, l’autre une fois.")
    assert rare.told("ar").odds == ("يرسل جهازك إجابتك الحقيقية في 99 من كل 100 مرة، والخيار الآخر في مرة واحدة منها.")


def test_a_bound_on_a_guess_is_a_plain_number() -> None:
    question = Question("q", "?", Scale(1, 5, report="mean"), LaplaceMechanism.of(Bound.of_epsilon("9")))
    assert question.told("en").odds.endswith("right at most 100 times in 100, wrong at least 0 times.")


def first_screen(manifest: Manifest, words: Words) -> str:
    """Return what the label on the first screen says; what the device remembers of a panel is shown below it."""
    rows = [f"{row.who} {row.verdict}. {row.reason}" for row in label.rows(manifest, words)]
    asking = words.fill("note_asking", ask=manifest.ask or 0, all=len(manifest.questions))
    notes = [asking] * bool(manifest.ask) + [words["note_waves"]] * bool(manifest.panel)
    return " ".join([label.opening(manifest, words), words["label"], *rows, *notes, words["how"]])


@every_language
def test_the_first_screen_has_at_most_120_words_for_every_verdict_and_note(words: Words) -> None:
    epsilons = (("0.5",), ("1.5",), ("3",), ("0.4", "0.5"), ("0.5", "6"))
    asked = every_type(questions=every_type().questions[1:], ask=3)
    for manifest in (every_type(), asked, *(survey_of(*each) for each in epsilons)):
        # Both notes together, with the longest verdict, are some words longer; that is rare.
        most = 130 if manifest.ask and manifest.panel else 120
        assert len(first_screen(manifest, words).split()) <= most


@every_language
def test_a_count_never_says_always_or_never(words: Words) -> None:
    said = [words.count(times) for times in range(101)]
    assert (said[0], said[1], said[100]) == (words["count_less"], words["count_once"], words["count_more"])
    assert all(str(times) in said[times] for times in range(2, 100))
    assert len(set(said)) == 101


def test_numbers_have_the_languages_own_mark_between_thousands() -> None:
    assert [interface(tag).number(1234567) for tag in ("ar", "de", "en")] == [
        "1,234,567",
        "1\u202f234\u202f567",
        "1,234,567",
    ]


def test_a_language_is_found_by_its_tag_or_its_primary_language_else_it_is_english() -> None:
    found = {tag: interface(tag).tag for tag in ("de", "de-AT", "ar-EG", "en-GB", "pt", "tlh")}
    assert found == {"de": "de", "de-AT": "de", "ar-EG": "ar", "en-GB": "en", "pt": "en", "tlh": "en"}


def test_the_form_carries_the_words_of_its_languages_and_none_of_the_label() -> None:
    words = for_page(in_four_languages())
    assert [(tag, carried["lang"], carried["name"], carried["direction"]) for tag, carried in words.items()] == [
        ("en-GB", "en", "English (en-GB)", "ltr"),
        ("ar", "ar", "العربية", "rtl"),
        ("fr", "fr", "Français", "ltr"),
        ("pt", "en", "pt", "ltr"),
    ]
    spoken = {*ENGLISH.form, "mechanisms", "lang"} - {"skip", "loading", "no_script"}
    assert all(spoken == set(carried) for carried in words.values())
    assert {tuple(carried["mechanisms"]) for carried in words.values()} == {("subset",)}
    assert list(for_page(two_questions())) == ["en"]


def test_the_label_is_in_the_surveys_language_and_links_the_others(client: FlaskClient, services: Services) -> None:
    services.surveys.publish(in_four_languages(), KEY)
    page = client.get("/s/campus/privacy").text
    assert '<html lang="en" dir="ltr">' in page
    assert 'lang="en-GB" dir="auto">Campus integrity</h1>' in page
    for tag, name in (("ar", "العربية"), ("fr", "Français"), ("pt", "pt")):
        link = f'<a href="/s/campus/privacy?lang={tag}" lang="{tag}" hreflang="{tag}" dir="auto">{name}</a>'
        assert link in page
    assert client.get("/s/campus/privacy?lang=tlh").text == page


def test_the_label_in_arabic_runs_from_right_to_left(client: FlaskClient, services: Services) -> None:
    manifest = services.surveys.publish(in_four_languages(), KEY).manifest
    page, arabic = client.get("/s/campus/privacy?lang=ar").text, interface("ar")
    assert '<html lang="ar" dir="rtl">' in page
    for text in ("النزاهة في الجامعة", "هل سبق أن غششت في امتحان هنا؟", manifest.questions[0].told(arabic.tag).odds):
        assert text in page
    assert not [text for text in (*ENGLISH["stored"], ENGLISH["label"], "Campus integrity") if text in page]
    assert 'hreflang="en-GB" dir="auto">English (en-GB)</a>' in page


@pytest.mark.parametrize("path", ["/s/campus/privacy?lang=ar&format=json", "/s/campus/privacy?format=json"])
def test_the_label_for_programs_is_in_english(client: FlaskClient, services: Services, path: str) -> None:
    services.surveys.publish(in_four_languages(), KEY)
    told = json.loads(client.get(path).data)
    assert told["title"] == "Campus integrity"
    assert told["questions"][0]["sentence"] == (
        "Your device sends your real answer 75 times in 100, the other one 25 times."
    )
    assert told["who_could_learn"][0] == {
        "who": "The people who run this survey",
        "verdict": "Probably",
        "reason": "Chance hides too little.",
    }
    assert told["not_stored"][0] == "Your answers: they never leave your device."


def test_a_survey_that_is_not_open_says_so_in_its_language(client: FlaskClient, services: Services) -> None:
    opens = datetime(2026, 11, 17, 9, tzinfo=UTC)
    services.surveys.publish(two_questions(language="fr", opens=opens), KEY)
    page = client.get("/s/campus").text
    assert '<html lang="fr" dir="ltr">' in page
    assert ">17 novembre 2026 à 09:00 UTC</time>. Revenez alors à la même adresse.</p>" in page


def test_the_label_says_how_to_check_the_script(client: FlaskClient, services: Services) -> None:
    services.surveys.publish(two_questions(), KEY, from_disk=True)
    page = client.get("/s/campus/privacy").text
    for command in ("hushpoll verify-site http://localhost", "curl -s http://localhost/js/form.js | sha256sum"):
        assert f'<pre dir="ltr">{command}</pre>' in page
    assert re.search(r'<dd class="mono">[0-9a-f]{64}</dd>', page)
    assert 'href="/s/campus/page.html"' in page
