"""Sign a researcher in as with a browser: open the link's page and press its button."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask.testing import FlaskClient
from playwright.sync_api import Page

from hushpoll_server.services import Services

if TYPE_CHECKING:
    from tests.browser.form import Site

EMAIL = "ada@example.org"


def make_link(services: Services, email: str = EMAIL) -> str:
    """Add a researcher and return the path of a one-time link."""
    services.researchers.add(email)
    return f"/sign-in/{services.researchers.new_link(email)}"


def sign_in(client: FlaskClient, services: Services, email: str = EMAIL) -> FlaskClient:
    """Sign a client in."""
    assert client.post(make_link(services, email)).status_code == 303
    return client


def sign_in_page(page: Page, site: Site, email: str = EMAIL) -> None:
    """Open a link in a browser and press its button."""
    page.goto(site.address + make_link(site.app.extensions["hushpoll"], email))
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Surveys").wait_for()
