"""Questions to plan with: made from their sizes, or refused with the cure."""

from __future__ import annotations

import pytest

from hushpoll_server.plan.questions import TYPES, make_type
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.question_types import QUESTION_TYPES


@pytest.mark.parametrize(
    ("type_", "sizes", "says"),
    [
        ("yes_no", {"options": "3"}, "yes_no has two options"),
        ("single_choice", {}, "options must be a whole number from 2"),
        ("single_choice", {"options": "1"}, "between 2 and"),
        ("single_choice", {"options": "2.5"}, "options must be a whole number"),
        ("single_choice", {"options": "999999"}, "options must be a whole number from 2 to 100000"),
        ("multi_choice", {"options": "4", "max-picks": 5}, "max_picks must be"),
        ("scale", {}, "a scale needs options"),
        ("scale", {"min": "1"}, "a scale needs options"),
        ("scale", {"options": "5", "min": "1", "max": "5"}, "a scale needs options"),
        ("scale", {"min": "1", "max": "5.5"}, "whole numbers"),
        ("number", {"min": "3", "max": "2"}, "max must be above min"),
        ("pair", {"options": "2"}, "a pair needs the numbers of options of both"),
    ],
)
def test_sizes_that_make_no_question_are_refused(type_: str, sizes: dict[str, object], says: str) -> None:
    with pytest.raises(InvalidValue, match=says):
        make_type(type_, sizes)


def test_a_scale_is_made_from_its_points_or_its_ends() -> None:
    assert make_type("scale", {"options": "5"}) == make_type("scale", {"min": "1", "max": "5", "report": None})


def test_every_type_of_question_can_be_planned() -> None:
    assert set(TYPES) == set(QUESTION_TYPES)
