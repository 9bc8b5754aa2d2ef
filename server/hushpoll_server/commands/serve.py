"""hushpoll serve: run the server."""

from __future__ import annotations

import os
import socket

import click
from granian.constants import Interfaces
from granian.log import LogLevels
from granian.server import Server

from hushpoll_server import keys
from hushpoll_server.commands.common import database_option
from hushpoll_server.services import Services
from hushpoll_server.settings import load_settings
from hushpoll_shared.errors import InvalidValue

# Requests wait for a shared commit, so there must be many at once; each is a thread that sleeps.
THREADS = 64


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True, help="Port to listen on.")
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Processes.")
@database_option
def command(host: str, port: int, workers: int, db: str | None) -> None:
    """Run the server until it is stopped."""
    check_port(host, port)
    settings = load_settings(db=db)
    # What could fail must fail here, with a sentence: the schema is brought up to date and the key is read.
    Services(settings).close()
    keys.session_key(settings.home / keys.SESSION_KEY)
    os.environ["HUSHPOLL_HOME"], os.environ["HUSHPOLL_DB"] = str(settings.home), settings.database_url
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    click.echo(f"Hushpoll listens on http://{where}. Stop it with Ctrl-C.", err=True)
    run(host, port, workers)


def run(host: str, port: int, workers: int) -> None:
    """Serve the instance that the environment names."""
    Server(
        "hushpoll_server.app:create_app",
        factory=True,
        address=host,
        port=port,
        interface=Interfaces.WSGI,
        workers=workers,
        blocking_threads=THREADS,
        websockets=False,
        # No access log: the time and address of a report call belong nowhere.
        log_access=False,
        log_level=LogLevels.error,
        respawn_failed_workers=True,
        workers_kill_timeout=4,
    ).serve()


def check_port(host: str, port: int) -> None:
    """Refuse an address that cannot be listened on, before anything is set up."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise InvalidValue(
                f"cannot listen on {host}:{port} ({error.strerror}): choose another port or host"
            ) from None
