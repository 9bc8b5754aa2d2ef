"""What `hushpoll serve` asks of its server, and what it refuses before it starts."""

from __future__ import annotations

import resource
import socket

import pytest

from hushpoll_server.commands.serve import allow_files, check_port, http1_settings
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
