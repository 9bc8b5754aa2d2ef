"""hushpoll gateway: tokens for programs that may send many reports in one call."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from click.testing import Result

from hushpoll_server.gateways.models import GatewayRow
from hushpoll_server.services import Services
from hushpoll_server.settings import load_settings

Command = Callable[..., Result]


def admits(token: str) -> bool:
    """Return whether the instance of the commands accepts a token."""
    services = Services(load_settings())
    try:
        return services.gateways.admits(f"Bearer {token}")
    finally:
        services.close()


def test_a_token_is_printed_once_and_stored_as_its_hash(hushpoll: Command) -> None:
    added = json.loads(hushpoll("gateway", "add", "campus-relay", "--json").stdout)
    assert added.keys() == {"name", "token"}
    assert admits(added["token"])
    services = Services(load_settings())
    with services.store.reading() as session:
        row = session.get_one(GatewayRow, "campus-relay")
        assert added["token"] not in (row.name, row.hash)
    services.close()
    assert hushpoll("gateway", "list").stdout == "campus-relay\n"
    assert json.loads(hushpoll("gateway", "list", "--json").stdout) == {"gateways": ["campus-relay"]}


def test_without_json_the_token_stands_alone_on_a_line(hushpoll: Command) -> None:
    [token] = hushpoll("gateway", "add", "relay").stdout.splitlines()
    assert admits(token)


def test_a_removed_gateway_can_be_added_again_with_another_token(hushpoll: Command) -> None:
    first = hushpoll("gateway", "add", "relay").stdout.strip()
    assert hushpoll("gateway", "remove", "relay").exit_code == 0
    assert "no gateways" in hushpoll("gateway", "list").stdout
    second = hushpoll("gateway", "add", "relay").stdout.strip()
    assert [admits(token) for token in (first, second)] == [False, True]


@pytest.mark.parametrize(
    ("words", "cure"),
    [
        (("add", "relay"), "remove it first"),
        (("add", ""), "1 to 64 printable letters"),
        (("add", "x" * 65), "1 to 64 printable letters"),
        (("add", "a\nb"), "1 to 64 printable letters"),
        (("remove", "nobody"), "hushpoll gateway list"),
    ],
)
def test_what_cannot_be_done_is_said_with_the_cure(hushpoll: Command, words: tuple[str, str], cure: str) -> None:
    hushpoll("gateway", "add", "relay")
    result = hushpoll("gateway", *words)
    assert result.exit_code == 1
    assert cure in result.stderr
