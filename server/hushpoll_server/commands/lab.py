"""hushpoll lab: attacks to try on invented people, and what protects against them."""

from __future__ import annotations

import click

from hushpoll_server.commands.lab_attack import attack
from hushpoll_server.commands.lab_compare import compare


@click.group()
def command() -> None:
    """Try the attacks on invented people, and compare what protects against them.

    Nothing here touches the data of an instance.
    """


command.add_command(attack)
command.add_command(compare)
