"""A process that has loaded the server's code once and forks for each start of a server.

Loading takes two seconds, a fork some milliseconds, and fault tests start hundreds of servers. What runs in a fork is
`hushpoll` from its first line on. Run as a program, this module reads one order from each line of its input and writes
the id of the process; it ends with its input, so it never outlives the tests.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from hushpoll_client.cli import main

LOADED = ("hushpoll_server.commands.serve", "hushpoll_server.store.migrate", "hushpoll_server.worker")


class Nursery:
    """The process, seen from the tests."""

    def __init__(self) -> None:
        # Without -P the modules beside this one could pass for others.
        command = [sys.executable, "-P", __file__]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        atexit.register(self._process.communicate)

    def start(self, arguments: Sequence[str], environment: Mapping[str, str], log: Path) -> int:
        """Start `hushpoll` with these arguments in a process group of its own and return its id."""
        assert self._process.stdin
        assert self._process.stdout
        order = {"arguments": arguments, "environment": {**environment}, "log": str(log)}
        # What could not be loaded stands on stderr.
        assert self._process.poll() is None, "the server's code cannot be loaded"
        print(json.dumps(order), file=self._process.stdin, flush=True)
        return int(self._process.stdout.readline())


@cache
def nursery() -> Nursery:
    """Return the nursery of this test process; it is started when the first server is."""
    return Nursery()


def _serve_orders() -> None:
    for module in LOADED:
        importlib.import_module(module)
    # The system takes away what has ended: nobody asks for exit codes.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while line := sys.stdin.readline():
        if (process := os.fork()) == 0:
            _run(json.loads(line))
        # Before anybody asks for the group.
        os.setpgid(process, process)
        print(process, flush=True)


def _run(order: Mapping[str, Any]) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    log, nothing = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND), os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    os.environ.clear()
    os.environ.update(order["environment"])
    main(order["arguments"], prog_name="hushpoll")


if __name__ == "__main__":
    _serve_orders()
