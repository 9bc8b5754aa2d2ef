"""Draws are exact, secure by default, and take bytes in a fixed order."""

from __future__ import annotations

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.vectors.read import vectors
from tests.vectors.streams import FixedTestStream

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.randomness import SPAN, SecureBytes, bernoulli, u64, uniform


@pytest.mark.parametrize("case", vectors("streams")["streams"], ids=lambda case: case["seed"])
def test_the_test_stream_gives_the_numbers_of_the_vectors(case: dict[str, Any]) -> None:
    source = FixedTestStream(case["seed"])
    assert [str(u64(source)) for _ in case["u64"]] == case["u64"]


def test_the_test_stream_starts_with_the_published_numbers() -> None:
    source = FixedTestStream("a")
    published = [13471630286343344346, 13132175226432572150, 11585159205955651651, 597206133511258641]
    assert [u64(source) for _ in published] == published
    assert FixedTestStream("a").take(32) == hashlib.sha256(b"ldp-tv-1a\0\0\0\0").digest()


@pytest.mark.parametrize("case", vectors("uniforms")["cases"], ids=lambda case: case["size"])
def test_uniform_draws_are_those_of_the_vectors(case: dict[str, Any]) -> None:
    source = FixedTestStream(case["seed"])
    assert [str(uniform(source, int(case["size"]))) for _ in case["values"]] == case["values"]
    assert source.taken == case["bytes"]


@pytest.mark.parametrize("size", [0, -1])
def test_a_uniform_draw_needs_a_sensible_size(size: int) -> None:
    with pytest.raises(InvalidValue, match="size"):
        uniform(FixedTestStream("a"), size)


class Given:
    """Hand out one number."""

    def __init__(self, value: int) -> None:
        self.value = value

    def take(self, count: int) -> bytes:
        return self.value.to_bytes(count, "big")


@pytest.mark.parametrize("threshold", [1, 3 * 2**62, SPAN - 1])
def test_a_bernoulli_draw_is_one_exactly_below_its_threshold(threshold: int) -> None:
    assert bernoulli(Given(threshold - 1), threshold) == 1
    assert bernoulli(Given(threshold), threshold) == 0
    assert bernoulli(Given(0), threshold) == 1
    assert bernoulli(Given(SPAN - 1), threshold) == 0


def test_secure_bytes_come_from_the_operating_system_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    given = []

    def urandom(count: int) -> bytes:
        given.append(os.getrandom(count))
        return given[-1]

    monkeypatch.setattr("hushpoll_shared.randomness.os.urandom", urandom)
    source = SecureBytes()
    taken = b"".join(source.take(8) for _ in range(1024))
    assert taken == b"".join(given)
    assert len(source.take(10_000)) == 10_000


def test_threads_that_share_a_source_never_get_the_same_bytes() -> None:
    source = SecureBytes()
    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda _: source.take(16), range(20_000)))
    # Two equal draws of 128 bits by chance: fewer than one run in 10^29.
    assert len(set(taken)) == len(taken)


def test_a_forked_child_does_not_repeat_its_parents_bytes() -> None:
    source = SecureBytes()
    source.take(8)
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.write(writing, source.take(16))
        os._exit(0)
    os.wait()
    assert os.read(reading, 16) != source.take(16)
    os.close(reading)
    os.close(writing)
