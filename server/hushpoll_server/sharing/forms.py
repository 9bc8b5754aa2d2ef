"""Read what a researcher filled in to share a survey."""

from __future__ import annotations

from werkzeug.datastructures import MultiDict

from hushpoll_server.sharing.service import SCOPES, NewLink
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.texts import normal_form


def read_link(form: MultiDict[str, str]) -> NewLink:
    """Read a new link, or say in a sentence what is wrong with it."""
    scope = next((scope for scope in SCOPES if scope == form.get("scope")), None)
    if scope is None:
        raise InvalidValue("A link opens figures, or figures and reports: choose one of the two.")
    return NewLink(normal_form(form.get("name", "")), scope, _days(form.get("days", "")))


def _days(text: str) -> int:
    # Whatever is no short whole number is refused with the numbers that are too large or too small.
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 4 else 0
