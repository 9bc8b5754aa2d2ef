"""hushpoll researcher: who may see the estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hushpoll_server.commands.common import address, database_option, instance, json_option, print_json

if TYPE_CHECKING:
    from hushpoll_server.services import Services


@click.group()
def command() -> None:
    """Add, list and remove researchers, sign them out, and make links and tokens for them."""


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


@command.command("sign-out")
@click.argument("email")
@database_option
def sign_out(email: str, db: str | None) -> None:
    """Sign a researcher out everywhere and invalidate unused links."""
    with instance(db) as services:
        services.sessions.end_all(services.researchers.get(email))
    click.echo(f"{email} is signed out everywhere. Tokens still work: hushpoll researcher revoke ends them.", err=True)


@command.command()
@click.argument("email")
@click.option("--name", help="A name for revoking it later; by default the beginning of its hash.")
@database_option
@json_option
def token(email: str, name: str | None, db: str | None, as_json: bool) -> None:
    """Print a new token for the API. It is shown once."""
    with instance(db) as services:
        secret = services.researchers.new_api_token(email, name=name)
    print_json({"token": secret}) if as_json else click.echo(secret)


@command.command()
@click.argument("email")
@database_option
@json_option
def tokens(email: str, db: str | None, as_json: bool) -> None:
    """List the names of a researcher's tokens."""
    with instance(db) as services:
        names = services.researchers.api_tokens(email)
    if as_json:
        print_json({"tokens": names})
    else:
        click.echo("\n".join(names) or "There are no tokens. Make one with: hushpoll researcher token EMAIL")


@command.command()
@click.argument("email")
@click.argument("name")
@database_option
def revoke(email: str, name: str, db: str | None) -> None:
    """Revoke one token of a researcher."""
    with instance(db) as services:
        services.researchers.revoke_api_token(email, name)
    click.echo(f"The token {name} of {email} does not work any more.", err=True)


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
