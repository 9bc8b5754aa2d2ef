"""Write the figures in the format of Prometheus (text format 0.0.4)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Final

from hushpoll_server.watch.metrics import SECONDS, SIZES
from hushpoll_server.watch.shared_counters import CounterReading, Key

MEDIA_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

_COUNTERS: Final = {
    "reports": ("Reports that were stored now or earlier.", ("outcome",)),
    "rejected": ("Reports that were refused, by the name of the problem.", ("reason",)),
    "commits": ("Transactions that store reports.", ("outcome",)),
    "requests": ("Requests, by the name of the route and the class of the status.", ("route", "status")),
}

Figures = Mapping[Key, int]
Sample = tuple[str, float]


def write(figures: Figures, readings: Sequence[CounterReading]) -> str:
    """Write all figures; labels contain only names that this program defines."""
    return write_up() + "".join(_families(figures, readings))


def write_up() -> str:
    """Write that the server is up, and nothing else."""
    return _family("up", "gauge", "The server is up; the setting metrics_token opens its figures.", [("", 1)])


def _families(figures: Figures, readings: Sequence[CounterReading]) -> Iterator[str]:
    for name, (text, labels) in _COUNTERS.items():
        yield _family(f"{name}_total", "counter", text, _labelled(figures, name, *labels))
    yield _histogram("commit_reports", "Reports in one commit.", _steps(figures, "sizes", SIZES), figures["written",])
    seconds = figures["microseconds",] / 1e6
    yield _histogram("commit_seconds", "Seconds of a commit.", _steps(figures, "seconds", SECONDS), seconds)
    waiting = figures["waiting",]
    yield _family("requests_waiting", "gauge", "Requests that wait for a commit, in steps.", [("", waiting)])
    yield _family("resident_memory_bytes", "gauge", "Memory of each process that serves.", _memory(readings))


def _family(name: str, kind: str, text: str, samples: Iterable[Sample]) -> str:
    head = f"# HELP hushpoll_{name} {text}\n# TYPE hushpoll_{name} {kind}\n"
    return head + "".join(f"hushpoll_{name}{suffix} {value}\n" for suffix, value in samples)


def _labelled(figures: Figures, first: str, *names: str) -> Iterator[Sample]:
    for (head, *values), number in figures.items():
        if head == first:
            labels = ",".join(f'{name}="{value}"' for name, value in zip(names, values, strict=True))
            yield f"{{{labels}}}", number


def _steps(figures: Figures, first: str, limits: Sequence[float]) -> list[Sample]:
    numbers = accumulate(figures[first, str(place)] for place in range(len(limits) + 1))
    return [(f'{{le="{limit}"}}', number) for limit, number in zip([*limits, "+Inf"], numbers, strict=True)]


def _histogram(name: str, text: str, steps: Sequence[Sample], total: float) -> str:
    (_, number) = steps[-1]
    buckets = [(f"_bucket{label}", below) for label, below in steps]
    return _family(name, "histogram", text, [*buckets, ("_sum", total), ("_count", number)])


def _memory(readings: Iterable[CounterReading]) -> Iterator[Sample]:
    for reading in readings:
        pages = Path(f"/proc/{reading.process}/statm")
        # Only Linux has this file.
        if reading.process and pages.exists():
            yield f'{{worker="{reading.worker}"}}', int(pages.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
