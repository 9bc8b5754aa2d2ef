"""Answers in words."""

from __future__ import annotations

from hushpoll_server.dashboard.labels import labels_of, part_labels
from hushpoll_shared.questions import EXTRAS, Option, Pair, Part, Scale, SingleChoice, YesNo

WAYS = SingleChoice((Option("1", "Bus"), Option("car", "car")), EXTRAS)


def test_options_are_called_by_their_texts_and_extras_in_words() -> None:
    labels = labels_of(WAYS)
    assert [labels[cell] for cell in WAYS.cells] == ["Bus", "car", "prefer not to say", "does not apply"]


def test_points_of_a_scale_have_their_number_and_their_label() -> None:
    scale = Scale(1, 3, ((1, "none"), (3, "much")))
    assert [labels_of(scale).get(cell, cell) for cell in scale.cells] == ["1 – none", "2", "3 – much"]


def test_a_pair_joins_the_words_of_both_answers() -> None:
    pair = Pair((Part("a", "A?", YesNo(("decline",))), Part("b", "B?", WAYS)))
    assert part_labels(pair)[0] == ("no", "yes", "prefer not to say")
    assert list(labels_of(pair)) == list(pair.cells)
    assert labels_of(pair)["yes × 1"] == "yes × Bus"
    assert labels_of(pair)["decline × does_not_apply"] == "prefer not to say × does not apply"
