"""Requests on their way from ASGI to WSGI."""

from __future__ import annotations

from tests.server.web.asgi_calls import scope_of

from hushpoll_server.web.wsgi import environ_of


def test_the_address_of_a_client_goes_no_further() -> None:
    assert "192.0.2.7" not in str(environ_of(scope_of(), length=0))


def test_a_path_reaches_the_application_byte_for_byte() -> None:
    assert environ_of(scope_of(path=b"/%E2%82%AC%FF"), length=0)["PATH_INFO"] == "/\xe2\x82\xac\xff"


def test_headers_are_joined_and_cannot_pass_for_others() -> None:
    scope = scope_of(
        (b"accept", b"a"), (b"accept", b"b"), (b"cookie", b"c=1"), (b"cookie", b"d=2"), (b"content_length", b"9")
    )
    environ = environ_of(scope, length=0)
    assert environ["HTTP_ACCEPT"] == "a,b"
    assert environ["HTTP_COOKIE"] == "c=1; d=2"
    assert environ["CONTENT_LENGTH"] == "0"


def test_a_host_that_is_known_stands_for_whatever_was_sent() -> None:
    scope = scope_of((b"host", b"evil.example"), (b"host", b"polls.example.org"))
    assert environ_of(scope, length=0, host=b"polls.example.org")["HTTP_HOST"] == "polls.example.org"
