"""How a survey is shown: languages, translations, hosts, conditions; and that the draws do not change."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from tests.samples.surveys import two_questions
from tests.vectors.keys import KEY
from tests.vectors.presentation import HOSTS, french, good, questions, repeated, shown
from tests.vectors.read import vectors
from tests.vectors.streams import FixedTestStream

from hushpoll_client.survey import Survey
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.presentation import TranslatedQuestion, When, check_host, check_tag
from hushpoll_shared.question_types import Number, Option, SingleChoice, YesNo
from hushpoll_shared.report import decode
from hushpoll_shared.signing import sign, verify

VECTORS = vectors("reports")


@pytest.mark.parametrize("payload", good(), ids=lambda payload: payload[30:60])
def test_every_survey_is_read_back_as_it_was_written(payload: str) -> None:
    manifest = replace(Manifest.read(payload.encode()))
    assert verify(sign(manifest, KEY), KEY.public) == manifest
    assert hash(Manifest.read(manifest.payload)) == hash(manifest)


def test_a_manifest_names_its_own_language_first_and_english_if_it_does_not_say() -> None:
    assert shown().languages == ("en", "ar", "fr", "zh-Hant-TW")
    assert replace(shown(), translations={}, language="de").languages == ("de",)
    assert two_questions().languages == ("en",)


def test_conditions_and_translations_stand_in_the_documented_order() -> None:
    fields = json.loads(shown().payload)
    assert [question["when"] for question in fields["questions"][:2]] == [None, ["cheated", [True]]]
    assert list(fields["translations"]["fr"]["questions"])[6:9] == ["both", "job", "sleep"]


def test_how_a_survey_is_shown_changes_neither_draws_nor_the_bytes_they_take() -> None:
    answers: dict[str, object] = {
        "cheated": False, "often": "does_not_apply", "ways": "does_not_apply", "why": None, "stress": -1, "calm": True,
        "job": False, "sleep": 1, "tired": "does_not_apply", "hours": 3,
    }  # fmt: skip
    bare = tuple(replace(question, when=None) for question in questions())
    drawn = []
    for manifest in (shown(), Manifest("shown", "All", "Please.", bare)):
        source = FixedTestStream("shown")
        report = Survey(manifest).randomize(answers, source=source)
        assert decode(report.encode(), manifest).draws == report.draws
        drawn.append((report.draws, len(report.encode()), source.taken))
    assert drawn[0] == drawn[1]


def test_permanent_draws_leave_out_when_a_question_is_shown() -> None:
    secret, answers = bytes(32), {"sure": True, "mood": False}
    first, second = (
        question if question.when is None else replace(question, when=None) for question in repeated().questions
    )
    always = replace(repeated(), questions=(first, second))
    assert always.id != repeated().id
    reports = [
        Survey(manifest, secret).randomize(answers, source=FixedTestStream("s")) for manifest in (always, repeated())
    ]
    assert reports[0].memos == reports[1].memos
    assert reports[0].draws == reports[1].draws


def test_reports_from_the_same_stream_are_those_of_the_vectors() -> None:
    [case] = [case for case in VECTORS["surveys"] if case["name"] == "shown"]
    manifest = verify(case["envelope"].encode(), VECTORS["key"])
    assert manifest.id == case["id"]
    for made in case["reports"]:
        source = FixedTestStream(made["seed"])
        report = Survey(manifest, bytes.fromhex(made["secret"])).randomize(made["answers"], source=source)
        assert (report.encode().decode(), report.memos, source.taken) == (made["body"], made["memos"], made["bytes"])


@pytest.mark.parametrize("tag", ["en", "gsw", "fr-CA", "zh-Hant-TW", "es-419", "sl-rozaj-biske-1994"])
def test_tags_of_languages_are_those_of_browsers(tag: str) -> None:
    check_tag(tag, "language")


@pytest.mark.parametrize("host", [*HOSTS, "https://xn--exmple-cua.org", "https://1.2.3.4:1", f"https://{'a' * 63}.org"])
def test_a_host_is_an_origin(host: str) -> None:
    check_host(host)


@pytest.mark.parametrize(
    "host", ["https://", f"https://{'a' * 64}.org", "https://[::1]", "HTTPS://a.org", "https://a_b.org"]
)
def test_what_is_no_origin_is_refused_with_the_cure(host: str) -> None:
    with pytest.raises(InvalidValue, match="must be written as https://"):
        check_host(host)


def test_answers_are_listed_as_an_app_gives_them() -> None:
    types = {question.id: question.type for question in questions()}
    assert YesNo(("decline",)).answers == (False, True, "decline")
    assert types["stress"].answers == (-1, 0, 1, "decline", "does_not_apply")
    assert types["ways"].answers == ("phone", "notes", "1", "does_not_apply")
    assert types["often"].answers == ("never", "often", "decline", "does_not_apply")
    assert (types["both"].answers, Number("0", "1").answers) == ((), ())


@pytest.mark.parametrize(
    "make",
    [
        lambda: When("cheated", ()),
        lambda: When("Cheated", (True,)),
        lambda: When("stress", (1, 1)),
        lambda: TranslatedQuestion(""),
        lambda: TranslatedQuestion("?", ("",)),
        lambda: TranslatedQuestion("?", (), (" ",)),
        lambda: replace(french(), title=""),
        lambda: replace(french(), consent="\ud800"),
        lambda: replace(questions()[1], type=SingleChoice((Option("a", "a"), Option("b", "b")), ("decline",))),
        lambda: replace(shown(), language=None),
        lambda: replace(shown(), hosts=("https://example.org", "https://example.org")),
        lambda: replace(shown(), questions=questions()[1:]),
        lambda: replace(shown(), translations={"fr": replace(french(), questions={})}),
        lambda: replace(shown(), translations={"fr": french(), "ar": french()}),
    ],
)
def test_what_could_not_be_shown_cannot_be_made(make: Any) -> None:
    with pytest.raises(InvalidValue):
        make()


def test_a_question_may_follow_true_and_a_point_that_python_holds_for_equal() -> None:
    # They are two answers; no question has both.
    assert When("stress", (1, True)).answers == (1, True)
    with pytest.raises(InvalidValue, match="does not have"):
        When("stress", (1, True)).check({"stress": questions()[4].type})
