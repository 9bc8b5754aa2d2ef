"""hushpoll researcher: who may see the estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hushpoll_server.commands.common import address, database_option, instance, json_option, print_json

if TYPE_CHECKING:
    from hushpoll_server.services import Services


@click.group()
def command() -> None:
    """Add, list and remove researchers, and give them links and tokens."""


@command.command()
@click.argument("email")
@database_option
@json_option
def add(email: str, db: str | None, as_json: bool) -> None:
    """Add a researcher and print a one-time sign-in link."""
    with instance(db) as services:
        services.researchers.add(email)
        _print_link(services, email, as_json=as_json)


@command.command()
@click.argument("email")
@database_option
@json_option
def link(email: str, db: str | None, as_json: bool) -> None:
    """Print a new one-time sign-in link for a researcher."""
    with instance(db) as services:
        _print_link(services, email, as_json=as_json)


@command.command()
@click.argument("email")
@database_option
@json_option
def token(email: str, db: str | None, as_json: bool) -> None:
    """Print a new token for the API. It is shown once."""
    with instance(db) as services:
        secret = services.researchers.new_api_token(email)
    print_json({"token": secret}) if as_json else click.echo(secret)


@command.command("list")
@database_option
@json_option
def list_all(db: str | None, as_json: bool) -> None:
    """List the researchers."""
    with instance(db) as services:
        emails = [researcher.email for researcher in services.researchers.list()]
    if as_json:
        print_json({"researchers": emails})
    else:
        click.echo("\n".join(emails) or "There are no researchers yet. Add one with: hushpoll researcher add EMAIL")


@command.command()
@click.argument("email")
@database_option
def remove(email: str, db: str | None) -> None:
    """Remove a researcher with all links, tokens and sessions."""
    with instance(db) as services:
        services.researchers.remove(email)
    click.echo(f"{email} is removed and signed out.", err=True)


def _print_link(services: Services, email: str, *, as_json: bool) -> None:
    link = f"{address(services.settings)}/sign-in/{services.researchers.new_link(email)}"
    click.echo("This link signs in once, within 24 hours:", err=True)
    print_json({"link": link}) if as_json else click.echo(link)
