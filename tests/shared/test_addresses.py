"""Addresses of servers: one spelling, https or this machine, and nothing that could change a policy."""

from __future__ import annotations

import pytest

from hushpoll_shared.addresses import check_address, is_loopback, read_address
from hushpoll_shared.errors import InvalidValue

UNREADABLE = [
    "",
    "polls.example.org",
    "https://",
    "ftp://polls.example.org",
    "ftp://localhost",
    "file:///etc/passwd",
    "https://user:secret@polls.example.org",
    "https://polls.example.org?a=b",
    "https://polls.example.org#a",
    "https://polls.example.org:0",
    "https://polls.example.org:99999",
    "https://[::1",
    "https://[:::]",
    "https://polls.example.org/\r\nX: y",
    "https://polls.example.org\n",
    "https://pölls.example.org",
    "https://a;b",
    "https://a/b c",
    "https://a/'*'",
    "https://a//b",
]


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://polls.example.org", "https://polls.example.org"),
        ("https://polls.example.org:8443/Base/", "https://polls.example.org:8443/Base"),
        ("HTTPS://Polls.Example.org//", "https://polls.example.org"),
        ("http://localhost:8000", "http://localhost:8000"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000"),
        ("http://[::1]:8000", "http://[::1]:8000"),
        ("http://127.0.0.2", "http://127.0.0.2"),
    ],
)
def test_an_address_is_https_or_this_machine_in_one_spelling(url: str, address: str) -> None:
    assert check_address(url) == read_address(url) == address


@pytest.mark.parametrize(
    "url",
    [
        "http://polls.example.org",
        "http://localhost.example.org",
        "http://127.0.0.1.example.org",
        "http://10.0.0.1",
        "http://0.0.0.0",
        "http://[::]",
    ],
)
def test_an_address_where_reports_could_be_read_in_transit_is_refused(url: str) -> None:
    assert read_address(url) == url
    with pytest.raises(InvalidValue, match="the server's address must start with https://"):
        check_address(url)


@pytest.mark.parametrize("url", UNREADABLE)
def test_what_is_not_a_host_and_perhaps_a_path_is_refused(url: str) -> None:
    with pytest.raises(InvalidValue, match="the server's address must be https://, a host and perhaps a path"):
        check_address(url)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1"])
def test_this_machine_has_three_names(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["", "0.0.0.0", "::", "10.0.0.1", "localhost.example.org", "127.0.0.1.example.org"])
def test_no_other_host_is_this_machine(host: str) -> None:
    assert not is_loopback(host)
