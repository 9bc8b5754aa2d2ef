"""Vectors of how a survey is shown: languages, translations, hosts, conditions.

Each refused payload breaks exactly one rule.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.mechanisms.cases import Vector
from tests.mechanisms.test_repeated import SECRET
from tests.samples.designs import warner
from tests.samples.presented import PICTURE
from tests.vectors.keys import KEY
from tests.vectors.streams import FixedTestStream

from hushpoll_client.survey import Survey
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.ball import BallMechanism
from hushpoll_server.mechanisms.laplace import LaplaceMechanism
from hushpoll_server.mechanisms.repeated import RepeatedMechanism
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_shared import strict_json
from hushpoll_shared.about import About
from hushpoll_shared.appearance import LARGEST_LOGO, logo_of
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Ball
from hushpoll_shared.presentation import (
    MOST_ANSWERS,
    MOST_HOSTS,
    MOST_TRANSLATIONS,
    TranslatedQuestion,
    Translation,
    When,
)
from hushpoll_shared.question_types import EXTRAS, MultiChoice, Number, Option, Pair, Part, Scale, SingleChoice, YesNo
from hushpoll_shared.questions import Question
from hushpoll_shared.signing import sign

APPLIES = EXTRAS[1:]
epsilon = Bound.of_epsilon
WAYS = (Option("phone", "my phone"), Option("notes", "notes"), Option("1", "1"))
ABOUT = {
    "organisation": "Example University",
    "contact": "mailto:polls+1@example.org",
    "privacy": "https://example.org/privacy?a=1#b",
    "thanks": "Thank you.\nYou helped.",
    "link": "https://sub.example.org/",
    "logo": logo_of(PICTURE),
    "accent": "#0f5c66",
}
WRONG_ABOUT: dict[str, Any] = {
    "null": None,
    "nothing": {},
    "a list": ["organisation"],
    "another field": {"organisation": "U", "slogan": "x"},
    "fields in another order": {"contact": "https://example.org", "organisation": "U"},
    "an empty organisation": {"organisation": " "},
    "no organisation": {"organisation": None},
    "a turning text": {"thanks": "a\u202eb"},
    "a page by http": {"link": "http://example.org/"},
    "a script": {"link": "javascript:alert(1)"},
    "a mailbox where a page is meant": {"privacy": "mailto:a@example.org"},
    "a mailbox with a subject": {"contact": "mailto:a@example.org?subject=x"},
    "a mailbox in a list": {"contact": ["mailto:a@example.org"]},
    "a page with a user": {"contact": "https://me@example.org/"},
    "a page with a port": {"link": "https://example.org:8443/"},
    "a page with a space": {"link": "https://example.org/a b"},
    "a page with a quote": {"link": 'https://example.org/"'},
    "a page with a line break": {"link": "https://example.org/\n"},
    "a page without a domain": {"link": "https://localhost/"},
    "a page in capitals": {"link": "https://Example.org/"},
    "a page that is too long": {"link": f"https://example.org/{'a' * 401}"},
    "a logo elsewhere": {"logo": "https://example.org/logo.png"},
    "a logo with code": {"logo": "data:image/svg+xml;base64,PHN2Zy8+"},
    "a logo of another type than it says": {"logo": logo_of(PICTURE).replace("png", "jpeg")},
    "a logo in another spelling": {"logo": logo_of(PICTURE[:-1]).replace("A==", "B==")},
    "a logo that ends too early": {"logo": logo_of(PICTURE)[:-1]},
    "a logo that is too large": {"logo": logo_of(PICTURE + bytes(LARGEST_LOGO))},
    "a logo in a list": {"logo": [logo_of(PICTURE)]},
    "an accent by name": {"accent": "red"},
    "an accent in capitals": {"accent": "#0F5C66"},
    "an accent that calls": {"accent": "url(https://example.org/)"},
    "an accent that is too light": {"accent": "#ffcc00"},
    "an accent just too light": {"accent": "#717171"},
    "an accent without a value": {"accent": None},
}
HOSTS = ("https://example.org", "https://a-b.example:8443", "http://localhost:5000", "http://127.0.0.1")

Change = Callable[[Any], object]


def questions() -> tuple[Question, ...]:
    """Return a question of each type that another can follow, and followers of each."""
    size = {n: SubsetMechanism.of(epsilon("1"), n) for n in (3, 4, 5, 8)}
    often = SingleChoice((Option("never", "never"), Option("often", "very often")), EXTRAS)
    pair = Pair((Part("job", "A job?", YesNo(("decline",))), Part("sleep", "Sleep?", Scale(1, 2, ((2, "well"),)))))
    return (
        Question("cheated", "Have you?", YesNo(), warner(odds="3:1")),
        Question("often", "How often?", often, size[4], When("cheated", (True,))),
        Question("ways", "Which?", MultiChoice(WAYS, None, APPLIES), _ball(4), When("often", ("often", "decline"))),
        Question("why", "Why?", YesNo(EXTRAS), size[4], When("ways", ("1", "does_not_apply"))),
        Question("stress", "Stress?", Scale(-1, 1, ((-1, "none"), (1, "much")), "shares", EXTRAS), size[5]),
        Question("calm", "Calm?", YesNo(APPLIES), size[3], When("stress", (-1, 0, "decline"))),
        Question("both", "Both", pair, SubsetMechanism.of(epsilon("1"), 6)),
        Question("tired", "Tired?", YesNo(APPLIES), size[3], When("sleep", (1,))),
        Question("hours", "Hours?", Number("0", "9"), LaplaceMechanism.of(epsilon("1"))),
    )


def _ball(options: int) -> Ball:
    return BallMechanism.of(epsilon("1"), options)


def french() -> Translation:
    """Return a translation with all options and labels."""
    texts = {
        "cheated": TranslatedQuestion("L’avez-vous fait ?"),
        "often": TranslatedQuestion("Combien de fois ?", ("jamais", "souvent")),
        "ways": TranslatedQuestion("Lesquels ?", ("téléphone", "notes", "1")),
        "why": TranslatedQuestion("Pourquoi ?"),
        "stress": TranslatedQuestion("Du stress ?", (), ("aucun", "beaucoup")),
        "calm": TranslatedQuestion("Calme ?"),
        "both": TranslatedQuestion("Les deux"),
        "job": TranslatedQuestion("Un emploi ?"),
        "sleep": TranslatedQuestion("Le sommeil ?", (), ("bien",)),
        "tired": TranslatedQuestion("Fatigué ?"),
        "hours": TranslatedQuestion("Heures ?"),
    }
    return Translation("Tout", "S’il vous plaît.", texts)


def shown() -> Manifest:
    """Return a survey with every field about how it is shown."""
    plain = {name: TranslatedQuestion(f"؟ {name}") for name in french().questions}
    arabic = Translation("كل شيء", "من فضلك.", plain)
    translations = {"ar": arabic, "fr": french(), "zh-Hant-TW": arabic}
    return Manifest("shown", "All", "Please.", questions(), language="en", translations=translations, hosts=HOSTS)


def good() -> list[str]:
    """Return payloads that are accepted, each with different fields about how it is shown."""
    plain = Manifest("plain", "Plain", "Please.", questions()[:1])
    text = {"cheated": TranslatedQuestion("?")}
    only = {"language": "gsw-CH", "hosts": HOSTS[:1], "questions": questions()[:2]}
    one = [replace(plain, **{key: value}) for key, value in only.items()]  # type: ignore[arg-type]
    tags = [f"x{a}{b}" for a in "abcde" for b in "abcdefghij"]
    many = {tag: Translation("T", "C", text) for tag in tags}
    assert len(many) == MOST_TRANSLATIONS
    said = [About(**{name: value}) for name, value in ABOUT.items()] + [
        About(**ABOUT),
        About(contact="https://example.org"),
    ]
    thanked = {"fr": Translation("T", "C", text, "Merci.")}
    surveys = [
        shown(),
        plain,
        *one,
        replace(plain, language="de", translations=many),
        *(replace(plain, about=about) for about in said),
        replace(plain, language="en", translations=thanked, about=About(thanks="Thank you.")),
    ]
    return [survey.payload.decode() for survey in surveys]


def repeated() -> Manifest:
    """Return a wave whose repeated question is not always shown, with the permanent draws of one that is."""
    mood = Question("mood", "Good?", YesNo(EXTRAS), RepeatedMechanism.of(epsilon("1"), epsilon("2"), 4))
    sure = Question("sure", "Sure?", YesNo(), warner(epsilon="0.5"))
    later = replace(mood, when=When("sure", (True,)))
    return Manifest("wave-3", "Wave 3", "Please.", (sure, later), panel="mood-panel", language="en")


def reports() -> Vector:
    manifest = repeated()
    answers: list[dict[str, object]] = [{"sure": True, "mood": True}, {"sure": False, "mood": "does_not_apply"}]
    made = []
    for number, answer in enumerate(answers):
        source = FixedTestStream(f"shown-{number}")
        report = Survey(manifest, SECRET).randomize(answer, source=source)
        made.append({
            "answers": answer, "seed": f"shown-{number}", "secret": SECRET.hex(),
            "body": report.encode().decode(), "memos": report.memos, "bytes": source.taken,
        })  # fmt: skip
    envelope = sign(manifest, KEY).decode()
    return {"name": "shown", "envelope": envelope, "id": manifest.id, "epsilon": str(manifest.epsilon), "reports": made}


def _about(value: Any) -> Change:
    def change(fields: Any) -> None:
        questions = fields.pop("questions")
        fields.update(about=value, questions=questions)

    return change


def _at(*path: Any, value: Any) -> Change:
    def change(fields: Any) -> None:
        *way, last = path
        for step in way:
            fields = fields[step]
        fields[last] = value

    return change


def _without(*path: Any) -> Change:
    def change(fields: Any) -> None:
        *way, last = path
        for step in way:
            fields = fields[step]
        del fields[last]

    return change


def _of(name: str, **changes: Any) -> Change:
    def change(fields: Any) -> None:
        [found] = [each for each in fields["questions"] if each["id"] == name]
        found.update(changes)

    return change


def _translated(name: str, **changes: Any) -> Change:
    def change(fields: Any) -> None:
        fields["translations"]["fr"]["questions"][name].update(changes)

    return change


def _reordered(*path: Any, keys: tuple[str, ...]) -> Change:
    """Return a change that moves these keys to the end."""

    def change(fields: Any) -> None:
        for step in path:
            fields = fields[step]
        for key in keys:
            fields[key] = fields.pop(key)

    return change


def _many(fields: Any) -> None:
    one = fields["translations"]["fr"]
    tags = [f"x{a}{b}" for a in "abcdef" for b in "abcdefghij"][: MOST_TRANSLATIONS + 1]
    fields["translations"] = dict.fromkeys(tags, one)


def _moved(fields: Any) -> None:
    first, second, *others = fields["questions"]
    fields["questions"] = [second, first, *others]


def _number_before(fields: Any) -> None:
    """Put the number before a question whose condition depends on it."""
    *others, tired, hours = fields["questions"]
    tired["when"] = ["hours", [1]]
    fields["questions"] = [*others, hours, tired]


def _long_scale(fields: Any) -> None:
    """List more answers in a condition than are allowed, although the scale has that many."""
    [stress] = [each for each in fields["questions"] if each["id"] == "stress"]
    design = SubsetMechanism.of(epsilon("1"), MOST_ANSWERS + 1)
    stress.update(min=1, max=MOST_ANSWERS + 1, labels=[[1, "none"], [2, "much"]], extras=[], mechanism=design.to_json())
    _of("calm", when=["stress", list(range(1, MOST_ANSWERS + 2))])(fields)


def wrong_heads() -> dict[str, Change]:
    """Return what can be wrong with languages, hosts and what a survey says about itself."""
    return {
        **{f"about as {what}": _about(value) for what, value in WRONG_ABOUT.items()},
        "a language that is no tag": _at("language", value="English"),
        "a language in capitals": _at("language", value="EN"),
        "a language with an underscore": _at("language", value="en_GB"),
        "a language with too many parts": _at("language", value="en-aa-bb-cc-dd"),
        "a language with a line break": _at("language", value="en\n"),
        "a language that is false": _at("language", value=False),
        "an empty language": _at("language", value=""),
        "translations without a language": _at("language", value=None),
        "a translation into the survey's own language": _at("language", value="fr"),
        "translations that are a list": _at("translations", value=[]),
        "translations that are null": _at("translations", value=None),
        "too many translations": _many,
        "hosts that are a text": _at("hosts", value="https://example.org"),
        "hosts that are null": _at("hosts", value=None),
        "a host twice": _at("hosts", value=["https://example.org"] * 2),
        "too many hosts": _at("hosts", value=[f"https://h{i}.example" for i in range(MOST_HOSTS + 1)]),
        "a host by http": _at("hosts", value=["http://example.org"]),
        "a host that only starts as localhost does": _at("hosts", value=["http://localhost.example.org"]),
        "a host with a path": _at("hosts", value=["https://example.org/"]),
        "a host in capitals": _at("hosts", value=["https://Example.org"]),
        "a host without a scheme": _at("hosts", value=["example.org"]),
        "a host with a wildcard": _at("hosts", value=["https://*.example.org"]),
        "a host with two dots": _at("hosts", value=["https://example..org"]),
        "a host with a hyphen at its end": _at("hosts", value=["https://example-.org"]),
        "a host with a user": _at("hosts", value=["https://me@example.org"]),
        "a host that brings a header's next word": _at("hosts", value=["https://example.org; script-src *"]),
        "a host with a line break": _at("hosts", value=["https://example.org\n"]),
        "a host with an empty port": _at("hosts", value=["https://example.org:"]),
        "a host whose port has a zero before it": _at("hosts", value=["https://example.org:0443"]),
        "a host whose port is too large": _at("hosts", value=["https://example.org:65536"]),
        "a host with a letter beyond ASCII": _at("hosts", value=["https://exämple.org"]),
        "a host that is a number": _at("hosts", value=[1]),
        "a key too many": _at("note", value=""),
    }


def wrong_translations() -> dict[str, Change]:
    """Return what can be wrong with translations."""
    questions_of = ("translations", "fr", "questions")
    return {
        "translations in another order": _reordered("translations", keys=("ar",)),
        "a translation whose tag is none": _at("translations", "fr_CA", value=french().to_json()),
        "a translation without consent": _without("translations", "fr", "consent"),
        "a translation with its keys in another order": _reordered("translations", "fr", keys=("title",)),
        "a translation with a key too many": _at("translations", "fr", "note", value=""),
        "a translated title of spaces": _at("translations", "fr", "title", value="  "),
        "a translated consent that is a number": _at("translations", "fr", "consent", value=1),
        "a translation without a question": _without(*questions_of, "why"),
        "a translation without a part of a pair": _without(*questions_of, "job"),
        "a translation without a pair": _without(*questions_of, "both"),
        "a translation with an unknown question": _at(*questions_of, "other", value={"text": "?"}),
        "a translation with its questions in another order": _reordered(*questions_of, keys=("cheated",)),
        "a translation with a part before its pair": _reordered(
            *questions_of, keys=("both", "sleep", "tired", "hours")
        ),
        "a translation whose questions are a list": _at(*questions_of, value=[]),
        "a translated question that is a text": _at(*questions_of, "why", value="Pourquoi ?"),
        "a translated question without text": _without(*questions_of, "often", "text"),
        "a translated question with an empty text": _translated("why", text=""),
        "a translated question whose text is too long": _translated("why", text="?" * 10_001),
        "a translated question with a key too many": _translated("why", hint="?"),
        "a translated question with its options first": _reordered(*questions_of, "often", keys=("text",)),
        "translated options that are too few": _translated("often", options=["jamais"]),
        "translated options that are too many": _translated("often", options=["jamais", "souvent", "plus"]),
        "translated options that are none": _translated("often", options=[]),
        "translated options that are a map": _translated("often", options={"never": "jamais", "often": "souvent"}),
        "a translated option that is a number": _translated("often", options=["jamais", 2]),
        "translated options of which two are one": _translated("often", options=["jamais", "jamais"]),
        "translated options that look the same": _translated("often", options=["jamais", "jamais\u200b "]),
        "a translated option that is empty": _translated("often", options=["jamais", ""]),
        "options for a question without any": _translated("cheated", options=["non", "oui"]),
        "labels for a question without any": _translated("cheated", labels=["non", "oui"]),
        "translated labels that are too few": _translated("stress", labels=["aucun"]),
        "a label for each point instead of each label": _translated("stress", labels=["aucun", "un peu", "beaucoup"]),
        "a translated label that is null": _translated("stress", labels=["aucun", None]),
    }


def wrong_conditions() -> dict[str, Change]:
    """Return what can be wrong with conditions."""
    return {
        "a question without when": _without("questions", 0, "when"),
        "a question with when after its mechanism": _reordered("questions", 0, keys=("when",)),
        "a part of a pair with when": _at("questions", 6, "parts", 0, "when", value=None),
        "when that is a map": _of("often", when={"cheated": [True]}),
        "when with three things": _of("often", when=["cheated", [True], 1]),
        "when with an answer instead of a list": _of("often", when=["cheated", True]),
        "when without answers": _of("often", when=["cheated", []]),
        "when with an answer twice": _of("calm", when=["stress", [0, 0]]),
        "when with more answers than can be listed": _long_scale,
        "when with an answer that is null": _of("often", when=["cheated", [None]]),
        "when with an answer that is a list": _of("often", when=["cheated", [[True]]]),
        "when after an unknown question": _of("often", when=["other", [True]]),
        "when after the question itself": _of("why", when=["why", [True]]),
        "when after a later question": _of("often", when=["why", [True]]),
        "when after a question that was moved behind": _moved,
        "when after a pair": _of("tired", when=["both", [1]]),
        "when after a number": _number_before,
        "when after a text instead of yes": _of("often", when=["cheated", ["yes"]]),
        "when after 1 instead of true": _of("often", when=["cheated", [1]]),
        "when after true instead of a point": _of("calm", when=["stress", [True]]),
        "when after a point in quotes": _of("calm", when=["stress", ["0"]]),
        "when after a point outside the scale": _of("calm", when=["stress", [2]]),
        "when after an unknown option": _of("ways", when=["often", ["sometimes"]]),
        "when after an option's text instead of its id": _of("ways", when=["often", ["very often"]]),
        "when after an extra that the question does not have": _of("often", when=["cheated", ["decline"]]),
        "when of a question without does_not_apply": _of("hours", when=["cheated", [True]]),
        "when of a pair": _of("both", when=["cheated", [True]]),
    }


def wrong_waves() -> dict[str, Change]:
    """Return what can be wrong with a repeated question."""
    return {
        "a repeated question with an option twice": _of("mood", options=["well", "ill", "well"]),
        "a repeated question without a panel": _at("panel", value=None),
    }


def waves() -> Manifest:
    """Return a wave whose repeated question has options."""
    mood = SingleChoice((Option("well", "well"), Option("ill", "ill"), Option("so-so", "so-so")), ("decline",))
    design = RepeatedMechanism.of(epsilon("1"), epsilon("2"), 4)
    return Manifest("wave-3", "Wave 3", "Please.", (Question("mood", "How?", mood, design),), panel="p", language="en")


def refused() -> list[Vector]:
    """Return payloads with one thing wrong each, made from surveys as small as possible."""
    text = {"fr": Translation("Tout", "Oui.", {"cheated": TranslatedQuestion("L’avez-vous fait ?")})}
    head = replace(shown(), questions=questions()[:1], translations=text, hosts=HOSTS[:1])
    both = replace(shown(), translations={tag: shown().translations[tag] for tag in ("ar", "fr")}, hosts=())
    alone = replace(shown(), translations={}, hosts=())
    wrong = [
        (head, wrong_heads()),
        (both, wrong_translations()),
        (alone, wrong_conditions()),
        (waves(), wrong_waves()),
    ]
    cases = [(why, manifest, change) for manifest, changes in wrong for why, change in changes.items()]
    return [{"why": why, "payload": _changed(manifest, change)} for why, manifest, change in cases]


def _changed(manifest: Manifest, change: Change) -> str:
    fields = json.loads(manifest.payload)
    change(fields)
    return strict_json.dumps(fields).decode()
