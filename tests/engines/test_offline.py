"""A report that cannot be sent at once, in engines other than Chromium: the same bytes later, counted once."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.browser.form import Site, serve_form
from tests.engines.page import Page
from tests.samples.surveys import two_questions

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


def send_in_vain(page: Page) -> bytes:
    """Press Send while the server is out of reach; return the report that waits."""
    page.press("Send")
    page.expect_heading("Not sent yet")
    page.unfold("See what will be sent")
    return page.text("//pre").encode()


def test_a_report_outlasts_the_server_and_is_counted_once_when_it_is_back(
    page: Page, tmp_path: Path, port: int
) -> None:
    with serve_form(tmp_path, port) as site:
        page.open(site.publish(two_questions()))
        page.answer("Yes", "No")
    waiting = send_in_vain(page)
    page.press("Try again now")
    page.expect_heading("Not sent yet")
    with serve_form(tmp_path, port) as site:
        page.press("Try again now")
        page.expect_heading("Sent. Thank you.")
        assert {request.body for request in site.sent} == {waiting}
        assert site.stored("campus") == 1
        page.reload()
        page.expect_heading("This survey was answered on this device")
        assert site.stored("campus") == 1


def test_a_report_that_waits_is_sent_by_a_later_visit(page: Page, tmp_path: Path, port: int) -> None:
    with serve_form(tmp_path, port) as site:
        page.open(site.publish(two_questions()))
        page.answer("Yes", "No")
    waiting = send_in_vain(page)
    with serve_form(tmp_path, port) as site:
        assert not page.reload()
        page.expect_heading("Sent. Thank you.")
        assert {request.body for request in site.sent} == {waiting}
        assert site.stored("campus") == 1


def test_a_lost_reply_of_the_server_makes_no_second_report(
    page: Page, site: Site, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.open(form)
    page.answer("Yes", "No")
    with monkeypatch.context() as poor_line:
        poor_line.setattr(site.app, "wsgi_app", losing_replies(site.app.wsgi_app))
        waiting = send_in_vain(page)
        assert site.stored("campus") == 1
    page.press("Try again now")
    page.expect_heading("Sent. Thank you.")
    assert len(site.sent) >= 2
    assert {request.body for request in site.sent} == {waiting}
    assert site.stored("campus") == 1


def losing_replies(application: WSGIApplication) -> WSGIApplication:
    """Return an application that does its work and then hangs up."""

    def hang_up(environ: WSGIEnvironment, start_response: StartResponse) -> Any:
        reply = application(environ, start_response)
        environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
        return reply

    return hang_up
