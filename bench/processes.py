"""Start programs, pin them to processors, and stop them whatever happens.

A program runs in a process group of its own, so that its own children end with it; on Linux it also ends when this
process dies. Servers listen on the loopback interface only.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from bench.results import BenchError

HOST = "127.0.0.1"
CHECKOUT = Path(__file__).resolve().parents[1]
HUSHPOLL = (sys.executable, "-m", "hushpoll_client")

START_SECONDS = 60.0
STOP_SECONDS = 15.0
RUN_SECONDS = 600.0
POLL_SECONDS = 0.01

_DIE_WITH_PARENT = 1
# No proxy: requests never leave this machine.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def processors() -> tuple[set[int], set[int]]:
    """Return the processors of the server and those of the load: different ones, if there are two."""
    if not hasattr(os, "sched_getaffinity"):
        return set(), set()
    [first, *others] = sorted(os.sched_getaffinity(0))
    return {first}, set(others) or {first}


@contextmanager
def started(
    command: Sequence[str], *, environment: Mapping[str, str] | None = None, on: set[int] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program for the duration of a block; what it prints is shown only if it fails."""
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command,
            cwd=CHECKOUT,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=lambda: _prepare(on or set()),
        )
        try:
            yield process
        except BenchError as error:
            raise BenchError(f"{error}\n{_tail(log.fileno())}".rstrip()) from None
        finally:
            stop(process)


def stop(process: subprocess.Popen[bytes]) -> None:
    """Terminate a program, then kill whatever is left of its process group."""
    with suppress(ProcessLookupError):
        process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(STOP_SECONDS)
    # Whatever it started is in its group, and nothing else can be.
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def output_of(
    command: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
    on: set[int] | None = None,
    input_file: Path | None = None,
) -> bytes:
    """Run a program to its end and return its output; its input is a file or nothing."""
    try:
        with (input_file or Path(os.devnull)).open("rb") as stdin:
            done = subprocess.run(
                command,
                cwd=CHECKOUT,
                env={**os.environ, **(environment or {})},
                stdin=stdin,
                capture_output=True,
                timeout=RUN_SECONDS,
                check=True,
                preexec_fn=lambda: _prepare(on or set()),
            )
    except subprocess.CalledProcessError as error:
        raise BenchError(f"{command[0]} failed: {error.stderr.decode(errors='replace').strip()[-500:]}") from None
    except subprocess.TimeoutExpired:
        raise BenchError(f"{command[0]} did not end within {RUN_SECONDS:.0f} s") from None
    return done.stdout


@contextmanager
def served(
    command: Sequence[str], probe: str, *, environment: Mapping[str, str] | None = None
) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """Run a server on the servers' processor; yield its port and its process."""
    port, (on, _) = free_port(), processors()
    with started([*command, str(port)], environment=environment, on=on) as process:
        wait_until_ready(process, f"http://{HOST}:{port}{probe}")
        yield port, process


def memory_of(process: subprocess.Popen[bytes]) -> int | None:
    """Return the memory of a program and all that it started, in bytes; None where the system does not report it."""
    sizes = [_resident(each) for each in Path("/proc").glob("[0-9]*") if _group_of(each) == process.pid]
    return sum(sizes) or None


def free_port() -> int:
    """Return a port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def wait_until_ready(process: subprocess.Popen[bytes], address: str) -> None:
    """Wait until an address responds without an error."""
    end = time.monotonic() + START_SECONDS
    while not _responds(address):
        if process.poll() is not None:
            raise BenchError(f"the server ended with exit code {process.returncode} before it was ready")
        if time.monotonic() > end:
            raise BenchError(f"the server did not respond within {START_SECONDS:.0f} s")
        time.sleep(POLL_SECONDS)


def json_of(output: bytes) -> dict[str, Any]:
    """Read the one JSON object that a program wrote."""
    value: dict[str, Any] = json.loads(output)
    return value


def _responds(address: str) -> bool:
    try:
        with _OPENER.open(address, timeout=5):
            return True
    except (urllib.error.URLError, OSError):
        return False


def _group_of(entry: Path) -> int | None:
    with suppress(OSError):
        # The name of the program is in brackets and may contain anything, even brackets.
        return int((entry / "stat").read_text().rpartition(")")[2].split()[2])
    return None


def _resident(entry: Path) -> int:
    with suppress(OSError):
        return int((entry / "statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
    return 0


def _prepare(on: set[int]) -> None:
    if on:
        os.sched_setaffinity(0, on)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGTERM)


def _tail(log: int) -> str:
    size = os.fstat(log).st_size
    return os.pread(log, 2000, max(0, size - 2000)).decode(errors="replace").strip()
