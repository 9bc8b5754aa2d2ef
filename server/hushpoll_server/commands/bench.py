"""hushpoll bench: what Hushpoll costs on this machine.

The benchmarks themselves are in bench/ of a checkout and not part of an installation.
"""

from __future__ import annotations

import importlib
import signal
import sys
from types import FrameType

import click

from hushpoll_server.commands.common import json_option
from hushpoll_server.paths import bench_folder
from hushpoll_shared.errors import HushpollError

TERMINATED = 143


class NoCheckout(HushpollError):
    """There are no benchmarks here."""


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]…")
@click.option("--quick", is_flag=True, help="Measure only briefly, to see that it runs; do not trust the figures.")
@json_option
def command(names: tuple[str, ...], quick: bool, as_json: bool) -> None:
    """Measure speed and print ratios: import, randomize, mechanisms, page, demo, ingest, dashboard.

    Without a NAME all are measured.

    Only ratios within one run mean much: machines differ, and other programs run beside this one.
    """
    folder = bench_folder()
    if not (folder / "run.py").is_file():
        raise NoCheckout("hushpoll bench needs a checkout of Hushpoll: run it there, after pip install --editable .")
    # Ending this program must also end what it has started.
    signal.signal(signal.SIGTERM, _exit)
    sys.path[:0] = [str(folder.parent), str(folder.parent / "tools")]
    effort = importlib.import_module("bench.results").Effort("quick" if quick else "full")
    if not importlib.import_module("bench.run").run(names, effort, as_json=as_json):
        raise SystemExit(1)


def _exit(_: int, __: FrameType | None) -> None:
    raise SystemExit(TERMINATED)
