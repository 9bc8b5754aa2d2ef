"""How `hushpoll serve` configures its server, and what it refuses before it starts."""

from __future__ import annotations

import resource
import socket

import pytest

from hushpoll_server.commands.serve import allow_files, check_port, check_reach, http1_settings, with_address
from hushpoll_server.settings import Settings
from hushpoll_shared.errors import InvalidValue


def test_the_time_for_headers_is_the_setting_in_milliseconds() -> None:
    assert http1_settings(Settings(header_wait=2.5)).header_read_timeout == 2500


def test_the_limit_of_open_files_is_raised_and_never_lowered() -> None:
    before = now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, most))
    try:
        allow_files(300)
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (300, most)
        allow_files(100)
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (300, most)
        allow_files(2**40)
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] >= now
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.loopback
def test_a_port_that_is_taken_is_refused_with_a_sentence() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(InvalidValue, match=f"cannot listen on 127.0.0.1:{port} .*: choose another port or host"):
            check_port("127.0.0.1", port)


HTTPS, HTTP = "https://polls.example.org", "http://polls.example.org"


def reach(host: str, **settings: object) -> Settings:
    """Return the settings with which a server at this host would start, if it may."""
    found = with_address(Settings.model_validate(settings), host, 8000)
    check_reach(found, host)
    return found


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "2001:db8::1", "polls"])
@pytest.mark.parametrize("public_url", ["", "http://127.0.0.1:8000", HTTP])
def test_a_server_without_tls_is_not_opened_to_other_machines_by_a_forgotten_setting(
    host: str, public_url: str
) -> None:
    with pytest.raises(InvalidValue, match="set HUSHPOLL_PUBLIC_URL to"):
        reach(host, public_url=public_url)


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
@pytest.mark.parametrize("public_url", ["", "http://127.0.0.1:8000", "http://localhost"])
def test_a_server_for_other_machines_needs_a_name_that_no_request_can_choose(host: str, public_url: str) -> None:
    with pytest.raises(InvalidValue, match="its public address is not known"):
        reach(host, public_url=public_url, insecure_without_tls=True)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.3.2.1", "::1", "localhost"])
def test_a_plain_address_of_others_is_refused_behind_a_proxy_too(host: str) -> None:
    with pytest.raises(InvalidValue, match="can see and change everything"):
        reach(host, public_url=HTTP)


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "::"])
def test_with_an_https_address_or_when_told_so_it_is_served(host: str) -> None:
    assert reach(host, public_url=HTTPS).public_url == HTTPS
    assert reach(host, public_url=HTTP, insecure_without_tls=True).public_url == HTTP


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000"),
        ("::1", "http://[::1]:8000"),
        ("localhost", "http://localhost:8000"),
    ],
)
def test_on_this_machine_alone_the_address_is_the_one_that_it_listens_on(host: str, address: str) -> None:
    assert reach(host).public_url == address
