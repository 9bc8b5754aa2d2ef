"""A disk that fails for a while: it is full, or what was written does not reach it.

A limit on the size of files needs no tool and no rights: a write beyond it fails as on a full disk. Errors of single
system calls are injected by strace, which only the long forms need.
"""

from __future__ import annotations

import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

CURE = "install strace (Debian: apt-get install strace) and run as a user who may trace their own processes"
ATTACH_SECONDS = 10
WRITES = "pwrite64,pwritev"
SYNCS = "fsync,fdatasync"

# Which processes there are changes while the disk fails.
Processes = Callable[[], Sequence[int]]


@contextmanager
def full(processes: Processes, room: int, account: Mapping[str, Any]) -> Iterator[None]:
    """Limit the files of an account's processes, and of those that they start meanwhile, to this many bytes."""
    _limit_files(processes(), room, account)
    yield
    _limit_files(processes(), resource.RLIM_INFINITY, account)


def _limit_files(processes: Sequence[int], room: int, account: Mapping[str, Any]) -> None:
    def limit() -> None:
        for process in processes:
            with suppress(ProcessLookupError):
                _, most = resource.prlimit(process, resource.RLIMIT_FSIZE)
                resource.prlimit(process, resource.RLIMIT_FSIZE, (room, most))

    # Only the account itself may do this; even root may not everywhere.
    subprocess.run(["true"], check=True, preexec_fn=limit, **account)


@contextmanager
def failing(processes: Processes, calls: str, error: str, *, when: str = "1+") -> Iterator[None]:
    """Make system calls of these processes, and of those that they start, fail with an error; `when` as in strace."""
    traced = processes()
    if not (strace := shutil.which("strace")):
        raise RuntimeError(f"strace is not installed: {CURE}")
    command = [
        strace,
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        f"trace={calls}",
        "-e",
        f"inject={calls}:error={error}:when={when}",
    ]
    tracer = subprocess.Popen([*command, *(f"-p{process}" for process in traced)], stderr=subprocess.PIPE)
    try:
        _wait_until_traced(tracer, traced)
        yield
    finally:
        # strace lets go of what it traces and ends.
        tracer.send_signal(signal.SIGINT)
        tracer.communicate()


def _wait_until_traced(tracer: subprocess.Popen[bytes], processes: Sequence[int]) -> None:
    deadline = time.monotonic() + ATTACH_SECONDS
    while not all(_is_traced(process) for process in processes):
        if tracer.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"strace cannot trace the server: {CURE}")
        time.sleep(0.01)


def _is_traced(process: int) -> bool:
    tasks = Path(f"/proc/{process}/task").glob("*/status")
    return all("TracerPid:\t0\n" not in task.read_text() for task in tasks)
