"""hushpoll gateway: which programs may send many reports in one call."""

from __future__ import annotations

import click

from hushpoll_server.commands.common import database_option, instance, json_option, print_json


@click.group()
def command() -> None:
    """Add, list and remove the programs that may send many reports in one call."""


@command.command()
@click.argument("name")
@database_option
@json_option
def add(name: str, db: str | None, as_json: bool) -> None:
    """Add a gateway and print its token. It is shown once."""
    with instance(db) as services:
        token = services.gateways.add(name)
    click.echo("This token lets a program send many reports in one call. It is shown once:", err=True)
    print_json({"name": name, "token": token}) if as_json else click.echo(token)


@command.command("list")
@database_option
@json_option
def list_all(db: str | None, as_json: bool) -> None:
    """List the gateways."""
    with instance(db) as services:
        names = services.gateways.list()
    if as_json:
        print_json({"gateways": names})
    else:
        click.echo("\n".join(names) or "There are no gateways. Add one with: hushpoll gateway add NAME")


@command.command()
@click.argument("name")
@database_option
def remove(name: str, db: str | None) -> None:
    """Remove a gateway; its token stops working."""
    with instance(db) as services:
        services.gateways.remove(name)
    click.echo(f"{name} is removed.", err=True)
