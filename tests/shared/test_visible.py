"""What cannot be seen makes no difference between two answers."""

from __future__ import annotations

import pytest

from hushpoll_shared.visible import are_told_apart, visible


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
    assert visible(" A\u00a0 few\n times ") == "A few times"
    assert not are_told_apart(["Caf\u00e9", "Cafe\u0301"])
    assert not are_told_apart(["Caf\u00e9", "Cafe\u200b\u0301"])


@pytest.mark.parametrize("unseen", ["", " ", "\u200b", "\u2060\u00ad", "\x07"])
def test_a_text_that_cannot_be_seen_is_none(unseen: str) -> None:
    assert not are_told_apart(["Yes", unseen])


def test_texts_that_look_different_are_told_apart() -> None:
    assert are_told_apart(["Yes", "yes", "Yes.", "m\u00b2", "m2", "نعم", "می\u200cروم", "👩\u200d👧", "1", "10"])
