"""A worker of `hushpoll serve`: the ASGI application around Flask, in a process that ends when it is not needed."""

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

from hushpoll_server.app import RETRY_AFTER_SECONDS, create_app
from hushpoll_server.collect.intake import Intake
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings, load_settings
from hushpoll_server.store import StoreError
from hushpoll_server.web import headers
from hushpoll_server.web.asgi import AsgiApp, RequestLimits, try_later
from hushpoll_server.web.connections import ConnectionRules, Watch, prepare_listeners
from hushpoll_server.web.hosts import OwnHost
from hushpoll_shared.report import LARGEST_REPORT

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication
    from flask import Flask

# Requests wait for a shared commit, so many must run at once; each is a sleeping thread.
WAITING_THREADS = 64
# Pages do not wait. More threads would not make them faster, and would only take more memory.
PAGE_THREADS = 4
# Researchers' pages compute; more at once would only slow down each other and the respondents.
RESEARCHER_THREADS = 2
# The most calls of researchers that run or wait; clients beyond that are told to try later.
RESEARCHER_CALLS = 32
# The most batches of the largest size that may arrive at the same time; clients beyond that are told to try later.
LARGEST_BATCHES_AT_ONCE = 8
# How long a worker that was told to stop has to respond to the requests that it has received.
STOP_SECONDS = 2
CHECK_SECONDS = 0.2
# granian stops the server if a replacement worker ends within 5.5 seconds, so a disk that stays broken would stop it.
# Until a worker is replaced, it tells clients to try later.
REPLACE_SECONDS = 6.0
# From glibc's malloc.h.
_M_ARENA_MAX = -8


def create_worker() -> AsgiApp:
    """Make the application of a worker process, for the instance that the environment names."""
    settings = load_settings()
    keep_memory_together()
    app = _open(settings)
    instance: Services = app.extensions["hushpoll"]
    end_in_time(instance)
    # What is loaded by now stays until the end, so the garbage collector need not scan it again and again.
    gc.collect()
    gc.freeze()
    asgi_app = asgi_app_of(app, instance)
    Watch(ConnectionRules.of(settings), asgi_app.handling, prepare_listeners()).start()
    return asgi_app


def keep_memory_together() -> None:
    """Let all threads share two heaps; by default the C library gives each its own and never takes it back."""
    library = ctypes.CDLL(None)
    # Only glibc has mallopt.
    if hasattr(library, "mallopt"):
        library.mallopt(_M_ARENA_MAX, 2)


def _open(settings: Settings) -> Flask:
    """Open the instance; wait for an unavailable database, because a worker that fails at once stops the server."""
    parent = os.getppid()
    while True:
        try:
            return create_app(settings)
        except StoreError:
            # The database worked for the main process, so it should come back; give up if that process has ended.
            if os.getppid() != parent:
                raise
            time.sleep(CHECK_SECONDS)


def asgi_app_of(app: WSGIApplication, instance: Services) -> AsgiApp:
    """Return the ASGI application around a WSGI application, with the short way for its reports."""
    public_url = instance.settings.public_url
    fixed = headers.strictest_headers(public_url)
    refusal = try_later(fixed, seconds=RETRY_AFTER_SECONDS)
    return AsgiApp(
        app,
        limits_of(instance.settings),
        refusal=refusal,
        short_way=Intake(instance.collect, instance.origins, fixed, instance.metrics),
        # `hushpoll serve` always has a public address; a test may not.
        host=OwnHost(public_url, fixed) if public_url else None,
        may_send_many=partial(_may_send_many, instance),
    )


def _may_send_many(instance: Services, authorization: str) -> bool:
    try:
        return instance.gateways.admits(authorization)
    except SQLAlchemyError:
        # The application will ask again, and it words the refusal when the database is unavailable.
        return True


def limits_of(settings: Settings) -> RequestLimits:
    """Return what a request may cost."""
    largest = max(settings.largest_batch, LARGEST_REPORT)
    return RequestLimits(
        body_seconds=settings.body_wait,
        largest_body=largest,
        large_body_bytes=LARGEST_BATCHES_AT_ONCE * largest,
        waiting_threads=WAITING_THREADS,
        page_threads=PAGE_THREADS,
        # A client that waits for a page holds a connection that a report may need.
        page_calls=settings.connections // 4,
        researcher_threads=RESEARCHER_THREADS,
        researcher_calls=RESEARCHER_CALLS,
    )


def end_in_time(instance: Services) -> None:
    """Stop this process when it is no longer of use, because nothing else would.

    That is the case when the process that started it is gone, for whatever reason, and when the disk has failed,
    because then a new process must start from what is really on the disk.
    """
    if parent := multiprocessing.parent_process():
        threading.Thread(target=_watch, args=(parent.pid, instance), name="hushpoll-watch", daemon=True).start()


def _watch(parent: int | None, instance: Services) -> None:
    # The pipe of multiprocessing would not do: workers that started later also hold its other end.
    while os.getppid() == parent and not instance.collect.has_failed:
        time.sleep(CHECK_SECONDS)
    if instance.collect.has_failed:
        time.sleep(REPLACE_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(STOP_SECONDS)
    os._exit(1)
