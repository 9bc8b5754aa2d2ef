"""hushpoll serve: run the server."""

from __future__ import annotations

import gc
import os
import resource
import socket
from contextlib import suppress
from ipaddress import ip_address
from urllib.parse import urlsplit

import click
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import Server

from hushpoll_server.commands.common import database_option
from hushpoll_server.commands.numbers import COUNT
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings, load_settings
from hushpoll_server.worker import STOP_SECONDS
from hushpoll_shared.addresses import is_loopback
from hushpoll_shared.errors import InvalidValue

# Bytes. The headers of an honest request have about 1,000; a cookie or a token adds little.
LARGEST_HEADERS = 32 * 1024
# Files that a worker needs besides its connections: the database, its own code, what Python opens.
OTHER_FILES = 256


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True, help="Port to listen on.")
@click.option("--workers", type=COUNT, default=1, show_default=True, help="Number of processes.")
@click.option(
    "--insecure-without-tls",
    is_flag=True,
    default=None,
    help="Serve other machines without TLS: anyone on the network path can see and change everything.",
)
@database_option
def command(host: str, port: int, workers: int, insecure_without_tls: bool | None, db: str | None) -> None:
    """Run the server until it is stopped."""
    settings = with_address(load_settings(db=db, insecure_without_tls=insecure_without_tls), host, port)
    check_reach(settings, host)
    check_port(host, port)
    # Brings the schema up to date: what fails must fail here, with a readable message.
    Services(settings).close()
    hand_on(settings)
    click.echo(f"Hushpoll listens on {address_of(host, port)}. Stop it with Ctrl-C.", err=True)
    if settings.public_url != address_of(host, port):
        click.echo(f"People reach it at {settings.public_url}.", err=True)
    run(host, port, workers)


def with_address(settings: Settings, host: str, port: int) -> Settings:
    """Fill in the address at which people reach this server: there is one, and no request can change it."""
    return settings if settings.public_url else settings.model_copy(update={"public_url": address_of(host, port)})


def check_reach(settings: Settings, host: str) -> None:
    """Refuse to serve other machines without TLS, unless that is explicitly allowed."""
    url = urlsplit(settings.public_url)
    if is_loopback(host) and is_loopback(url.hostname or ""):
        return
    if is_loopback(url.hostname or "") or _is_any(url.hostname or ""):
        raise InvalidValue(
            f"other machines can reach {host}, but its public address is not known: "
            "set HUSHPOLL_PUBLIC_URL to the address that people open, such as https://polls.example.org"
        )
    if url.scheme != "https" and not settings.insecure_without_tls:
        raise InvalidValue(
            "without TLS anyone on the network path can see and change everything: put a proxy with TLS in front "
            "(docs/deploy.md) and set HUSHPOLL_PUBLIC_URL to its https address, or add --insecure-without-tls"
        )


def _is_any(host: str) -> bool:
    with suppress(ValueError):
        return ip_address(host).is_unspecified
    return False


def address_of(host: str, port: int) -> str:
    """Return the address of a host and port."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def hand_on(settings: Settings) -> None:
    """Pass the settings on to the workers, which read the environment."""
    settled = {
        "HOME": settings.home,
        "DB": settings.database_url,
        "PUBLIC_URL": settings.public_url,
        "INSECURE_WITHOUT_TLS": int(settings.insecure_without_tls),
    }
    os.environ.update({f"HUSHPOLL_{name}": str(value) for name, value in settled.items()})


def run(host: str, port: int, workers: int, *, target: str = "hushpoll_server.worker:create_worker") -> None:
    """Serve the instance that the environment names."""
    settings = load_settings()
    allow_files(settings.connections + OTHER_FILES)
    # Workers share what is loaded by now, and no garbage collection searches it at exit, which saves half a second.
    gc.freeze()
    Server(
        target,
        factory=True,
        address=host,
        port=port,
        # Bodies are read without threads; the application behind this is plain WSGI (ADR 30).
        interface=Interfaces.ASGINL,
        workers=workers,
        http=HTTPModes.http1,
        http1_settings=http1_settings(settings),
        backlog=settings.connections,
        backpressure=settings.connections,
        websockets=False,
        # No access log: the time and address of a report are not to be stored anywhere.
        log_access=False,
        log_level=LogLevels.error,
        respawn_failed_workers=True,
        workers_kill_timeout=STOP_SECONDS,
    ).serve()


def http1_settings(settings: Settings) -> HTTP1Settings:
    """Return the limits of a connection; a connection that sends nothing counts as one with slow headers."""
    return HTTP1Settings(header_read_timeout=round(1000 * settings.header_wait), max_buffer_size=LARGEST_HEADERS)


def allow_files(needed: int) -> None:
    """Let this process and its workers open as many files as they need, within the system's limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    if soft != unlimited and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed if hard == unlimited else min(needed, hard), hard))


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
