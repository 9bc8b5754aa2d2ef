"""A manifest that can be read is valid, and its signature is over its exact bytes."""

from __future__ import annotations

import base64
import hashlib
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.samples.designs import warner
from tests.vectors.read import vectors

from hushpoll_shared.errors import InvalidValue, ManifestRefused
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.question_types import YesNo
from hushpoll_shared.questions import Question
from hushpoll_shared.signing import SigningKey, check_key, sign, verify

VECTORS = vectors("manifests")
KEY = SigningKey.generate()


def manifest(**changes: object) -> Manifest:
    question = Question("cheated", "Have you?", YesNo(), warner(odds="3:1"))
    fields = {"survey": "campus", "title": "Campus", "consent": "Yes.", "questions": (question,)}
    return Manifest(**{**fields, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize("case", VECTORS["good"], ids=lambda case: case["name"])
def test_a_good_envelope_is_accepted(case: dict[str, str]) -> None:
    read = verify(case["envelope"].encode(), VECTORS["key"])
    assert (read.id, str(read.epsilon)) == (case["id"], case["epsilon"])


@pytest.mark.parametrize("case", VECTORS["bad"], ids=lambda case: case["name"])
def test_a_bad_envelope_is_refused(case: dict[str, str]) -> None:
    with pytest.raises(ManifestRefused):
        verify(case["envelope"].encode(), VECTORS["key"])


def test_what_is_signed_can_be_verified_and_is_the_same_manifest() -> None:
    times = {"opens": datetime(2026, 1, 1, tzinfo=UTC), "closes": datetime(2027, 1, 1, tzinfo=UTC)}
    original = manifest(population=12, **times)
    assert verify(sign(original, KEY), KEY.public) == original


@given(st.text(min_size=1, max_size=50, alphabet=st.characters(exclude_categories=["Cs"])))
def test_any_text_survives_the_way_through_the_envelope(text: str) -> None:
    if text.strip():
        original = manifest(title=text, consent=text)
        assert verify(sign(original, KEY), KEY.public) == original


def test_the_id_is_the_hash_of_the_payload() -> None:
    assert manifest().id == hashlib.sha256(manifest().payload).hexdigest()


@given(st.integers(0, 400), st.integers(1, 255))
def test_any_changed_byte_of_the_payload_breaks_the_signature(position: int, change: int) -> None:
    damaged = bytearray(manifest().payload)
    damaged[position % len(damaged)] ^= change
    payload = base64.urlsafe_b64encode(bytes(damaged)).rstrip(b"=").decode()
    envelope = {**json.loads(sign(manifest(), KEY)), "payload": payload}
    with pytest.raises(ManifestRefused):
        verify(json.dumps(envelope).encode(), KEY.public)


def test_the_total_epsilon_is_the_sum_over_the_questions() -> None:
    questions = tuple(Question(f"q{i}", "?", YesNo(), warner(epsilon="0.5")) for i in range(3))
    assert str(manifest(questions=questions).epsilon) == "1.49999999999999999988"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"survey": "Campus"}, "a–z"),
        ({"survey": "1campus"}, "starting with a letter"),
        ({"survey": "x" * 65}, "1 to 64"),
        ({"title": " "}, "title"),
        ({"consent": "x" * 10_001}, "consent"),
        ({"title": "\ud800"}, "surrogate"),
        ({"questions": ()}, "between 1 and 200"),
        ({"population": 0}, "population"),
        ({"population": True}, "population"),
    ],
)
def test_a_survey_that_could_not_be_held_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        manifest(**changes)


@pytest.mark.parametrize("key", ["", "ed25519:", "ed25519:AAAA", "rsa:" + "A" * 43, None, "ed25519:" + "é" * 43])
def test_a_key_that_is_none_is_refused(key: object) -> None:
    with pytest.raises(InvalidValue, match="key"):
        check_key(key)


def test_a_key_survives_its_file() -> None:
    assert SigningKey.from_pem(KEY.to_pem()).public == KEY.public


def test_a_file_that_holds_no_key_is_refused() -> None:
    with pytest.raises(InvalidValue, match="PEM"):
        SigningKey.from_pem(b"hello")


def test_an_envelope_of_many_megabytes_is_refused_unread() -> None:
    with pytest.raises(ManifestRefused, match="too large"):
        verify(b" " * 7_000_000)


def test_a_time_long_ago_is_written_with_four_digits() -> None:
    original = manifest(opens=datetime(99, 1, 1, tzinfo=UTC))
    assert Manifest.read(original.payload) == original
