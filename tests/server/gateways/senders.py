"""A gateway for tests that send many reports in one call."""

from __future__ import annotations

import secrets

from flask.testing import FlaskClient

from hushpoll_server.gateways.models import GatewayRow
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_server.store.secrets import hash_of
from hushpoll_server.store.statements import insert_new


def as_gateway(services: Services) -> dict[str, str]:
    """Add a gateway and return the headers of its requests."""
    return {"Authorization": f"Bearer {services.gateways.add(secrets.token_hex(8))}"}


def gateway_of(client: FlaskClient) -> dict[str, str]:
    """Return the headers of a gateway of the app that a client calls."""
    return as_gateway(client.application.extensions["hushpoll"])


def gateway_at(settings: Settings) -> dict[str, str]:
    """Return the headers of a gateway of an instance that another process serves."""
    services = Services(settings)
    try:
        return as_gateway(services)
    finally:
        services.close()


def admit(services: Services, token: str) -> None:
    """Let a token for something else send batches too: some programs can hold only one."""
    with services.store.writing() as connection:
        insert_new(connection, GatewayRow, [("both", hash_of(token))])
