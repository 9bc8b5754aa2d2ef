"""Every command explains itself, and every command that prints results can print them as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import click
import pytest
from click.testing import Result

from hushpoll_client.cli import main

# They print no result: they serve until they are stopped, confirm that something is done, or write a file.
WITHOUT_JSON = {
    *("demo", "serve", "randomize", "export", "survey close", "survey page"),
    *("researcher remove", "researcher revoke", "researcher sign-out", "gateway remove"),
}


def walk(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Return every command with the words by which it is called."""
    if not isinstance(command, click.Group):
        yield " ".join(path), command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        assert inner is not None
        yield from walk(inner, (*path, name))


COMMANDS = dict(walk(main))


def test_the_commands_of_the_contract_are_there() -> None:
    assert COMMANDS.keys() >= {
        "audit",
        "demo",
        "plan",
        "compare",
        "crosstab",
        "regress",
        "serve",
        "researcher add",
        "researcher list",
        "researcher remove",
        "survey lint",
        "survey compile",
        "survey publish",
        "survey list",
        "survey close",
        "randomize",
        "estimate",
        "simulate",
        "export",
        "bench",
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_and_each_of_its_options_is_explained(name: str) -> None:
    command = COMMANDS[name]
    assert command.help
    assert command.help.strip().endswith(".")
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    assert [option.name for option in options if not option.help] == []


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - WITHOUT_JSON))
def test_a_command_that_prints_results_takes_json(name: str) -> None:
    assert any("--json" in parameter.opts for parameter in COMMANDS[name].params)


@pytest.mark.parametrize("name", ["", *COMMANDS, "survey", "researcher"])
def test_help_is_printed_and_ends_with_0(hushpoll: Callable[..., Result], name: str) -> None:
    result = hushpoll(*name.split(), "--help")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: hushpoll {name}".rstrip())
    assert result.stderr == ""


def test_no_word_of_help_promises_too_much() -> None:
    for name, command in COMMANDS.items():
        text = command.get_help(click.Context(command, info_name=name)).lower()
        assert "anonym" not in text
        assert "guarantee" not in text
