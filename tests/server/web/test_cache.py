"""What is remembered: computed once, also by many at once; bounded; an error is not kept."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from hushpoll_server.web.cache import Cache

THREADS = 8


def test_a_value_is_computed_once_and_recalled() -> None:
    memory, values = Cache(most_bytes=100), iter(["first", "second"])
    for _ in range(3):
        assert memory.recall("key", lambda: next(values), len) == "first"


def test_many_who_ask_for_the_same_at_once_make_it_be_computed_once() -> None:
    memory, computed, all_there = Cache(most_bytes=100), list[int](), threading.Barrier(THREADS)

    def compute() -> str:
        computed.append(threading.get_ident())
        # Long enough for all the others to ask.
        threading.Event().wait(0.2)
        return "value"

    def ask(_: int) -> str:
        all_there.wait()
        return memory.recall("key", compute, len)

    with ThreadPoolExecutor(THREADS) as pool:
        assert set(pool.map(ask, range(THREADS))) == {"value"}
    assert len(computed) == 1


def test_what_was_not_asked_for_longest_is_forgotten_first() -> None:
    memory = Cache(most_bytes=10)
    for key in ("a", "b", "a", "c"):
        memory.recall(key, lambda: "12345", len)
    assert memory.size == 10
    assert memory.recall("a", lambda: "another", len) == "12345"
    assert memory.recall("b", lambda: "another", len) == "another"


def test_what_is_larger_than_the_whole_memory_is_given_and_not_kept() -> None:
    memory = Cache(most_bytes=10)
    assert memory.recall("key", lambda: "x" * 11, len) == "x" * 11
    assert memory.size == 0


def test_an_error_reaches_everybody_who_waits_and_is_not_kept() -> None:
    memory, started = Cache(most_bytes=10), threading.Event()

    def fail() -> str:
        started.set()
        threading.Event().wait(0.1)
        raise ValueError("no value")

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(memory.recall, "key", fail, len)
        started.wait()
        second = pool.submit(memory.recall, "key", lambda: "never computed", len)
        for each in (first, second):
            with pytest.raises(ValueError, match="no value"):
                each.result()
    assert memory.recall("key", lambda: "value", len) == "value"
