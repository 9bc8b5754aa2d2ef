"""hushpoll lab: what teaches and compares, on invented people or on a table that the user names."""

from __future__ import annotations

import click

from hushpoll_server.commands.lab_attack import attack
from hushpoll_server.commands.lab_compare import compare
from hushpoll_server.commands.lab_database import database


@click.group()
def command() -> None:
    """Try what protects people and what does not; never on the data of an instance."""


for subcommand in (attack, compare, database):
    command.add_command(subcommand)
