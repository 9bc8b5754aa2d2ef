"""hushpoll researcher: add, link, sign-out, token, tokens, revoke, list, remove."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from click.testing import Result

from hushpoll_server.app import create_app
from hushpoll_server.settings import load_settings

Command = Callable[..., Result]
Ask = Callable[..., Any]


def test_adding_prints_a_link_that_signs_in_once(hushpoll: Command, tmp_path: Path) -> None:
    result = hushpoll("researcher", "add", "Ada@Example.org")
    assert result.exit_code == 0
    # Only the link is on stdout, so that a script can use it.
    [link] = result.stdout.splitlines()
    assert link.startswith("http://127.0.0.1:8000/sign-in/")
    app = create_app(load_settings())
    assert [app.test_client().post(urlsplit(link).path).status_code for _ in range(2)] == [303, 410]
    app.extensions["hushpoll"].close()


def test_links_and_tokens_come_as_json_too_and_are_new_each_time(ask: Ask) -> None:
    links = {ask("researcher", "add", "a@b.org")["link"], ask("researcher", "add", "a@b.org")["link"]}
    links.add(ask("researcher", "link", "a@b.org")["link"])
    assert len(links) == 3
    assert ask("researcher", "token", "a@b.org")["token"] != ask("researcher", "token", "a@b.org")["token"]
    assert ask("researcher", "list") == {"researchers": ["a@b.org"]}


def test_a_token_stands_alone_on_stdout(hushpoll: Command, ask: Ask) -> None:
    ask("researcher", "add", "a@b.org")
    result = hushpoll("researcher", "token", "A@B.org")
    assert result.exit_code == 0
    assert len(result.stdout.strip()) == 43


def test_no_secret_is_stored_as_it_is(ask: Ask, tmp_path: Path) -> None:
    secret = ask("researcher", "add", "a@b.org")["link"].rsplit("/", 1)[1]
    token = ask("researcher", "token", "a@b.org")["token"]
    stored = b"".join(file.read_bytes() for file in (tmp_path / "home").glob("hushpoll.sqlite*"))
    assert secret.encode() not in stored
    assert token.encode() not in stored


def test_signing_somebody_out_ends_the_sessions_of_every_browser(hushpoll: Command, ask: Ask) -> None:
    app = create_app(load_settings())
    browsers = [app.test_client() for _ in range(2)]
    for browser in browsers:
        browser.post(urlsplit(ask("researcher", "add", "a@b.org")["link"]).path)
        assert browser.get("/surveys").status_code == 200
    result = hushpoll("researcher", "sign-out", "A@B.org")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "signed out everywhere. Tokens still work" in result.stderr
    assert [browser.get("/surveys").status_code for browser in browsers] == [401, 401]
    app.extensions["hushpoll"].close()


def test_tokens_are_listed_by_name_and_revoked_one_by_one(hushpoll: Command, ask: Ask) -> None:
    ask("researcher", "add", "a@b.org")
    assert "There are no tokens" in hushpoll("researcher", "tokens", "a@b.org").stdout
    for name in ("laptop", "ci"):
        ask("researcher", "token", "a@b.org", "--name", name)
    assert hushpoll("researcher", "tokens", "a@b.org").stdout == "ci\nlaptop\n"
    assert hushpoll("researcher", "revoke", "a@b.org", "laptop").exit_code == 0
    assert ask("researcher", "tokens", "a@b.org") == {"tokens": ["ci"]}
    again = hushpoll("researcher", "revoke", "a@b.org", "laptop")
    assert (again.exit_code, again.stdout) == (1, "")
    assert again.stderr == "there is no token with this name: list them with: hushpoll researcher tokens EMAIL\n"


def test_list_and_remove(hushpoll: Command, ask: Ask) -> None:
    assert "There are no researchers yet" in hushpoll("researcher", "list").stdout
    for email in ("b@x.org", "a@x.org"):
        ask("researcher", "add", email)
    assert hushpoll("researcher", "list").stdout == "a@x.org\nb@x.org\n"
    assert hushpoll("researcher", "remove", "a@x.org").exit_code == 0
    assert ask("researcher", "list") == {"researchers": ["b@x.org"]}


@pytest.mark.parametrize("verb", ["link", "sign-out", "token", "tokens", "remove"])
def test_who_is_not_there_gets_nothing(hushpoll: Command, verb: str) -> None:
    result = hushpoll("researcher", verb, "nobody@x.org")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == "there is no researcher with this address: add one with: hushpoll researcher add EMAIL\n"


@pytest.mark.parametrize("email", ["", "ada", "a@b@c", "a b@c.org", "a\n@b.org"])
def test_what_is_no_address_is_refused_with_the_cure(hushpoll: Command, email: str) -> None:
    result = hushpoll("researcher", "add", "--", email)
    assert result.exit_code == 1
    assert result.stderr == "this is not an e-mail address: write it as name@example.org\n"


def test_a_missing_address_is_a_wrong_call(hushpoll: Command) -> None:
    assert hushpoll("researcher", "add").exit_code == 2
