"""Make a link to a survey, and open it as with a browser."""

from __future__ import annotations

from flask.testing import FlaskClient

from hushpoll_server.services import Services
from hushpoll_server.sharing.service import NewLink, Scope

EMAIL = "ada@example.org"
COOKIE = "hushpoll-share"


def make_secret(
    services: Services, survey: str = "campus", *, name: str = "Committee", scope: Scope = "figures", days: int = 30
) -> str:
    """Make a link and return its secret."""
    return services.shares.make(survey, NewLink(name, scope, days), services.researchers.add(EMAIL))


def open_link(client: FlaskClient, secret: str) -> FlaskClient:
    """Press the button of a link's page."""
    assert client.post(f"/shared/{secret}").status_code == 303
    return client
