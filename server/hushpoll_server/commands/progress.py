"""A progress bar for what may take long: it appears after a second, and only where somebody can see it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress

PATIENCE = 1.0


@contextmanager
def progress_bar(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Give a function that is told how many are done."""
    bar = Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())
    task, started = bar.add_task(what, total=total), time.monotonic()

    def advance(done: int) -> None:
        bar.advance(task, done)
        if not bar.live.is_started and time.monotonic() - started > PATIENCE:
            bar.start()

    try:
        yield advance
    finally:
        bar.stop()
