"""A server gets the time it asks for and up to as much again; nothing it writes can stop a device."""

from __future__ import annotations

from email.utils import formatdate
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.vectors.read import vectors

from hushpoll_client.backoff import LONGEST_WAIT, Retry, asked_for, left, randomized_wait
from hushpoll_shared.errors import InvalidValue

NOON = "Mon, 16 Nov 2026 12:00:00 GMT"


@pytest.mark.parametrize("case", vectors("retry_after")["cases"], ids=str)
def test_retry_after_is_read_alike_in_all_languages(case: dict[str, Any]) -> None:
    assert asked_for({name: text for name, text in case.items() if name != "wait"}) == case["wait"]


@given(st.text(max_size=40), st.one_of(st.just(NOON), st.text(max_size=40)))
def test_no_header_is_too_strange(retry_after: str, date: str) -> None:
    assert 0 <= asked_for({"retry-after": retry_after, "date": date}) <= LONGEST_WAIT


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_date_counts_from_the_date_of_the_server_and_not_from_the_clock_here(start: int, seconds: int) -> None:
    headers = {"date": formatdate(start, usegmt=True), "retry-after": formatdate(start + seconds, usegmt=True)}
    assert asked_for(headers) == min(seconds, LONGEST_WAIT)


def test_a_wait_is_randomized_up_to_twice_its_length() -> None:
    waits = [randomized_wait(5) for _ in range(200)]
    assert all(5 <= wait < 10 for wait in waits)
    # A tenth that stays empty has probability 0.9^200 = 7e-10.
    assert min(waits) < 5.5
    assert max(waits) > 9.5
    assert randomized_wait(0) == 0


def test_what_is_left_ends_with_the_moment_and_is_never_absurd() -> None:
    assert left(100.0, 40.0) == 60
    assert left(100.0, 100.0) == left(100.0, 101.0) == left(0.0, 100.0) == 0
    assert left(2.0 * LONGEST_WAIT, 0.0) == 2 * LONGEST_WAIT
    assert left(2.0 * LONGEST_WAIT + 1, 0.0) == left(float("inf"), 0.0) == left(float("nan"), 0.0) == 0


def test_pauses_grow_to_about_twice_the_one_before_and_stop_growing() -> None:
    for place, pause in enumerate(islice(Retry().pauses(), 12)):
        at_least = min(2**place, 64)
        assert at_least <= pause < 2 * at_least


def test_pauses_are_as_long_as_they_are_set_and_one_fewer_than_attempts() -> None:
    pauses = list(Retry(attempts=4, first_pause=0.25, longest_pause=0.5).pauses_between_attempts())
    assert all(least <= pause < 2 * least for pause, least in zip(pauses, [0.25, 0.5, 0.5], strict=True))
    assert list(Retry().pauses_between_attempts()) == []


@pytest.mark.parametrize(
    "settings",
    [
        {"attempts": 0},
        {"attempts": 1.5},
        {"attempts": True},
        {"first_pause": 0},
        {"first_pause": 3, "longest_pause": 2},
        {"longest_pause": float("nan")},
        {"longest_pause": float("inf")},
    ],
    ids=str,
)
def test_settings_that_would_never_try_or_never_pause_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidValue, match=r"attempts must be|pauses must be"):
        Retry(**settings)
