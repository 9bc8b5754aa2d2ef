"""Hosts and origins as browsers write them."""

from __future__ import annotations

import pytest

from hushpoll_server.web.addresses import host_of, is_loopback_host, origin_of


@pytest.mark.parametrize(
    ("url", "host", "origin"),
    [
        ("https://Polls.Example:443/below", "polls.example", "https://polls.example"),
        ("https://polls.example:80", "polls.example:80", "https://polls.example:80"),
        ("http://[::1]:8000", "[::1]:8000", "http://[::1]:8000"),
        ("http://localhost:80", "localhost", "http://localhost"),
    ],
)
def test_the_default_port_and_the_path_are_no_part_of_an_origin(url: str, host: str, origin: str) -> None:
    assert (host_of(url), origin_of(url)) == (host, origin)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8000", "[::1]", "[::1]:65535"])
def test_a_host_header_may_name_this_machine_with_any_port(host: str) -> None:
    assert is_loopback_host(host)


@pytest.mark.parametrize(
    "host",
    ["", "::1", "127.0.0.1; script-src *", "a@localhost", "localhost/a", "localhost:٣", "localhost\n", "127x0.0.1"],
)
def test_a_host_header_with_anything_else_in_it_does_not(host: str) -> None:
    assert not is_loopback_host(host)
