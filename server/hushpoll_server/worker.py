"""A worker of `hushpoll serve`: the application behind its front, in a process that ends with its parent."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from typing import TYPE_CHECKING

from hushpoll_server import security
from hushpoll_server.app import RETRY_AFTER_SECONDS, create_app
from hushpoll_server.collect.views import OPEN_TO_OTHER_PAGES
from hushpoll_server.front import Front, Limits, try_later
from hushpoll_server.settings import Settings, load_settings
from hushpoll_shared.report import LARGEST_REPORT

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

# Requests wait for a shared commit, so there must be many at once; each is a thread that sleeps.
THREADS = 64
# So many of the largest batches may come at the same time; more are told to try later.
LARGEST_AT_ONCE = 8
# A worker that was told to stop has so long to answer what it has taken in.
STOP_SECONDS = 2
PARENT_CHECK_SECONDS = 0.2


def create_worker() -> Front:
    """Make the application of a worker process, for the instance that the environment names."""
    settings = load_settings()
    end_with_parent()
    return stand_before(create_app(settings), settings)


def stand_before(app: WSGIApplication, settings: Settings) -> Front:
    """Put the front before an application."""
    largest = max(settings.largest_batch, LARGEST_REPORT)
    limits = Limits(
        body_seconds=settings.body_wait, largest_body=largest, room=LARGEST_AT_ONCE * largest, threads=THREADS
    )
    headers = {**security.strictest_headers(settings.public_url), **OPEN_TO_OTHER_PAGES}
    return Front(app, limits, refusal=try_later(headers, seconds=RETRY_AFTER_SECONDS))


def end_with_parent() -> None:
    """Stop this process when the one that started it is gone, however it went: nobody else would."""
    if parent := multiprocessing.parent_process():
        threading.Thread(target=_outlive, args=(parent.pid,), name="hushpoll-parent", daemon=True).start()


def _outlive(parent: int | None) -> None:
    # The pipe of multiprocessing would not do: workers that started later hold its other end, too.
    while os.getppid() == parent:
        time.sleep(PARENT_CHECK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(STOP_SECONDS)
    os._exit(1)
