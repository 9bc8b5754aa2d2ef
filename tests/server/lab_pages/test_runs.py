"""One run at a time, and each run once."""

from __future__ import annotations

import threading
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

import pytest

from hushpoll_server.lab_pages.runs import LabBusyError, LabRuns

SECONDS = 10


def test_a_page_is_computed_once_however_many_ask_for_it() -> None:
    runs, computed = LabRuns(), []
    begun, done = threading.Event(), threading.Event()

    def run() -> str:
        computed.append(1)
        begun.set()
        assert done.wait(SECONDS)
        return "page"

    with ThreadPoolExecutor(4) as readers:
        pages = [readers.submit(runs.page, ("averaging",), run) for _ in range(4)]
        assert begun.wait(SECONDS)
        done.set()
        assert [page.result(SECONDS) for page in pages] == ["page"] * 4
    assert runs.page(("averaging",), lambda: "another page") == "page"
    assert computed == [1]


def test_while_a_run_takes_its_time_another_one_is_told_to_come_back() -> None:
    runs = LabRuns(wait_seconds=0)
    runs.page(("known",), lambda: "known page")
    begun, done = threading.Event(), threading.Event()

    def run() -> str:
        begun.set()
        assert done.wait(SECONDS)
        return "page"

    with ThreadPoolExecutor(1) as reader:
        page = reader.submit(runs.page, ("averaging",), run)
        assert begun.wait(SECONDS)
        with pytest.raises(LabBusyError):
            runs.page(("linkage",), lambda: "page")
        assert runs.page(("known",), lambda: "") == "known page"
        done.set()
        assert page.result(SECONDS) == "page"
    assert runs.page(("linkage",), lambda: "its own page") == "its own page"


def test_only_one_run_waits_for_another_and_a_known_page_for_none() -> None:
    runs = LabRuns(wait_seconds=SECONDS)
    runs.page(("known",), lambda: "known page")
    begun, done = threading.Event(), threading.Event()

    def run() -> str:
        begun.set()
        assert done.wait(SECONDS)
        return "page"

    with ThreadPoolExecutor(3) as readers:
        pages = [readers.submit(runs.page, (name,), run) for name in ("averaging", "linkage", "membership")]
        assert begun.wait(SECONDS)
        # The third is refused while the first still runs, whichever of them came third.
        refused, _ = wait(pages, SECONDS, return_when=FIRST_COMPLETED)
        assert [type(page.exception()) for page in refused] == [LabBusyError]
        assert runs.page(("known",), lambda: "") == "known page"
        done.set()
        assert [page.result(SECONDS) for page in pages if page not in refused] == ["page"] * 2


def test_a_run_that_fails_leaves_room_for_the_next() -> None:
    runs = LabRuns(wait_seconds=0)
    with pytest.raises(ZeroDivisionError):
        runs.page(("averaging",), lambda: str(1 // 0))
    assert runs.page(("averaging",), lambda: "page") == "page"
