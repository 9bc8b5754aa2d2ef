"""A researcher in a real browser: the link's button, sign-out, sign-out everywhere, and what other sites can do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from tests.browser.form import Site
from tests.running.server_process import ServerProcess
from tests.running.tools import CHROMIUM_FLAGS, Tools
from tests.running.web import Response, serve
from tests.server.researchers.sign_in import make_link, sign_in_page

from hushpoll_server.services import Services
from hushpoll_server.settings import Settings

NewContext = Callable[..., BrowserContext]


def press(page: Page, button: str, heading: str) -> None:
    """Press a button and wait for the page that it leads to."""
    page.get_by_role("button", name=button, exact=True).click()
    expect(page.get_by_role("heading", level=1, name=heading, exact=True)).to_be_visible()


def expect_signed_out(page: Page, site: Site) -> None:
    answer = page.goto(f"{site.address}/surveys")
    assert answer is not None
    assert answer.status == 401


def link_of(site: Site) -> str:
    return site.address + make_link(site.app.extensions["hushpoll"])


def test_a_link_is_opened_signed_in_by_a_button_and_spent(page: Page, site: Site, complaints: list[str]) -> None:
    link = link_of(site)
    page.goto(link)
    assert page.context.cookies() == []
    press(page, "Sign in", "Surveys")
    assert page.url == f"{site.address}/surveys"
    [cookie] = page.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/")
    # The page and the form: no other request has the secret in its address.
    secret = link.rsplit("/", 1)[1]
    assert [request.path for request in site.requests if secret in request.path] == [f"/sign-in/{secret}"] * 2
    assert complaints == []
    answer = page.goto(link)
    assert answer is not None
    assert answer.status == 410


def test_a_link_from_another_site_signs_in_by_the_same_button(page: Page, site: Site) -> None:
    with serve({"/": Response(f'<a href="{link_of(site)}">Your link</a>')}, {}) as mail:
        page.goto(mail.replace("127.0.0.1", "localhost"))
        page.get_by_role("link").click()
        press(page, "Sign in", "Surveys")


def test_signing_out_leaves_nothing_behind_the_back_button(page: Page, site: Site) -> None:
    sign_in_page(page, site)
    press(page, "Sign out", "You are signed out")
    assert page.context.cookies() == []
    page.go_back()
    expect(page.get_by_role("heading", name="Sign in to see this page")).to_be_visible()
    expect_signed_out(page, site)


def test_signing_out_everywhere_reaches_the_other_browser(page: Page, site: Site, new_context: NewContext) -> None:
    other = new_context().new_page()
    for each in (other, page):
        sign_in_page(each, site)
    press(page, "Sign out everywhere", "You are signed out everywhere")
    expect_signed_out(page, site)
    expect_signed_out(other, site)


@pytest.mark.parametrize("policy", ["no-referrer", "unsafe-url"])
def test_a_page_elsewhere_cannot_sign_a_browser_in(page: Page, site: Site, policy: str) -> None:
    form = f'<form method="post" action="{link_of(site)}"><button>Win</button></form>'
    with serve({"/": Response(form)}, {"Referrer-Policy": policy}) as evil:
        page.goto(evil.replace("127.0.0.1", "localhost"))
        press(page, "Win", "The form is out of date.")
    assert page.context.cookies() == []
    expect_signed_out(page, site)


@pytest.fixture
def plain_page(chromium: Browser, tools: Tools) -> Iterator[Page]:
    """Open a browser in which two names lead to this machine: over plain http it says less about them to a server."""
    names = "--host-resolver-rules=MAP polls.example 127.0.0.1, MAP evil.example 127.0.0.1"
    browser = chromium.browser_type.launch(
        executable_path=tools.chromium, args=[*CHROMIUM_FLAGS, names], env=tools.chromium_environment
    )
    yield browser.new_page()
    browser.close()


@pytest.fixture
def plain_server(tmp_path: Path, sqlite_url: str) -> Iterator[ServerProcess]:
    """Run a server under a name of its own, without TLS."""
    server = ServerProcess(tmp_path / "home", sqlite_url)
    server.settings = f'public_url = "http://polls.example:{server.port}"\ninsecure_without_tls = true'
    server.start()
    yield server
    server.kill()


def test_without_tls_the_origin_tells_our_own_page_from_one_elsewhere(
    plain_page: Page, plain_server: ServerProcess, sqlite_url: str
) -> None:
    services = Services(Settings(home=plain_server.home, db=sqlite_url))
    link = f"http://polls.example:{plain_server.port}{make_link(services)}"
    services.close()
    with serve({"/": Response(f'<form method="post" action="{link}"><button>Win</button></form>')}, {}) as evil:
        plain_page.goto(evil.replace("127.0.0.1", "evil.example"))
        press(plain_page, "Win", "The form is out of date.")
    plain_page.goto(link)
    press(plain_page, "Sign in", "Surveys")
    press(plain_page, "Sign out", "You are signed out")
