"""hushpoll verify-site: compare what a server sends with the release that is installed here."""

from __future__ import annotations

import ssl
import time
import zlib
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlsplit

import click

from hushpoll_server.commands.common import json_option, print_json, server_address
from hushpoll_server.respond.browser import Headers, headers_for
from hushpoll_server.respond.compare import POLICY, Comparison, Fetched, compare, compare_saved
from hushpoll_server.respond.release import Release, files
from hushpoll_server.respond.saved import read_saved
from hushpoll_shared.checks import is_name
from hushpoll_shared.errors import HushpollError, InvalidValue
from hushpoll_shared.signing import LARGEST_ENVELOPE

TIMEOUT_SECONDS = 10.0
LONGEST_SECONDS = 60.0
# Bytes: the longest page is a form with the largest survey in it, and its words.
LARGEST_RESPONSE = 2 * LARGEST_ENVELOPE


class SiteDiffers(HushpollError):
    """A server sends something other than this release."""


class SiteUnreachable(HushpollError):
    """A server could not be compared."""


def _surveys(_: click.Context, __: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    if not all(map(is_name, names)):
        raise click.BadParameter("a survey's id has 1 to 64 of a-z, 0-9, _ and -")
    return names


@click.command()
@click.argument("server", metavar="URL", required=False, callback=server_address)
@click.option("--survey", "surveys", metavar="ID", multiple=True, callback=_surveys, help="Also compare its pages.")
@click.option("--hashes", is_flag=True, help="Print the hashes of this release instead; no server is contacted.")
@click.option(
    "--saved",
    "saved_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Compare what a browser saved (HTML only, or HAR) instead; no server is contacted.",
)
@json_option
def command(server: str | None, surveys: tuple[str, ...], hashes: bool, saved_path: Path | None, as_json: bool) -> None:
    """Compare the code that a server sends to browsers with this release, byte for byte.

    With --survey its signed manifest is verified, and its pages are made here and compared. Exit code 1 if something
    differs.
    """
    if hashes == bool(server) or (hashes and (surveys or saved_path)) or (surveys and saved_path):
        raise click.UsageError("Give the URL of a server, alone, with --survey or with --saved; or --hashes alone.")
    if server and saved_path:
        _print(server, _compare_saved(server, saved_path), as_json=as_json)
    elif server:
        _print(server, list(compare(Release(server), lambda path: fetch(server, path), surveys)), as_json=as_json)
    else:
        _print_hashes(as_json=as_json)


def _compare_saved(server: str, path: Path) -> list[Comparison]:
    findings = list(compare_saved(Release(server), read_saved(path.read_bytes(), server)))
    if not findings:
        raise InvalidValue(
            f"{path} contains nothing from {server}: give the address that the browser showed, or save it again"
        )
    return findings


def _print(server: str, findings: list[Comparison], *, as_json: bool) -> None:
    if as_json:
        print_json({"server": server, "release": version("hushpoll"), "findings": [*map(_to_json, findings)]})
    else:
        for finding in findings:
            click.echo(_describe(finding))
    different = [finding.what for finding in findings if not finding.is_same]
    if different:
        raise SiteDiffers(f"{server} does not send what Hushpoll {version('hushpoll')} sends: {'; '.join(different)}")


def _describe(finding: Comparison) -> str:
    if finding.is_same:
        # The policy is long, and already known from this release.
        return f"same       {finding.what}" + ("" if finding.what.endswith(POLICY) else f"  {finding.actual}")
    lines = (f"expected {finding.expected}", f"found    {finding.actual}", finding.meaning)
    return "\n           ".join((f"DIFFERENT  {finding.what}", *lines))


def _to_json(finding: Comparison) -> dict[str, object]:
    same = {"what": finding.what, "same": finding.is_same, "expected": finding.expected, "found": finding.actual}
    return same if finding.is_same else {**same, "meaning": finding.meaning}


def _print_hashes(*, as_json: bool) -> None:
    released = files()
    if as_json:
        facts = {path: {"sha256": code.sha256, "integrity": code.integrity} for path, code in released.items()}
        print_json({"release": version("hushpoll"), "files": facts})
        return
    for path, code in released.items():
        click.echo(f"{code.sha256}  {path}")


def fetch(server: str, path: str) -> Fetched:
    """Fetch a path of a server; no redirect is followed and no cookie kept."""
    address = urlsplit(server)
    try:
        headers = headers_for(f"{address.scheme}://{address.netloc}", path)
        return _exchange(_connect(address.scheme, address.netloc), address.path + path, headers)
    except (OSError, HTTPException) as error:
        reason = str(error) or type(error).__name__
        raise SiteUnreachable(f"{server}{path} sent no response ({reason}): check the address, or try again") from error


def _connect(scheme: str, netloc: str) -> HTTPConnection:
    if scheme == "http":
        return HTTPConnection(netloc, timeout=TIMEOUT_SECONDS)
    return HTTPSConnection(netloc, timeout=TIMEOUT_SECONDS, context=ssl.create_default_context())


def _exchange(connection: HTTPConnection, path: str, headers: Headers) -> Fetched:
    try:
        # Nothing is added to a browser's headers, and they keep their order.
        connection.putrequest("GET", path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        with connection.getresponse() as response:
            body = _decompress(_read(response), response.getheader("Content-Encoding", "identity").lower())
            return Fetched(response.status, {name.lower(): value for name, value in response.getheaders()}, body)
    finally:
        connection.close()


def _decompress(body: bytes, encoding: str) -> bytes:
    if encoding == "identity":
        return body
    if encoding not in ("gzip", "deflate"):
        raise HTTPException(
            f"it is compressed by {encoding[:20]}, which cannot be read here; --saved compares what a browser got"
        )
    try:
        # 15 bits of window; 32 more detect whether the header is of gzip or zlib.
        return zlib.decompressobj(15 + 32).decompress(body, LARGEST_RESPONSE)
    except zlib.error:
        raise HTTPException("it cannot be decompressed") from None


def _read(response: HTTPResponse) -> bytes:
    """Read a body, limited in length and in total time; the timeout alone would apply to each byte."""
    deadline, body = time.monotonic() + LONGEST_SECONDS, b""
    while part := response.read1(LARGEST_RESPONSE):
        body += part
        if len(body) > LARGEST_RESPONSE:
            raise HTTPException("the response is too long")
        if time.monotonic() > deadline:
            raise HTTPException("the response takes too long")
    return body
