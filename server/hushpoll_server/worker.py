"""A worker of `hushpoll serve`: the application behind its front, in a process that knows when to end."""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import signal
import threading
import time
from functools import partial
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError

from hushpoll_server import security
from hushpoll_server.app import RETRY_AFTER_SECONDS, create_app
from hushpoll_server.collect.intake import Intake
from hushpoll_server.connections import Rules, Watch, prepare_listeners
from hushpoll_server.front import Front, Limits, try_later
from hushpoll_server.hosts import OwnHost
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings, load_settings
from hushpoll_server.store import StoreError
from hushpoll_shared.report import LARGEST_REPORT

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication
    from flask import Flask

# Requests wait for a shared commit, so there must be many at once; each is a thread that sleeps.
WAITING_THREADS = 64
# Pages wait for nobody. More threads would not make more of them, only take more memory.
PAGE_THREADS = 4
# Researchers' pages compute; more at once would only slow each other and the respondents.
RESEARCHER_THREADS = 2
# Their calls that run or wait; more are told to try later.
RESEARCHER_CALLS = 32
# So many of the largest batches may come at the same time; more are told to try later.
LARGEST_AT_ONCE = 8
# A worker that was told to stop has so long to answer what it has taken in.
STOP_SECONDS = 2
CHECK_SECONDS = 0.2
# granian ends everything if a worker that it has just replaced ends within 5.5 seconds: a disk that stays broken would
# end the server. Until a worker is replaced it tells clients to try later.
REPLACE_SECONDS = 6.0
# From glibc's malloc.h.
_M_ARENA_MAX = -8


def create_worker() -> Front:
    """Make the application of a worker process, for the instance that the environment names."""
    settings = load_settings()
    keep_memory_together()
    app = _open(settings)
    instance: Services = app.extensions["hushpoll"]
    end_in_time(instance)
    # What is loaded by now stays until the end: the collector of garbage need not go through it again and again.
    gc.collect()
    gc.freeze()
    front = front_of(app, instance)
    Watch(Rules.of(settings), front.answering, prepare_listeners()).start()
    return front


def keep_memory_together() -> None:
    """Let all threads share two heaps, where the C library would give each its own and never take it back."""
    library = ctypes.CDLL(None)
    # Only glibc has it.
    if hasattr(library, "mallopt"):
        library.mallopt(_M_ARENA_MAX, 2)


def _open(settings: Settings) -> Flask:
    """Open the instance; wait for a database that is away, because a worker that fails at once ends the server."""
    parent = os.getppid()
    while True:
        try:
            return create_app(settings)
        except StoreError:
            # The main process has seen it work: it will come back, unless everything ends.
            if os.getppid() != parent:
                raise
            time.sleep(CHECK_SECONDS)


def front_of(app: WSGIApplication, instance: Services) -> Front:
    """Put the front before an application, with the short way for its reports."""
    public_url = instance.settings.public_url
    headers = security.strictest_headers(public_url)
    refusal = try_later(headers, seconds=RETRY_AFTER_SECONDS)
    return Front(
        app,
        limits_of(instance.settings),
        refusal=refusal,
        short_way=Intake(instance.collect, instance.origins, headers, instance.metrics),
        # `hushpoll serve` always knows the address; a test may not.
        host=OwnHost(public_url, headers) if public_url else None,
        may_send_many=partial(_may_send_many, instance),
    )


def _may_send_many(instance: Services, authorization: str) -> bool:
    try:
        return instance.gateways.admits(authorization)
    except SQLAlchemyError:
        # The application will ask again and has the words for a database that is away.
        return True


def limits_of(settings: Settings) -> Limits:
    """Give what a request may cost."""
    largest = max(settings.largest_batch, LARGEST_REPORT)
    return Limits(
        body_seconds=settings.body_wait,
        largest_body=largest,
        room=LARGEST_AT_ONCE * largest,
        waiting_threads=WAITING_THREADS,
        page_threads=PAGE_THREADS,
        # Whoever waits for a page holds a place that a report may need.
        page_calls=settings.connections // 4,
        researcher_threads=RESEARCHER_THREADS,
        researcher_calls=RESEARCHER_CALLS,
    )


def end_in_time(instance: Services) -> None:
    """Stop this process when it is of no use any more: nobody else would.

    That is so when the process that started it is gone, however it went; and when the disk has failed, because then
    a new process has to begin with what is really there.
    """
    if parent := multiprocessing.parent_process():
        threading.Thread(target=_watch, args=(parent.pid, instance), name="hushpoll-watch", daemon=True).start()


def _watch(parent: int | None, instance: Services) -> None:
    # The pipe of multiprocessing would not do: workers that started later hold its other end, too.
    while os.getppid() == parent and not instance.collect.has_failed:
        time.sleep(CHECK_SECONDS)
    if instance.collect.has_failed:
        time.sleep(REPLACE_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(STOP_SECONDS)
    os._exit(1)
