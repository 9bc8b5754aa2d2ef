"""A progress bar for long work: it appears after a second, and only in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TypeVar

from rich.console import Console
from rich.progress import Progress

# Work that ends within this time needs no bar.
QUIET_SECONDS = 1.0

Item = TypeVar("Item")


@contextmanager
def progress_bar(what: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Yield a function to call with how many more are done; without a total the bar only shows that work continues."""
    console = Console(stderr=True)
    bar = Progress(console=console, transient=True, disable=not console.is_terminal)
    task, timer = bar.add_task(what, total=total), Timer(QUIET_SECONDS, bar.start)
    timer.start()
    try:
        yield lambda done: bar.advance(task, done)
    finally:
        timer.cancel()
        timer.join()
        bar.stop()


def watched(items: Iterable[Item], what: str, total: int) -> Iterator[Item]:
    """Yield the items, and show how many have been taken."""
    with progress_bar(what, total) as advance:
        for item in items:
            yield item
            advance(1)
